"""How much memory a trace takes grows slowly with its size."""

from __future__ import annotations

from pathlib import Path

import pytest

import lab
from qlog_analysis.metrics import measure, measure_alone
from speed import MB, SPECS, make, memory
from traces import SLOW, records, trace_of

LONG = [pytest.param(spec, (2.0, 8.0), id=spec, marks=pytest.mark.nightly) for spec in SPECS]
CASES = [pytest.param(SPECS[0], (2.0, 4.0), id="small"), *LONG]
"""Of a download, which lasts for so many seconds. The shorter one takes what every trace does: the interpreter,
libraries, a block, a window."""
MOST = {"metrics": 0.15, "check": 0.15, "explain": 0.15}
"""Of the size of what is more. Packed columns of a trace are about 0.01 of it, and one of 8 bytes per packet is
0.007. Figures of `metrics`, which `explain` has too, need five of these at a time, equations of controllers two, and
invariants two. With nothing packed and nothing taken in windows it was 0.8, 1.3 and 0.7; with everything as columns
`explain` had 0.3."""
OF_A_PICTURE = {"explain": ("--html",), "report": ("--out",)}
MOST_OF_A_PICTURE = 300.0
"""MB. A page holds up to 200,000 points of each line, which the longest trace nearly has."""


@pytest.mark.parametrize(("spec", "lasts"), CASES)
def test_memory_grows_by_a_share_of_what_a_trace_is_longer(
    tmp_path: Path, spec: str, lasts: tuple[float, float]
) -> None:
    traces = []
    for seconds in lasts:
        (tmp_path / str(seconds)).mkdir()
        traces.append(make(lab.program(), spec, seconds, tmp_path / str(seconds)))
    size = [path.stat().st_size / MB for path in traces]
    for command, most in MOST.items():
        taken = [memory(path, command) for path in traces]
        growth = (taken[1] - taken[0]) / (size[1] - size[0])
        told = f"{command}: {taken[0]:.0f} MB for {size[0]:.0f} MB, {taken[1]:.0f} MB for {size[1]:.0f} MB"
        assert growth < most, told


@pytest.mark.parametrize(("spec", "lasts"), LONG)
def test_memory_of_a_picture_is_bounded(tmp_path: Path, spec: str, lasts: tuple[float, float]) -> None:
    trace, page = make(lab.program(), spec, lasts[1], tmp_path), str(tmp_path / "page.html")
    for command, option in OF_A_PICTURE.items():
        assert memory(trace, command, *option, page) < MOST_OF_A_PICTURE


def test_figures_are_the_same_without_the_columns_that_none_needs(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, records(SLOW, 3.0))
    assert measure(trace) == measure_alone(trace)
