"""The part of tests/vectors/hybrid.json that says when a path was interrupted, in epochs that are none of start-up and
that the application has not limited."""

from __future__ import annotations

from typing import Any

from qlog_analysis.hybrid import interruption, spec
from qlog_analysis.hybrid.dips import Dips

PACKET = 1250
USUAL: dict[str, Any] = {
    "options": "startup_gain=2.2",
    "duration_ms": 500.0,
    "length_ms": 40.0,
    "queue_ms": 10.0,
    "rate_bps": 1e7,
    "gap_ms": 2.0,
    "max_ack_delay_ms": 25.0,
    "lost": 30,
    "acked": 10,
}
"""118.5 ms are not long with these."""
CASES: tuple[dict[str, Any], ...] = (
    {},
    {"duration_ms": 118.4},
    {"duration_ms": 118.6},
    {"duration_ms": 118.6, "length_ms": 40.1},
    {"duration_ms": 118.6, "queue_ms": 10.1},
    {"duration_ms": 118.6, "gap_ms": 2.1},
    {"duration_ms": 118.6, "max_ack_delay_ms": 25.1},
    {"duration_ms": 97.6, "queue_ms": 0.0, "gap_ms": 0.0},
    {"duration_ms": 97.4, "queue_ms": 0.0, "gap_ms": 0.0},
    {"duration_ms": 193.4, "rate_bps": 4e5},  # four packets take 100 ms
    {"duration_ms": 193.6, "rate_bps": 4e5},
    {"lost": 0, "acked": 0},
    {"lost": 3, "acked": 0},
    {"lost": 4, "acked": 0},
    {"lost": 4, "acked": 35},
    {"lost": 4, "acked": 36},
    {"lost": 41, "acked": 359},
    {"lost": 40, "acked": 360},
    {"options": "without=excessive_loss", "acked": 0},
    {"options": "without=dips"},
    {"options": "without=contention"},
)


def build() -> list[dict[str, Any]]:
    return [_case({**USUAL, **changes}) for changes in CASES]


def _case(c: dict[str, Any]) -> dict[str, Any]:
    gap = c["gap_ms"] / 1e3
    back = Dips(queue=c["queue_ms"] / 1e3).usual(c["length_ms"] / 1e3, c["rate_bps"], PACKET, gap)
    usual = interruption.usual(back, gap, c["max_ack_delay_ms"] / 1e3)
    p = spec.parse(f"hybrid:{c['options']}")
    expect = interruption.is_interrupted(c["duration_ms"] / 1e3, usual, c["lost"], c["acked"], p)
    return {**c, "expect": expect}
