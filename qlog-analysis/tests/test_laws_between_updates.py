"""What a sender reports between two updates is the law's as well; so is what it says of itself beside its updates."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

import lab
import law_tampering as t
from invariant_tampering import METRICS
from qlog_analysis.check.run import check
from qlog_analysis.errors import UnsuitableTraceError
from qlog_analysis.invariants.invariant import Outcome
from qlog_analysis.invariants.run import judge
from traces import Tamper, named, trace_of
from tracewriter import Json

PATH = ("link.there.rate=8Mbps", "duration=3s")


def told_between_updates(some: list[Json], field: str) -> None:
    """A field of quiche's metrics is far larger where nothing was updated."""
    times = {r["time"] for r in t.updates(some)}
    for r in named(some, METRICS):
        if r["time"] > 500.0 and r["time"] not in times and "smoothed_rtt" in r["data"]:
            r["data"][field] = 3 * r["data"].get(field, 1_000_000_000)


# With few packets per measurement rrr updates at every ACK.
@pytest.mark.parametrize("spec", ["raimd", "rrr:n=1000", "vegas"])
@pytest.mark.parametrize("field", ["pacing_rate", "congestion_window"])
def test_another_rate_or_window_between_updates_is_found(tmp_path: FilePath, spec: str, field: str) -> None:
    some = lab.records(spec, *PATH)
    told_between_updates(some, field)
    assert field in {f.law for f in check(trace_of(tmp_path, some)).findings if f.number is None}


@pytest.mark.parametrize("spec", ["hybrid", "smallq", "vegas"])
@pytest.mark.parametrize("told_ms", [0.0, 0.5, 1000.0])
def test_another_ack_delay_than_the_peers_is_found(tmp_path: FilePath, spec: str, told_ms: float) -> None:
    some = lab.records(spec, *PATH)
    for r in named(some, "cc:parameters_set"):
        r["data"]["max_ack_delay"] = told_ms
    findings = check(trace_of(tmp_path, some)).findings
    assert any(f.law == "parameters" and "max_ack_delay" in f.message for f in findings)


def replaced(some: list[Json]) -> None:
    """As where a rule of a server replaces its default as soon as the request is known."""
    place = next(i for i, r in enumerate(some) if r.get("name") == "cc:parameters_set")
    event = some[place]
    first = {**event, "data": {**event["data"], "controller": "hybrid", "spec": "hybrid"}}
    others = next(r for r in lab.records("hybrid", *PATH) if r.get("name") == "cc:parameters_set")
    first["data"]["parameters"] = others["data"]["parameters"]
    chosen = {"spec": event["data"]["spec"], "rule": "path", "server_name": None, "path": "/", "client": "192.0.2.1"}
    some[place:place] = [first, {**event, "name": "cc:controller_chosen", "data": chosen}]


def test_the_controller_that_a_rule_replaced_is_not_the_one_that_is_judged(tmp_path: FilePath) -> None:
    some = lab.records("vegas", *PATH)
    replaced(some)
    trace = trace_of(tmp_path, some)
    assert trace.controller == "vegas"
    with pytest.raises(UnsuitableTraceError, match="a server's rule replaced the controller 'hybrid' by 'vegas'"):
        check(trace)


def grows_below_its_peak(some: list[Json]) -> None:
    """From the first loss on the window only grows, but never to what it was at most."""
    peak, now, lost = 0, 0, False
    for r in named(some, METRICS):
        window = r["data"].get("congestion_window", 0)
        lost = lost or r["data"].get("cf_lost_packets", {"total": 0})["total"] > 0
        if not lost:
            peak = max(peak, window)
        elif window:
            now = min((now or peak // 2) + 200, peak - 1)
            r["data"]["congestion_window"] = now


def more_lost_than_sent(some: list[Json]) -> None:
    """From some time on."""
    for r in named(some, METRICS):
        if r["time"] > 4000.0 and "cf_lost_packets" in r["data"]:
            r["data"]["cf_lost_packets"]["total"] += 5000


CASES: dict[str, tuple[str, Tamper, str]] = {
    "a window that grows below its peak answers no loss": ("cubic", grows_below_its_peak, "loss"),
    "more losses counted than packets": ("cubic", more_lost_than_sent, "in flight"),
}


@pytest.mark.parametrize(("spec", "tamper", "invariant"), CASES.values(), ids=CASES.keys())
def test_without_equations_an_invariant_finds_it(tmp_path: FilePath, spec: str, tamper: Tamper, invariant: str) -> None:
    some = lab.records(spec, "link.there.loss=1%", "link.there.rate=8Mbps", "duration=8s")
    tamper(some)
    failed = {j.invariant.name for j in judge(trace_of(tmp_path, some)) if j.outcome is Outcome.FAIL}
    assert invariant in failed


@pytest.mark.parametrize("spec", ["vegas", "raimd", "smallq"])
def test_round_trips_are_those_of_packets_and_not_those_that_are_told(tmp_path: FilePath, spec: str) -> None:
    some = lab.records(spec, "link.there.outages=2s..3.2s", "duration=6s")
    for r in named(some, METRICS):
        for name in ("min_rtt", "smoothed_rtt", "latest_rtt"):
            if name in r["data"]:
                r["data"][name] /= 50.0
        if r["time"] > 3000.0 and "congestion_window" in r["data"]:
            r["data"]["congestion_window"] = max(r["data"]["congestion_window"], 60_000)
        if r["time"] > 3000.0 and "pacing_rate" in r["data"]:
            r["data"]["pacing_rate"] = max(r["data"]["pacing_rate"], 3_000_000)
    failed = {j.invariant.name for j in judge(trace_of(tmp_path, some)) if j.outcome is Outcome.FAIL}
    assert "persistent congestion" in failed
