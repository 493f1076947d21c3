"""How evenly packets leave: gaps against the pacing rate, and bursts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from .distribution import Distribution
from .held_back import Gaps, Hold, pace_of
from .observed import Observed

BURST = 10
"""Packets; RFC 9002 section 7.7 wants no burst beyond the initial window, which is this many (section 7.2)."""
AT_ONCE = 0.25
"""A packet belongs to a burst if it leaves in less than this share of the time that the one before takes at the pacing
rate,"""
AT_ONCE_UNPACED = 1e-4
"""s; or within this, where no rate is known."""


@dataclass(frozen=True, slots=True)
class Pacing:
    """Of ack-eliciting packets of the application packet number space."""

    gap_ms: Distribution
    """From one packet to the next."""
    gap_over_pacing: Distribution
    """The same over what the first one takes at the pacing rate, where neither window, receiver nor application held
    the next one back. No samples without a pacing rate."""
    bursts: int
    """Of more than ten packets."""
    bytes_in_bursts_percent: float | None
    """Of all bytes."""
    largest_burst_packets: int
    largest_burst_bytes: int | None


def pacing_of(o: Observed, gaps: Gaps) -> Pacing | None:
    """None with fewer than two packets."""
    if len(o.sends) < 2:
        return None
    gap, sized = np.diff(o.sends.time), o.trace.sizes_known
    burst = np.concatenate(([0], np.cumsum(gap >= _at_once(o))))
    packets, size = np.bincount(burst), np.bincount(burst, weights=o.sends.size)
    large = packets > BURST
    return Pacing(
        gap_ms=Distribution.of(gap),
        gap_over_pacing=Distribution.of_values(_over_pacing(o, gaps, gap) if sized else np.empty(0)),
        bursts=int(large.sum()),
        bytes_in_bursts_percent=float(100.0 * size[large].sum() / size.sum()) if sized else None,
        largest_burst_packets=int(packets.max()),
        largest_burst_bytes=int(size[packets.argmax()]) if sized else None,
    )


def _at_once(o: Observed) -> Floats:
    """The gap, s, below which each packet but the first belongs to the burst of the one before."""
    pace, size = pace_of(o)[:-1], o.sends.size[:-1]
    known = np.isfinite(pace) & (pace > 0.0) & (size > 0.0)
    least = AT_ONCE * 8.0 * size / np.where(known, pace, 1.0)
    return np.asarray(np.where(known, least, AT_ONCE_UNPACED), dtype=np.float64)


def _over_pacing(o: Observed, gaps: Gaps, gap: Floats) -> Floats:
    pacing = o.sends.pacing[:-1]
    known = np.isfinite(pacing) & (pacing > 0.0)
    takes = 8.0 * o.sends.size[:-1] / np.where(known, pacing, 1.0)
    paced = (gaps.by[:-1] == Hold.PACING) | (gap < takes)
    return np.asarray((gap / takes)[known & paced], dtype=np.float64)
