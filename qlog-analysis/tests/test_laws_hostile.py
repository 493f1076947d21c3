"""Values that no controller would write end in a verdict or a refusal, not in a crash."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

import msgspec
import pytest

import lab
import law_tampering as t
from qlog_analysis.check.run import check
from qlog_analysis.check.verdict import Outcome
from qlog_analysis.errors import AnalysisError, TraceError, UnsuitableTraceError
from qlog_analysis.events import LARGEST, PAPERS, PARAMETERS, UPDATES, ControllerParameters
from qlog_analysis.invariants.run import judge
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
    return [LARGEST, -1.0]


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
            assert kind == -1  # a negative size is no size: the trace cannot be read
            continue
        assert v.outcome is Outcome.FAIL, (spec, which, kind)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("place", [0.2, 0.52, 0.8])
def test_a_host_that_stood_still_is_no_crash(tmp_path: FilePath, spec: str, place: float) -> None:
    """All times from one record on are 100 s later."""
    some = lab.records(spec, *SHORT)
    for record in some[int(place * len(some)) :]:
        record["time"] += 1e5
    assert check(trace_of(tmp_path, some)).judged > 0


@pytest.mark.parametrize("spec", SPECS)
def test_numbers_beyond_the_largest_are_refused_by_name(tmp_path: FilePath, spec: str) -> None:
    some = lab.records(spec, *SHORT)
    data = next(r["data"] for r in reversed(t.updates(some)) if any(type(v) is float for v in r["data"].values()))
    for name in [name for name, value in data.items() if type(value) is float]:
        honest, data[name] = data[name], 1.7e308
        with pytest.raises(TraceError) as error:
            trace_of(tmp_path, some)
        assert f"{tmp_path / 'trace.sqlog'}: record " in str(error.value)
        assert f"_updated: Expected `float` <= {LARGEST:g} - at `$.{name}`" in str(error.value)
        data[name] = honest


@pytest.mark.parametrize("kind", [ControllerParameters, *PARAMETERS.values(), *UPDATES.values(), *PAPERS.values()])
def test_no_number_of_a_report_is_without_bounds(kind: type) -> None:
    """What is computed from any two of them has to remain finite, whatever a field that is added is for."""
    kinds = msgspec.inspect.type_info(kind)
    assert isinstance(kinds, msgspec.inspect.StructType)
    for field in kinds.fields:
        alternatives = field.type.types if isinstance(field.type, msgspec.inspect.UnionType) else (field.type,)
        for some in alternatives:
            if isinstance(some, msgspec.inspect.FloatType):
                assert some.le == LARGEST, field.name
                assert some.ge in (0.0, -LARGEST), field.name


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


def test_an_update_before_the_first_round_trip_is_a_disagreement(tmp_path: FilePath) -> None:
    some = lab.records("rrr", *SHORT)
    first = t.updates(some)[0]
    early = {**first, "data": {**first["data"], "cause": "persistent_congestion"}}
    acks = (r for r in named(some, "quic:packet_received") if r["data"]["header"]["packet_type"] == "initial")
    place = some.index(next(acks)) + 1
    some.insert(place, {**early, "time": some[place - 1]["time"]})
    assert check(trace_of(tmp_path, some)).outcome is Outcome.FAIL


@pytest.mark.parametrize("spec", SPECS)
def test_round_trips_of_no_time_are_no_crash(tmp_path: FilePath, spec: str) -> None:
    some = lab.records(spec, *SHORT)
    for r in some[1:]:
        r["time"] = 0.0
    assert check(trace_of(tmp_path, some)).outcome is Outcome.FAIL


def test_metrics_that_begin_late_are_no_crash(tmp_path: FilePath) -> None:
    some = lab.records("smallq", "link.there.outages=1s..3s", "duration=5s")
    late = [r for r in some if r.get("name") != "quic:recovery_metrics_updated" or r["time"] > some[-1]["time"] - 1.0]
    judged = {j.invariant.name: j for j in judge(trace_of(tmp_path, late))}
    assert judged["persistent congestion"].judged.cases == 0
