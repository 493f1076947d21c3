"""What counts as found, by verdicts that stand in a journal; and how sure a share is."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import pytest

from .catalogue import Drive, Mutant
from .honest import PATH, draw
from .interval import wilson
from .judge import FAIL, NOT_JUDGED, PASS, Journal, Verdict, checker_digests
from .measure import FOUND, NOT_FOUND, SAME, Measurement, Result
from .page import as_json, markdown
from .traces import Made, Traces, cases_of, key_of, name_of
from .tree import Tree, write

MUTANT = Mutant("one", "code.rs", ("vegas",), "a", "b", "It changes.")
DRIVES = [Drive("first", PATH, (), ""), Drive("second", PATH, (), ""), Drive("third", PATH, (), "", ("hybrid",))]
BEFORE = ("x", "y")
Digests = tuple[str | None, ...]


def measured(
    folder: Path,
    after: Digests,
    verdicts: dict[str, str],
    drives: list[Drive] = DRIVES,
    before: Digests = BEFORE,
) -> Result:
    """What it comes to if these are the digests of the traces with the mutant, and these the verdicts on traces."""
    journal = Journal(folder / "verdicts.jsonl")
    for digest, outcome in verdicts.items():
        journal.get(f"{checker_digests()['vegas']}:{digest}", partial(Verdict, outcome, ("law",)))
    for mutant, digests in ((None, before), (MUTANT, after)):
        cases = [key_of("", mutant, case) for case in cases_of(MUTANT, drives)]
        made = Made(dict(zip(cases, digests, strict=True)))
        write(folder / name_of(mutant) / "made.json", msgspec.json.encode(made))
    return Measurement(Traces(folder, Tree(folder), {"vegas": ""}), journal, drives).of(MUTANT)


@pytest.mark.parametrize(
    ("after", "verdicts", "outcome"),
    [
        (("x", "y"), {}, SAME),
        (("x", "z"), {"y": PASS, "z": FAIL}, FOUND),
        (("x", "z"), {"y": PASS, "z": PASS}, NOT_FOUND),
        (("x", "z"), {"y": PASS, "z": NOT_JUDGED}, NOT_JUDGED),
        # The original is accused there as well, so that it tells nothing of the mutant.
        (("x", "z"), {"y": FAIL, "z": FAIL}, NOT_JUDGED),
        (("z", "w"), {"x": FAIL, "y": PASS, "z": FAIL, "w": PASS}, NOT_FOUND),
        # It ends the run: no trace was accused.
        (("x", None), {"y": PASS}, NOT_JUDGED),
    ],
)
def test_a_mutant_is_found_where_a_trace_fails_that_passes_without_it(
    tmp_path: Path, after: Digests, verdicts: dict[str, str], outcome: str
) -> None:
    assert measured(tmp_path, after, verdicts).outcome == outcome


def test_a_mutant_is_judged_by_all_flows_of_the_controller(tmp_path: Path) -> None:
    drives = [Drive("first", PATH, (), ""), Drive("second", PATH, (), "", flows=("main", "other"))]
    cases = list(cases_of(MUTANT, drives))
    assert [case.where for case in cases] == ["first", "second", "second,other"]
    assert len({case.name for case in cases}) == len(cases)
    assert measured(tmp_path, ("x", "y", "z"), {"w": PASS, "z": FAIL}, drives, ("x", "y", "w")).outcome == FOUND


def test_the_table_names_path_and_law(tmp_path: Path) -> None:
    result = measured(tmp_path, ("x", "z"), {"y": PASS, "z": FAIL})
    assert "| `one` | It changes. | found | `vegas`, second: law |" in markdown([result])
    assert "1 of 1" in markdown([result])


def test_the_results_stand_a_mutant_on_a_line_with_the_commit(tmp_path: Path) -> None:
    text = as_json([measured(tmp_path, ("x", "z"), {"y": PASS, "z": FAIL})], "0123abc")
    told = msgspec.json.decode(text)
    assert (told["commit"], told["found"]) == ("0123abc", "1 of 1, 100.0 % (20.7 to 100.0 %)")
    assert told["mutants"] == [msgspec.json.decode(text.splitlines()[1])]
    (of,) = told["mutants"][0]["controllers"]
    assert of == {"controller": "vegas", "outcome": "found", "path": "second", "checks": ["law"]}


def test_a_journal_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.jsonl"
    Journal(file).get("a", lambda: Verdict(PASS))
    with file.open("ab") as out:
        out.write(b'{"key": "b", "verd')
    journal = Journal(file)
    journal.get("c", lambda: Verdict(FAIL))
    again = Journal(file)
    assert again.get("a", lambda: Verdict(NOT_JUDGED)).outcome == PASS
    assert again.get("c", lambda: Verdict(NOT_JUDGED)).outcome == FAIL


def test_intervals_are_those_of_wilson() -> None:
    # Newcombe, Statistics in Medicine 17:857 (1998), table I, method 3.
    for count, of, low, high in [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)]:
        assert wilson(count, of) == pytest.approx((low, high), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_same_seed_draws_the_same_run() -> None:
    runs = [draw(seed) for seed in range(100)]
    assert runs == [draw(seed) for seed in range(100)]
    assert len({one.spec for one in runs}) == 6
    assert any("timestamps=false" in value for one in runs for value in one.sets)


def test_a_file_that_is_the_same_keeps_its_time(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "file"
    write(file, b"a")
    before = file.stat().st_mtime_ns
    write(file, b"a")
    assert file.stat().st_mtime_ns == before
    write(file, b"b")
    assert file.read_bytes() == b"b"
