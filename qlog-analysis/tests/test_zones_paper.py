"""The paper's controller in whole connections: what only receive timestamps, return paths and outages show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as FilePath

import pytest

import lab
from qlog_analysis.check.verdict import Outcome
from tampering_additions import Choice, shifted, where
from traces import Tamper, assert_refused, epochs, named, verdict_of
from tracewriter import Json

SPEC = "hybrid:paper,amin=100kbps,amax=200kbps"
NARROW = ("link.back.rate=150kbps", "link.there.jitter=uniform:min=0ms,max=4ms,order=free", "duration=4s")
OUTAGE = ("duration=6s", "link.there.outages=3s..3.6s")


def narrow() -> list[Json]:
    return lab.records(SPEC, *NARROW)


def outage() -> list[Json]:
    return lab.records(SPEC, *OUTAGE)


def by_receive_times(e: Json, before: Json) -> bool:
    both = e["source"] == before["source"] == "receive_timestamps"
    return bool(both and e["zone"] == 1 and e["alpha"] and e["epoch"] > 20)


def interrupts(e: Json, _: Json) -> bool:
    return bool(e["outcome"] == "interrupted")


def decreases(e: Json, _: Json) -> bool:
    return e["beta"] is not None


def quiches_window(some: list[Json]) -> None:
    """One packet more, while the window contains what queues on the way back."""
    written = [r for r in named(some, "quic:recovery_metrics_updated") if "congestion_window" in r["data"]]
    written[len(written) // 2]["data"]["congestion_window"] += 1350


def state_of_another_zone(some: list[Json]) -> None:
    named(some, "quic:congestion_state_updated")[-1]["data"]["new"] = "startup"


Case = tuple[Callable[[], list[Json]], Tamper, set[str]]
CASES: dict[str, Case] = {
    "another source": (narrow, where(by_receive_times, source="ack"), {"source"}),
    "delta 7 us higher": (narrow, shifted(by_receive_times, "delta", 0.007), {"delta"}),
    "a smaller window": (narrow, shifted(by_receive_times, "window", -2700), {"window", "congestion_window"}),
    "the window that quiche wrote": (narrow, quiches_window, {"congestion_window"}),
    "the state that quiche wrote": (narrow, state_of_another_zone, {"state"}),
    "a gentler decrease": (narrow, shifted(decreases, "beta", -0.01), {"beta"}),
    "another d3": (narrow, where(decreases, d3=50.0), {"thresholds"}),
    "an interruption denied": (outage, where(interrupts, outcome=None), {"outcome"}),
    "another outcome": (outage, where(interrupts, outcome="contended"), {"outcome"}),
    "a rate that goes on": (outage, where(interrupts, rate_after=3e6), {"rate"}),
    "no losses": (outage, where(interrupts, lost=0), {"lost", "lost_total"}),
    "fewer losses in all": (outage, shifted(interrupts, "lost_total", -1), {"lost_total"}),
    "an invented interruption": (outage, where(decreases, outcome="interrupted"), {"outcome"}),
}


@pytest.mark.parametrize(("make", "tamper", "laws"), CASES.values(), ids=CASES)
def test_a_falsified_trace_fails(
    tmp_path: FilePath, make: Callable[[], list[Json]], tamper: Tamper, laws: set[str]
) -> None:
    assert_refused(tmp_path, make, tamper, laws)


@pytest.mark.parametrize("stamps", ["true", "false"])
@pytest.mark.parametrize("path", [NARROW, OUTAGE, (*OUTAGE, "link.there.loss=2%")])
def test_connections_pass(tmp_path: FilePath, path: tuple[str, ...], stamps: str) -> None:
    v = verdict_of(tmp_path, lab.records(SPEC, *path, f"flow.main.timestamps={stamps}"))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_they_visit_what_the_checker_decides_on() -> None:
    choices: tuple[Choice, ...] = (by_receive_times, decreases)
    for choice in choices:
        assert any(choice(e, e) for e in epochs(narrow())), choice.__name__
    for choice in (interrupts, decreases):
        assert any(choice(e, e) for e in epochs(outage())), choice.__name__
    window, pure = epochs(narrow())[-1]["window"], epochs(narrow())[-1]
    assert window > pure["rate_after"] * pure["length"] / 8e3 + 2700, "the way back does not queue"
