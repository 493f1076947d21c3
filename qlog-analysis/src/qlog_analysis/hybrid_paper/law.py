"""Zones and rate update: sections II-A and II-B, equations (1) to (4)."""

from __future__ import annotations

from dataclasses import dataclass

from ..zones import rate as rates
from .parameters import Parameters
from .trend import Trend

INTERRUPTED = "interrupted"
"""The outcome of an epoch with persistent congestion."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one ended epoch offers to the update."""

    delta: float
    """Mean relative one-way delay, not below 0, s."""
    lost: bool
    trend: Trend
    rate: float
    """R before the update, bit/s."""
    length: float
    """L, s."""
    packet_bytes: int
    app_limited: bool
    interrupted: bool = False
    """Whether it showed persistent congestion."""

    def loses(self, p: Parameters) -> bool:
        """Whether it lost packets to a queue."""
        return self.lost and self.delta > p.d1


@dataclass(frozen=True, slots=True)
class Update:
    """What the law makes of an epoch."""

    zone: int | None
    alpha: float | None
    beta: float | None
    rate: float
    """R after the update, bit/s."""


def zone(e: Epoch, p: Parameters) -> int:
    """Zone 1, 2 or 3 (section II-A)."""
    if e.trend is Trend.INCREASING or e.delta > p.d2 or e.loses(p):
        return 3
    return 1 if e.delta <= p.d1 else 2


def beta(e: Epoch, p: Parameters) -> float:
    """Equation (4) in zones 2 and 3, first line that applies."""
    if e.loses(p) or e.delta > p.d3:
        return p.bmax
    if e.trend is Trend.INCREASING:
        return p.bmin + (p.bmax - p.bmin) / p.d3 * e.delta
    if zone(e, p) == 2:
        return p.bmin + (p.bmid - p.bmin) / (p.d2 - p.d1) * (e.delta - p.d1)
    # DEVIATION: starts at bmid, where line 4 ends; the printed equation starts again at bmin.
    return p.bmid + (p.bmax - p.bmid) / (p.d3 - p.d2) * (e.delta - p.d2)


def update(e: Epoch, p: Parameters) -> Update:
    """Equation (2), at the end of an epoch that has samples."""
    in_zone = zone(e, p)
    if e.interrupted:
        return Update(in_zone, None, None, rates.restarted(e.rate, e.length, e.packet_bytes))
    if in_zone == 1:
        up = 0.0 if e.app_limited else rates.alpha(e.delta, p.amin, p.amax, p.d0, p.d1)
        return Update(1, up, None, rates.clamp_rate(e.rate + up, e.packet_bytes, e.length))
    down = beta(e, p)
    return Update(in_zone, None, down, rates.clamp_rate(e.rate * (1.0 - down), e.packet_bytes, e.length))


def without_samples(rate: float, length: float, packet_bytes: int, *, interrupted: bool) -> Update:
    """An epoch without samples changes nothing, unless it showed persistent congestion."""
    after = rates.restarted(rate, length, packet_bytes) if interrupted else rate
    return Update(None, None, None, after)


def window(rate: float, length: float, packet_bytes: int) -> int:
    """Equation (1), W = R L in bytes. DEVIATION: `length` is L with what queues on the return path."""
    return rates.window(rate * length, packet_bytes)
