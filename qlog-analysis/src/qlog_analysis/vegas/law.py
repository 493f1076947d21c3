"""The window after a round trip and after slow start: docs/papers/vegas.md. Sizes in bytes, times in s."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..events import VegasParameters
from ..newreno import floor_of

DAY_MS = 86_400_000.0

DEFAULT: dict[str, object] = {
    "alpha": 2.0,
    "beta": 4.0,
    "gamma": 1.0,
    "slowstart": "each",
    "rtt": "min",
    "basewin": DAY_MS,
    "pacing": 1.5,
    "ssthresh": None,
}
PROFILES: dict[str, dict[str, object]] = {
    "default": DEFAULT,
    "paper": {"alpha": 1.0, "beta": 3.0, "slowstart": "other", "rtt": "mean", "pacing": 4.0},
}

RANGES: dict[str, tuple[float, float]] = {
    "alpha": (0.0, 1e4),
    "beta": (0.0, 1e4),
    "gamma": (0.0, 1e4),
    "basewin": (1e3, DAY_MS),
    "pacing": (1.0, 4.0),
    "ssthresh": (0.0, 1e6),
}

SLOW_START_SAMPLES = 8
"""Samples after which slow start is judged before the round trip is over (RFC 9406)."""


@dataclass(frozen=True, slots=True)
class Path:
    """What a round trip has shown."""

    rtt: float
    base: float

    def diff(self, window: float, packet: int) -> float:
        """Packets of a window that wait."""
        return window * (self.rtt - self.base) / (self.rtt * packet)


def before(last: float, threshold: float, counted: int, growing: bool, packet: int) -> float:
    """w as slow start, if it grew, has left it since the last update."""
    grown = min(last + counted, threshold) if growing and last < threshold else last
    return floor_of(grown, packet)


def steps(diff: float, slack: float, p: VegasParameters) -> set[int]:
    """Packets more or less for what waits; more than one where rounding decides."""
    return {_step(d, p) for d in (diff - slack, diff + slack)}


def _step(diff: float, p: VegasParameters) -> int:
    return 1 if diff < p.alpha else -1 if diff > p.beta else 0


def avoided(window: float, step: int, counted: int, packet: int) -> float:
    """Congestion avoidance: w gains no more than the bytes that counted."""
    return floor_of(window + min(step * packet, counted), packet)


def left(window: float, arrived: float | None, path: Path, packet: int) -> float:
    """Slow start is left for what comes back, in bit/s, in the smallest RTT, and a packet more."""
    by_rate = math.inf if arrived is None else arrived * path.base / 8.0
    carried = min(by_rate, window * path.base / path.rtt)
    return floor_of(min(window, carried + packet), packet)
