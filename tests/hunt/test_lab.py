"""Runs and their store, with the program."""

from __future__ import annotations

import os
from pathlib import Path as File

import pytest

from . import page
from .harms import REFERENCES
from .judge import Against
from .lab import ROOT, Crew, HuntError, Lab, Run
from .space import Path
from .worst import Case, measured

PROGRAM = File(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build")) / "bin" / "cc-lab"
SHORT = Path(rate_mbps=2.0, duration_s=3.0, neighbours="cubic")
RUN = Run(SHORT, "hybrid", True, 1)


def test_what_was_run_is_not_run_again(tmp_path: File) -> None:
    store = tmp_path / "runs.jsonl"
    lab = Lab(PROGRAM, store)
    (first,) = lab.figures([RUN])
    assert lab.made == 1
    assert 0.5e6 < first.goodput_bps < first.capacity_bps == 2e6
    assert first.neighbours_bps > 0
    later = Lab(PROGRAM, store)
    assert later.figures([RUN]) == [first]
    assert later.made == 0


def test_a_line_that_was_cut_off_is_passed_over(tmp_path: File, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "runs.jsonl"
    (first,) = Lab(PROGRAM, store).figures([RUN])
    store.write_bytes(store.read_bytes() + b'{"key": "ab')
    lab = Lab(PROGRAM, store)
    assert "runs.jsonl:2: passed over" in capsys.readouterr().err
    assert lab.figures([RUN]) == [first]
    lab.figures([Run(SHORT, "hybrid", True, 2)])
    assert len(Lab(PROGRAM, store).figures([RUN, Run(SHORT, "hybrid", True, 2)])) == 2


def test_controllers_of_one_path_are_run_together_and_told_apart(tmp_path: File) -> None:
    lab = Lab(PROGRAM, tmp_path / "runs.jsonl", Crew(2))
    specs = ["hybrid:startup_gain=2.1,growth=1.2", *REFERENCES]
    runs = [Run(Path(duration_s=3.0, rate_mbps=2.0), cc, True, 1) for cc in specs]
    together = lab.figures(runs)
    alone = [Lab(PROGRAM, tmp_path / f"{number}.jsonl").figures([run])[0] for number, run in enumerate(runs)]
    assert together == alone
    assert len({figures.queueing_ms for figures in together}) == 3


def test_a_run_that_fails_is_named_with_its_scenario(tmp_path: File) -> None:
    with pytest.raises(HuntError, match=r"(?s)no-such.*seed 4.*\[\[link\]\]"):
        Lab(PROGRAM, tmp_path / "runs.jsonl").figures([Run(SHORT, "no-such", True, 4)])


def test_a_program_that_is_missing_is_named(tmp_path: File) -> None:
    with pytest.raises(HuntError, match="cc-lab does not exist; build it"):
        Lab(tmp_path / "cc-lab", tmp_path / "runs.jsonl")


SLOW = "raimd:startup=off,target=off,alpha=0.001,initial_rate=50kbps"


def test_the_judge_sees_a_controller_that_its_options_make_slow(tmp_path: File) -> None:
    case = Case(SLOW, True, "starvation", Path(rate_mbps=2.0, duration_s=4.0))
    lab = Lab(PROGRAM, tmp_path / "runs.jsonl")
    found = measured(Against(lab, SLOW, True), case, (4, 5, 6))
    assert found.rival in REFERENCES
    assert 1.0 < found.least <= found.score <= found.most
    assert found.together < found.score  # It has no queue.


def test_the_page_has_the_figures_of_all_three(tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "FRESH", (4, 5))
    lab = Lab(PROGRAM, tmp_path / "runs.jsonl")
    case = Case(SLOW, True, "starvation", SHORT)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.figures(lab, case).splitlines()]
    assert [row[0] for row in rows[2:]] == [SLOW, *REFERENCES]
    assert {len(row) for row in rows} == {6}
    assert float(rows[2][1]) < 0.1 < float(rows[3][1])
    assert "no end" not in str(rows)


def test_who_sends_without_end_is_cut_off_and_the_others_are_not(
    tmp_path: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program is one that takes its time for one controller, and passes the others on."""
    program = tmp_path / "cc-lab"
    program.write_text(f'#!/bin/sh\ncase "$*" in *vegas*) while :; do :; done;; esac\nexec {PROGRAM} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr("hunt.lab.LONGEST_RUN_S", 1)
    found = Lab(program, tmp_path / "runs.jsonl").figures([Run(SHORT, cc, True, 1) for cc in ("vegas", "cubic")])
    assert [one.cut_off for one in found] == [True, False]
