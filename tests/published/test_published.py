"""Every published number has a command, and the documents say of which commit it is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from . import checking, running
from .__main__ import chosen, listed
from .catalogue import PUBLICATIONS
from .names import ROOT
from .publication import MEASURED, Command, Part, Place, Publication, document_parts, revision
from .publication import claims as claims_command

PAGE = "docs/results/tiny.md"
PART = Part(PAGE, "tiny")
BUILD = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))


Checks = Mapping[str, list[tuple[dict[str, str], float]]]


def claim(name: str, checks: Checks, compared: float = 0.0) -> dict[str, object]:
    """As cc-lab writes it."""
    made = [
        {
            "what": what,
            "points": [
                {"parameters": parameters, "measured": [value], "compared_with": [compared], "bound": "", "holds": True}
                for parameters, value in points
            ],
        }
        for what, points in checks.items()
    ]
    hold = sum(len(points) for points in checks.values())
    return {"id": name, "title": f"title of {name}", "points_that_hold": {"hold": hold, "of": hold}, "checks": made}


def claims(folder: Path, *found: dict[str, object]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "claims.json").write_text(json.dumps(found))
    return folder


def measured(place: Place, folder: Path) -> list[Command]:
    return [Command((sys.executable, "-c", "print('| 1.5 ms |')"), prints="tiny.md")]


def write(place: Place, folder: Path, commit: str) -> None:
    PART.write(place.root, (folder / "tiny.md").read_text(), commit)


TINY = Publication("tiny", 1, [PART], measured, write, keeps=False)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    page = tmp_path / PAGE
    page.parent.mkdir(parents=True)
    page.write_text(f"# Tiny\n\nabove\n\n{PART.begin}\nNot measured yet.\n{document_parts.END}\n\nbelow\n")
    return Place(tmp_path / "build", tmp_path / "out", tmp_path)


def test_the_documents_agree_with_the_list_of_publications() -> None:
    assert checking.problems(PUBLICATIONS, ROOT) == []


def test_every_publication_is_listed_with_its_pages() -> None:
    text = listed(PUBLICATIONS)
    for one in PUBLICATIONS:
        assert one.name in text
        assert all(part.page in text for part in one.parts)
    names = [one.name for one in PUBLICATIONS]
    assert len(set(names)) == len(names)


def test_what_is_set_apart_is_made_only_by_name() -> None:
    apart = {one.name for one in PUBLICATIONS if one.apart}
    assert apart
    assert not apart & {one.name for one in chosen([], [])}
    assert {one.name for one in chosen(sorted(apart), [])} == apart
    with pytest.raises(ValueError, match="no such publication: nothing"):
        chosen(["nothing"], [])


def test_the_rooms_and_files_that_commands_name_exist(tmp_path: Path) -> None:
    place = Place(tmp_path, tmp_path / "out", recordings=tmp_path)
    for one in PUBLICATIONS:
        for command in one.measure(place, tmp_path / one.name):
            named = [Path(str(word)) for word in command.words if str(word).startswith(str(ROOT))]
            assert all(file.exists() for file in named if not file.is_relative_to(ROOT / "build")), command


def test_a_publication_is_measured_and_written_with_its_commit(place: Place) -> None:
    commit = revision.measured(ROOT)
    assert running.run([TINY], place, again=False, write_only=False) == 0
    text = (place.root / PAGE).read_text()
    assert f"{PART.begin}\n| 1.5 ms |\n\n{revision.sentence(commit)}\n{document_parts.END}\n\nbelow" in text
    assert checking.stated(TINY, place.root) == {PAGE: [commit]}
    assert running.measured(place.out / "tiny") == commit


def test_one_that_fails_is_named_and_the_rest_goes_on(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    def fails(place: Place, folder: Path) -> list[Command]:
        return [Command((sys.executable, "-c", "raise SystemExit(3)"))]

    broken = Publication("broken", 1, [PART], fails, write)
    wants = Publication("wants", 1, [PART], measured, write, needs=["no-such-program"])
    assert running.run([broken, wants, TINY], place, again=False, write_only=False) == 1
    said = capsys.readouterr().err
    assert "failed: broken: `" in said
    assert "ended with code 3" in said
    assert "failed: wants: wants no-such-program, which is not there" in said
    assert "1 of 3 publications are written" in said
    assert "1.5 ms" in (place.root / PAGE).read_text()


def test_what_wants_something_is_left_out_unless_it_is_named(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    wants = Publication("wants", 1, [PART], measured, write, needs=["no-such-program"])
    recorded = Publication("recorded", 1, [PART], measured, write, recordings=True)
    assert running.possible([wants, TINY, recorded], place) == [TINY]
    said = capsys.readouterr().err
    assert "left out: wants wants no-such-program, which is not there" in said
    assert "left out: recorded wants recordings (--recordings DIR)" in said


def test_nothing_is_written_without_a_measurement(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert running.run([TINY], place, again=False, write_only=True) == 1
    assert "no finished measurement" in capsys.readouterr().err
    (place.out / "tiny").mkdir(parents=True)
    (place.out / "tiny" / "tiny.md").write_text("| 7 |\n")
    (place.out / "tiny" / running.COMMIT).write_text("1234567\n")
    assert running.run([TINY], place, again=False, write_only=True) == 0
    assert checking.stated(TINY, place.root) == {PAGE: ["1234567"]}


def test_what_has_not_changed_is_not_measured_again(place: Place) -> None:
    calls = []

    def counted(place: Place, folder: Path) -> list[Command]:
        calls.append(folder)
        return measured(place, folder)

    one, commit = Publication("once", 1, [PART], counted, write, keeps=False), revision.measured(ROOT)
    clean = revision.CHANGED not in commit
    for again in (False, False, True):
        running.run([one], place, again, write_only=False)
    assert len(calls) == (2 if clean else 3)


def test_a_number_beside_the_parts_is_found(place: Place) -> None:
    PART.write(place.root, "| 1.5 ms |", "1234567")
    assert checking.problems([TINY], place.root, {}) == []
    page = place.root / PAGE
    page.write_text(page.read_text() + "\n## More\n\nIt uses 99.5 % of the path.\n\n| delay |\n|---|\n| 3.5 ms |\n")
    found = checking.problems([TINY], place.root, {})
    assert [line.partition(":")[0] for line in found] == [f"{PAGE}#More"] * 2
    assert checking.problems([TINY], place.root, {f"{PAGE}#More": "why"}) == []
    stale = checking.problems([TINY], place.root, {f"{PAGE}#More": "why", f"{PAGE}#Less": "why"})
    assert stale == [f"{PAGE}#Less is excepted, but has no number"]


def test_settings_and_equations_are_no_numbers_of_ours() -> None:
    text = "# A\nOver 20 Mbit/s and 40 ms for 30 s.\n`d <= 0.5 ms`\n```\n| 1.5 ms |\n```\n"
    assert list(checking.outside(text)) == []


def test_a_part_has_to_name_one_commit(place: Place) -> None:
    assert checking.problems([TINY], place.root, {}) == []  # Not measured yet.
    assert checking.pending([TINY], place.root) == [f"tiny: {PART}"]
    PART.write(place.root, "| 1 |", "1234567")
    page = place.root / PAGE
    unsigned = revision.unsigned(page.read_text())
    assert "Measured" not in unsigned
    page.write_text(unsigned)
    assert "have to name one commit, and name none" in checking.problems([TINY], place.root, {})[0]
    PART.write(place.root, "| 1 |", f"1234567{revision.CHANGED}")
    assert "has results of what no commit has" in checking.problems([TINY], place.root, {})[0]


def test_a_part_that_nobody_makes_is_found(place: Place) -> None:
    page = place.root / PAGE
    page.write_text(page.read_text() + "\n<!-- other: by tests/else -->\n| 1 |\n<!-- end -->\n")
    assert checking.problems([TINY], place.root, {}) == [f"{PAGE}: no publication makes <!-- other: by tests/else -->"]
    page.write_text("# Tiny\n")
    assert checking.problems([TINY], place.root, {})[0] == f"tiny: {PAGE} has no part {PART.begin}"


def test_a_part_that_is_signed_twice_names_the_last_commit(place: Place) -> None:
    for commit in ("1111111", "2222222"):
        PART.write(place.root, "| 1 |", "0000000")
        PART.sign(place.root, commit)
    assert revision.stated((place.root / PAGE).read_text()) == ["2222222"]


def test_the_commit_is_the_last_that_changed_what_decides(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        command = ["git", "-C", str(tmp_path), *identity, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    (tmp_path / "cc").mkdir()
    (tmp_path / "cc" / "lib.rs").write_text("1\n")
    git("add", "-A")
    git("commit", "-qm", "controllers")
    first = git("rev-parse", "--short=7", "HEAD")
    (tmp_path / "README.md").write_text("words\n")
    git("add", "-A")
    git("commit", "-qm", "words")
    assert revision.measured(tmp_path) == first
    (tmp_path / "cc" / "lib.rs").write_text("2\n")
    assert revision.measured(tmp_path) == f"{first} with local changes"
    assert revision.stated(revision.sentence(revision.measured(tmp_path))) == [f"{first} with local changes"]


def test_what_was_measured_before_a_change_is_outdated(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    PART.write(place.root, "| 1 |", "1111111")
    for now, found in (("1111111", []), ("2222222", [f"tiny: {PAGE} is of 1111111, and not of 2222222"])):
        monkeypatch.setattr(revision, "measured", lambda root, more, now=now: now)
        assert checking.outdated([TINY], place.root) == found


@pytest.mark.parametrize("name", sorted(folder.name for folder in MEASURED.iterdir()))
def test_the_lab_accepts_the_runs_of_the_tables(name: str, tmp_path: Path) -> None:
    text = "".join(file.read_text() for file in (MEASURED / name).glob("*.toml"))
    for number, link in enumerate(sorted(set(re.findall(r'"([\w-]+\.(?:up|down)|link-\d+)"', text))), 2):
        (tmp_path / link).write_text(f"1\n{number}\n")
    command = claims_command(Place(BUILD, tmp_path), tmp_path / "out", MEASURED / name, "--missing")
    more = ["--recordings", tmp_path] if "{recordings}" in text else []
    words = [str(word) for word in (*command.words, *more)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 30
