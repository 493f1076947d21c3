"""Invariants judge window by window: how long the windows are changes no verdict."""

from __future__ import annotations

import json
from pathlib import Path as FilePath

import pytest

import lab
import qlog_analysis.metrics.windows
from qlog_analysis.invariants import seen
from qlog_analysis.invariants.run import judge
from qlog_analysis.measure import lost_data
from qlog_analysis.model import Trace
from qlog_analysis.zones import backlog
from test_invariants_falsified import CASES, HEAVY, LOSSY, OUTAGE, PAUSES
from traces import trace_of

PACKETS = 7
"""In a window."""
HONEST = {
    "losses": ("cubic", LOSSY),
    "many losses": ("hybrid", HEAVY),
    "an interruption": ("cubic", OUTAGE),
    "a source that pauses": ("hybrid", (*PAUSES, "flow.main.timestamps=false")),
    "pages": ("vegas", ('flow.main.traffic={ kind = "on_off", on = "50ms", off = "90ms", rate = "9Mbps" }', *LOSSY)),
}


def verdicts(trace: Trace) -> str:
    return json.dumps([j.to_json() for j in judge(trace)])


def assert_same_in_short_windows(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, waits = verdicts(trace), _waits(trace)
    monkeypatch.setattr(qlog_analysis.metrics.windows, "WINDOW", PACKETS)
    monkeypatch.setattr(backlog, "WINDOW", PACKETS)
    for module in (lost_data, seen):
        monkeypatch.setattr(module, "PART", 3 * PACKETS)
    assert verdicts(trace) == whole
    assert _waits(trace) == waits


def _waits(trace: Trace) -> tuple[list[int], bytes]:
    records, waits = backlog.Backlog(trace)._moments
    return list(records), bytes(waits)


@pytest.mark.parametrize("name", HONEST)
def test_of_an_honest_sender(tmp_path: FilePath, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, values = HONEST[name]
    assert_same_in_short_windows(trace_of(tmp_path, lab.records(spec, *values)), monkeypatch)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] if i % 3 else []) for i, name in enumerate(CASES)]
)
def test_of_a_falsified_trace(tmp_path: FilePath, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, spec, values, tamper = CASES[name]
    some = lab.records(spec, *values)
    tamper(some)
    assert_same_in_short_windows(trace_of(tmp_path, some), monkeypatch)
