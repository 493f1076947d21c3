"""On this machine alone, with the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from .__main__ import main
from .small import alone, laid, other_program, same, started

LINK = ("compare", "suite.toml", "--out", "out")


def test_claims_give_what_cc_lab_alone_gives_to_the_byte(tmp_path: Path) -> None:
    command = ("claims", "--claims", "claims", "--out", "out")
    here, plain = laid(tmp_path / "here"), laid(tmp_path / "plain")
    run = started(here, "--jobs", "2", *command)
    output, said = run.communicate(timeout=120)
    wanted = alone(plain, *command)
    assert wanted.returncode == 0, wanted.stderr
    assert (run.returncode, output) == (0, wanted.stdout), said
    assert "cluster: 4 of 4 runs" in said
    same(here / "out", plain / "out")


def test_a_run_that_two_claims_need_is_made_once(tmp_path: Path) -> None:
    folder = laid(tmp_path / "here")
    text = (folder / "claims" / "t.toml").read_text()
    run, check = text[text.index("[run") : text.index("[[claim]]")], text[text.index("[[claim.check]]") :]
    twin = check.replace('"short"', '"twin"') + run.replace("[run.short]", "[run.twin]")
    (folder / "claims" / "t.toml").write_text(text + twin)
    _, said = started(folder, "--jobs", "2", "claims", "--claims", "claims", "--out", "out").communicate(timeout=120)
    assert "lacks 4 runs" in said
    assert "8 of 8 runs are taken" in said


def test_a_broken_entry_is_named_and_remade_and_the_others_are_left_alone(tmp_path: Path) -> None:
    folder = laid(tmp_path / "here")
    assert alone(folder, *LINK).returncode == 0
    store = folder / "out" / "runs.jsonl"
    whole = store.read_text().splitlines()
    store.write_text("\n".join([*whole[:2], whole[2][:-20], *whole[3:]]) + "\n")
    _, said = started(folder, "--jobs", "1", *LINK).communicate(timeout=120)
    assert "out/runs.jsonl:3: is left out, so its run is made again" in said
    assert "lacks 1 runs" in said
    assert store.read_text().splitlines() == [*whole[:2], whole[2][:-20], *whole[3:], whole[2]]


def test_a_run_that_fails_is_named_and_cc_lab_says_so_in_its_report(tmp_path: Path) -> None:
    folder = laid(tmp_path / "here")
    # Nothing arrives within a round trip.
    suite = (folder / "suite.toml").read_text().replace("link.bottleneck.rate", "flow.main.rtt")
    (folder / "suite.toml").write_text(suite.replace('"1Mbps", "trace:up.trace"', '"20ms", "20s"'))
    run = started(folder, "--jobs", "2", *LINK)
    _, said = run.communicate(timeout=120)
    assert run.returncode == 1, said
    assert "cluster: run hybrid,flow.main.rtt=20s,seed=1: nothing arrived after the warm-up" in said
    assert "4 of 8 runs are taken" in said
    assert "hybrid,flow.main.rtt=20s,seed=1" in (folder / "out" / "report.md").read_text()


def test_a_result_of_another_version_is_left_out_and_the_run_stays_missing(tmp_path: Path) -> None:
    folder = laid(tmp_path / "here")
    forger = """case "$*" in *shard*) "$LAB" "$@" | sed 's/"version":"...../"version":"00000/';;
*) exec "$LAB" "$@";; esac"""
    run = started(folder, "--build-dir", str(other_program(tmp_path / "other", forger)), "--jobs", "2", *LINK)
    _, said = run.communicate(timeout=120)
    assert run.returncode == 2
    assert said.count("is of another version of cc-lab") == 8
    assert "8 runs have no result" in said
    assert (folder / "out" / "runs.jsonl").read_text() == ""


def test_all_is_made_again_once(tmp_path: Path) -> None:
    folder = laid(tmp_path / "here")
    assert alone(folder, *LINK).returncode == 0
    before = sorted((folder / "out" / "runs.jsonl").read_text().splitlines())
    _, said = started(folder, "--jobs", "2", *LINK, "--again").communicate(timeout=120)
    assert "lacks 8 runs" in said
    assert sorted((folder / "out" / "runs.jsonl").read_text().splitlines()) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "short.toml"], "compare or claims"),
        (["--jobs", "0", *LINK], "a whole number"),
        (["--jobs", "1", "--scheduler", "tcp://127.0.0.1:1", *LINK], "--jobs is for this machine"),
    ],
)
def test_a_command_that_cannot_be_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_what_is_wrong_with_the_command_cc_lab_says(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "none.toml", "--out", str(tmp_path)]) == 2
    said = capfd.readouterr().err
    assert "none.toml: cannot be read" in said
    assert "cluster: cc-lab does not list the runs" in said
    assert main(["--build-dir", str(tmp_path), *LINK]) == 2
    assert "build it with" in capfd.readouterr().err
