"""Clocks that run at other speeds: the skew of the peer's clock measured, followed, and checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as FilePath

import pytest

import lab
import tampering
from qlog_analysis.check.verdict import Outcome
from qlog_analysis.measure.skew import TICKS, Skew
from traces import Tamper, assert_refused, epochs, verdict_of
from tracewriter import Json

SPEC = "hybrid"
LONG = ("duration=16s", "link.there.rate=2Mbps")


def gain_ppm(seconds: int, delays_us: Callable[[int], tuple[int, int]]) -> float:
    """What the clock is taken to gain after so many seconds with these delays each way."""
    skew = Skew(part=1.0, origin=0.0)
    for at in range(seconds):
        forward, back = delays_us(at)
        skew.part_over(at, forward * 1e-6, (forward + back) * 1e-6)
    return skew.gain * TICKS * 1e6


@pytest.mark.parametrize("ppm", [-200, -30, 0, 30, 200])
def test_a_clock_is_known_by_what_it_does_to_both_ways(ppm: int) -> None:
    assert gain_ppm(2, lambda at: (50_000 + ppm * at, 20_000 - ppm * at)) == 0.0
    assert gain_ppm(20, lambda at: (50_000 + ppm * at, 20_000 - ppm * at)) == pytest.approx(ppm)


def test_queues_and_routes_are_no_clock() -> None:
    assert gain_ppm(20, lambda at: (50_000 + 300 * at, 20_000)) == 0.0
    assert gain_ppm(20, lambda at: (50_000, 20_000 + 300 * at)) == 0.0
    assert gain_ppm(20, lambda at: (50_000 - 300 * at, 20_000 - 300 * at)) == 0.0


def test_a_slow_clock_shows_although_the_controller_holds_the_way_there_still() -> None:
    assert gain_ppm(20, lambda at: (50_000 - 60 * at, 20_000 + 100 * at)) == pytest.approx(-100.0)
    assert gain_ppm(20, lambda at: (50_000 - 40 * at, 20_000 + 100 * at)) == pytest.approx(-80.0)


@pytest.mark.parametrize("by", [3_000, -3_000])
def test_a_clock_that_was_set_is_no_other_speed(by: int) -> None:
    for seconds in range(9, 20):
        assert gain_ppm(seconds, lambda at: (50_000 + by * (at >= 8), 20_000 - by * (at >= 8))) == 0.0


def clocked(clock: str, *, spec: str = SPEC) -> list[Json]:
    return lab.records(spec, f"flow.main.clock={{ {clock} }}", *LONG)


CLOCKS = [
    *(f"drift_ppm = {ppm}" for ppm in (-300, -40, 40, 300)),
    'steps = [{ at = "6s", by = "3ms" }]',
    'drift_ppm = 50, steps = [{ at = "6s", by = "-3ms" }]',
]


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_connection_to_such_a_peer_passes(tmp_path: FilePath, clock: str) -> None:
    some = clocked(clock)
    assert len(epochs(some)) > 200
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()


def told(ppm: float | None) -> Tamper:
    """From an epoch in the middle on."""

    def tamper(some: list[Json]) -> None:
        for e in epochs(some)[150:]:
            e["skew"] = ppm

    return tamper


CASES: dict[str, tuple[Tamper, set[str]]] = {
    "without clock_skew": (tampering.parameter("without", "clock_skew"), {"parameters"}),
    "without clock_skew with its option": (tampering.left_out("clock_skew"), {"delta", "skew"}),
    "another speed": (told(310.0), {"skew"}),
    "no speed": (told(None), {"skew"}),
}


@pytest.mark.parametrize(("tamper", "laws"), CASES.values(), ids=list(CASES))
def test_a_falsified_trace_fails(tmp_path: FilePath, tamper: Tamper, laws: set[str]) -> None:
    assert_refused(tmp_path, lambda: clocked("drift_ppm = 300"), tamper, laws)


def test_minima_that_did_not_follow_are_found(tmp_path: FilePath) -> None:
    some = clocked("drift_ppm = 300", spec=f"{SPEC}:without=clock_skew")
    assert verdict_of(tmp_path, some).outcome is Outcome.PASS
    tampering.left_out("none")(some)
    assert "delta" in {f.law for f in verdict_of(tmp_path, some).findings}
