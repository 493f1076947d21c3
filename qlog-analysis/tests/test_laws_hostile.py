"""Values that no controller would write end in a verdict or a refusal, not in a crash."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

import pytest

import lab
import law_tampering as t
from qlog_analysis.check.run import check
from qlog_analysis.check.verdict import Outcome
from qlog_analysis.errors import AnalysisError, UnsuitableTraceError
from traces import named, trace_of

SHORT = ("link.there.rate=2Mbps", "link.there.buffer=10p", "link.there.loss=3%", "duration=1.2s")
SPECS = ("smallq", "vegas", "rrr", "raimd")


def absurd(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        return ["", "x" * 10_000]
    if isinstance(value, int):
        return [value + 977, 2**62 - 1]
    return [1e300, -1.0]


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("spec", SPECS)
def test_absurd_values_are_disagreements_not_crashes(tmp_path: FilePath, spec: str, which: int) -> None:
    """All fields of one update, at the start and in the middle, one kind of absurdity after the other."""
    for kind in (0, -1):
        some = lab.records(spec, *SHORT)
        updates = t.updates(some)
        data = updates[which * len(updates) // 2]["data"]
        data.update({name: absurd(value)[kind] for name, value in data.items() if value is not None})
        try:
            v = check(trace_of(tmp_path, some))
        except AnalysisError:
            continue  # a negative size is no size: the trace cannot be read
        assert v.outcome is Outcome.FAIL, (spec, which, kind)


@pytest.mark.parametrize("spec", SPECS)
def test_zeros_are_disagreements_not_crashes(tmp_path: FilePath, spec: str) -> None:
    some = lab.records(spec, *SHORT)
    for r in t.updates(some)[2:]:
        r["data"].update({k: 0 for k, v in r["data"].items() if type(v) in (int, float) and k != "update"})
    assert check(trace_of(tmp_path, some)).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("spec", "name", "value"),
    [
        ("smallq", "pacing", 0.0),
        ("vegas", "basewin", 0.0),
        ("rrr", "growth", 0.0),
        ("rrr", "xtlim", 0.0),
        ("raimd", "history", 0),
        ("raimd", "beta", 1.0),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(tmp_path: FilePath, spec: str, name: str, value: float) -> None:
    some = lab.records(spec, *SHORT)
    named(some, "cc:parameters_set")[0]["data"]["parameters"][name] = value
    with pytest.raises(UnsuitableTraceError, match=rf"trace.sqlog: record .*{name} is {value:g}, expected"):
        check(trace_of(tmp_path, some))
