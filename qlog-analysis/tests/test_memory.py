"""How much memory a trace takes grows slowly with its size."""

from __future__ import annotations

from pathlib import Path

import pytest

import lab
from qlog_analysis.metrics import measure, measure_alone
from speed import MB, SPECS, make, memory
from traces import SLOW, records, trace_of

SHORT, LONG = 2.0, 8.0
"""s; of the download. The short one takes what every trace does: the interpreter, libraries, a block, a window."""
MOST = 0.2
"""Of the size of what is more. Packed columns of a trace are 0.04 to 0.06 of it, and those that a figure is computed
from are of 8 bytes per packet, 0.007 of it each; eight of them are needed at a time. Before columns were packed and
taken in windows it was 0.8."""


@pytest.mark.parametrize("spec", SPECS)
def test_metrics_take_a_fifth_of_what_a_trace_is_longer(tmp_path: Path, spec: str) -> None:
    traces = []
    for seconds in (SHORT, LONG):
        (tmp_path / str(seconds)).mkdir()
        traces.append(make(lab.program(), spec, seconds, tmp_path / str(seconds)))
    size, taken = ([f(path) for path in traces] for f in (lambda path: path.stat().st_size / MB, memory))
    growth = (taken[1] - taken[0]) / (size[1] - size[0])
    assert growth < MOST, f"{taken[0]:.0f} MB for {size[0]:.0f} MB, {taken[1]:.0f} MB for {size[1]:.0f} MB"


def test_figures_are_the_same_without_the_columns_that_none_needs(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, records(SLOW, 3.0))
    assert measure(trace) == measure_alone(trace)
