"""What sources are told is held against what epochs have shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

import pytest

import lab
from qlog_analysis.check.verdict import Outcome
from traces import named, verdict_of
from tracewriter import Json

STEADY = ("link.there.rate=4Mbps", "duration=3s")
OUTAGE = ("link.there.rate=3Mbps", "duration=7s", "link.there.outages=2s..4s")
ANSWERS = (
    "link.there.rate=6Mbps",
    "duration=4s",
    'flow.main.traffic={ kind = "requests", objects = 1, parallel = 1, size = 30000, spread = 0.5, think = "60ms" }',
)
JITTER = ("link.there.rate=4Mbps", "duration=3s", "link.there.jitter=uniform:min=0ms,max=4ms,order=keep")
BESIDE = (
    "link.there.rate=2Mbps",
    "duration=10s",
    "flow.main.rtt=50ms",
    "flow.neighbour.start=2s",
    "flow.neighbour.stop=9s",
)


def told(some: list[Json]) -> list[Json]:
    """The data of all estimates with a target."""
    return [r["data"] for r in named(some, "cc:estimate_updated") if r["data"]["target"] is not None]


def fields(folder: FilePath, some: list[Json]) -> set[str]:
    """That do not hold."""
    return {f.message.split()[0] for f in verdict_of(folder, some).findings if f.law == "estimate"}


@pytest.mark.parametrize("more", [(), ("flow.main.timestamps=false",)], ids=["timestamps", "none"])
@pytest.mark.parametrize("path", [STEADY, OUTAGE, ANSWERS, JITTER], ids=["steady", "outage", "answers", "jitter"])
def test_what_is_told_holds(tmp_path: FilePath, path: tuple[str, ...], more: tuple[str, ...]) -> None:
    some = lab.records("hybrid", *path, *more)
    assert len(told(some)) > 3
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()


def test_a_share_that_is_held_is_told(tmp_path: FilePath) -> None:
    some = lab.records("hybrid", *BESIDE, scenario="neighbour")
    assert any(e["state"] == "contended" for e in told(some))
    assert fields(tmp_path, some) == set()


def test_an_interruption_is_told(tmp_path: FilePath) -> None:
    some = lab.records("hybrid", *OUTAGE)
    of_state = [r["data"] for r in named(some, "cc:estimate_updated") if r["data"]["state"] == "interrupted"]
    assert of_state
    of_state[0]["state"] = "startup"
    assert fields(tmp_path, some) == {"state"}


@pytest.mark.parametrize(
    ("field", "change", "found"),
    [
        ("target", lambda x: 1.01 * x, {"target"}),
        ("target", lambda x: 0.99 * x, {"target"}),
        ("target", lambda _: None, {"target"}),
        ("least", lambda x: 0.999 * x, {"least"}),
        ("least", lambda _: None, {"least"}),
        ("most", lambda x: 1.001 * x, {"most"}),
        ("most", lambda _: None, {"most"}),
        ("most", lambda _: 1.0, {"most"}),
        ("queueing_delay", lambda x: x + 0.00001, {"queueing_delay"}),
        ("queueing_delay", lambda _: None, {"queueing_delay"}),
        ("evidence_age", lambda x: x + 0.01, {"evidence_age"}),
        ("state", lambda _: "contended", {"state"}),
    ],
)
def test_what_is_told_otherwise_is_found(
    tmp_path: FilePath, field: str, change: Callable[[Any], Any], found: set[str]
) -> None:
    some = lab.records("hybrid", *STEADY)
    at_ends = {r["time"] for r in named(some, "cc:hybrid_epoch_updated")}
    one = next(
        r["data"]
        for r in named(some, "cc:estimate_updated")[4:]
        if r["time"] in at_ends and r["data"]["most"] is not None
    )
    one[field] = change(one[field])
    assert fields(tmp_path, some) >= found


def test_a_finding_names_what_was_told_and_what_was_expected(tmp_path: FilePath) -> None:
    some = lab.records("hybrid", *STEADY)
    one = told(some)[3]
    was, one["queueing_delay"] = one["queueing_delay"], 77.0
    (finding,) = verdict_of(tmp_path, some).findings
    assert (finding.law, finding.message) == ("estimate", f"queueing_delay 77 told, expected {was:.10g} ms")


def messages(folder: FilePath, some: list[Json]) -> set[str]:
    """Of estimates that do not hold, up to the first colon."""
    return {f.message.split(":")[0] for f in verdict_of(folder, some).findings if f.law == "estimate"}


@pytest.mark.parametrize("kept", [0, 1, 4], ids=["never", "once", "later-no-more"])
def test_an_estimate_that_is_not_told_is_found(tmp_path: FilePath, kept: int) -> None:
    some = lab.records("hybrid", *STEADY)
    of_end = {r["time"] for r in named(some, "cc:hybrid_epoch_updated")}
    told_at_ends = [r for r in named(some, "cc:estimate_updated") if r["time"] in of_end]
    left_out = [id(r) for r in told_at_ends[kept:]]
    assert messages(tmp_path, [r for r in some if id(r) not in left_out]) == {"not told"}


def test_another_state_has_to_be_told(tmp_path: FilePath) -> None:
    some = lab.records("hybrid", *BESIDE, scenario="neighbour")
    contended = next(r for r in named(some, "cc:estimate_updated") if r["data"]["state"] == "contended")
    assert "not told" in messages(tmp_path, [r for r in some if r is not contended])


def test_what_is_no_news_is_not_told(tmp_path: FilePath) -> None:
    some = lab.records("hybrid", *STEADY)
    one = named(some, "cc:estimate_updated")[5]
    some.insert(some.index(one) + 1, one)
    assert messages(tmp_path, some) == {"told although it is no news"}
