"""Zones and rate update: sections II-A and II-B, equations (1) to (4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .parameters import MAX_RATE, MIN_WINDOW_PACKETS, OVERWHELMING_LOSSES, Parameters
from .trend import Trend


def queueing(delta: float, transmission: float, p: Parameters) -> float:
    """DEVIATION: what of the mean relative one-way delay counts; waiting for the packet on the line is no queueing."""
    return max(0.0, delta - p.packet * transmission)


def zone(delta: float, lost: bool, trend: Trend, p: Parameters, overwhelmed: bool = False) -> int:
    """Zone 1, 2 or 3 of an epoch whose mean relative one-way delay is `delta` s (section II-A)."""
    if trend is Trend.INCREASING or delta > p.d2 or (lost and delta > p.d1) or overwhelmed:
        return 3
    if delta <= p.d1:
        return 1
    return 2


def alpha(delta: float, amin: float, amax: float, p: Parameters) -> float:
    """Equation (3): the increase of one epoch in zone 1, bit/s."""
    if delta <= p.d0:
        return amax
    return amin * amax * (p.d1 - p.d0) / (amax * (delta - p.d0) + amin * (p.d1 - delta))


def beta(delta: float, lost: bool, trend: Trend, p: Parameters, overwhelmed: bool = False) -> float | None:
    """Equation (4), first line that applies; `None` in zone 1, which has no decrease."""
    if (lost and delta > p.d1) or overwhelmed:
        return p.bmax
    if delta > p.d3:
        return p.bmax
    if trend is Trend.INCREASING:
        return p.bmin + (p.bmax - p.bmin) / p.d3 * delta
    in_zone = zone(delta, lost, trend, p)
    if in_zone == 2:
        return p.bmin + (p.bmid - p.bmin) / (p.d2 - p.d1) * (delta - p.d1)
    if in_zone == 3:
        # DEVIATION: starts at bmid, where line 4 ends; the printed equation starts again at bmin.
        return p.bmid + (p.bmax - p.bmid) / (p.d3 - p.d2) * (delta - p.d2)
    return None


def is_overwhelmed(lost: int, acked: int, p: Parameters) -> bool:
    """DEVIATION: loss beyond `losscap` is no random loss, whatever the delay."""
    return lost >= OVERWHELMING_LOSSES and lost > p.losscap * (lost + acked)


def clamp_rate(rate: float, packet_bytes: float, length: float) -> float:
    """R stays within [P / (4 L), 10 Gbit/s]."""
    return min(max(rate, 8.0 * packet_bytes / (4.0 * length)), MAX_RATE)


def window(rate: float, length: float, packet_bytes: int, p: Parameters, transmission: float = 0.0) -> int:
    """W = R (L + wextra + packet T) in bytes, rounded up to whole packets, at least two (section II-C). `length` is L,
    with what queues on the return path where the source can tell."""
    packets = math.ceil(rate * (length + p.wextra + p.packet * transmission) / 8.0 / packet_bytes)
    return max(packets, MIN_WINDOW_PACKETS) * packet_bytes


def initial_rate(packets: int, packet_bytes: int, length: float, p: Parameters) -> float:
    """r0, or else an initial window of so many packets per L."""
    rate = 8.0 * packets * packet_bytes / length if p.r0 is None else p.r0
    return clamp_rate(rate, packet_bytes, length)


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one ended epoch offers to the update."""

    delta: float
    """Mean relative one-way delay, less what `queueing` takes off, s."""
    lost: bool
    overwhelmed: bool
    trend: Trend
    rate: float
    """R before the update, bit/s."""
    length: float
    """L, s."""
    packet_bytes: int
    app_limited: bool
    startup: bool
    acked_rate: float
    """Acknowledged bits of the epoch over its duration, bit/s; only the end of the start-up needs it."""


@dataclass(frozen=True, slots=True)
class Update:
    """What the law makes of an epoch."""

    zone: int
    alpha: float | None
    beta: float | None
    rate: float
    """R after the update, bit/s."""
    startup: bool
    """Whether the start-up goes on."""

    @property
    def decreased(self) -> bool:
        return self.beta is not None


def update(e: Epoch, p: Parameters) -> Update:
    """The rate update at the end of an epoch that has samples."""
    if e.startup:
        return _update_startup(e, p)
    in_zone = zone(e.delta, e.lost, e.trend, p, e.overwhelmed)
    if in_zone == 1:
        amin, amax = p.increase_bounds(e.packet_bytes, e.length)
        up = 0.0 if e.app_limited else alpha(e.delta, amin, amax, p)
        return Update(1, up, None, clamp_rate(e.rate + up, e.packet_bytes, e.length), False)
    down = beta(e.delta, e.lost, e.trend, p, e.overwhelmed)
    assert down is not None
    return Update(in_zone, None, down, clamp_rate(e.rate * (1.0 - down), e.packet_bytes, e.length), False)


def _update_startup(e: Epoch, p: Parameters) -> Update:
    """Start-up (DEVIATION; the paper has none)."""
    in_zone = zone(e.delta, e.lost, e.trend, p, e.overwhelmed)
    if in_zone == 1 and not ends_startup(e.delta, p):
        rate = e.rate if e.app_limited else e.rate * p.startup
        return Update(1, None, None, clamp_rate(rate, e.packet_bytes, e.length), True)
    down = beta(e.delta, e.lost, e.trend, p, e.overwhelmed)
    down = p.bmin if down is None else down
    rate = (1.0 - down) * min(e.rate, e.acked_rate)
    return Update(in_zone, None, down, clamp_rate(rate, e.packet_bytes, e.length), False)


def ends_startup(delta: float, p: Parameters) -> bool:
    """A queueing delay that ends the start-up, and its epoch before L has passed."""
    return delta > 0.5 * p.d1
