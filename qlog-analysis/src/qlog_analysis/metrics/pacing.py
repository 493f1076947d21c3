"""How evenly packets leave: gaps against the pacing rate, and bursts."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..packed import differences, floats, parts
from .distribution import Distribution
from .held_back import Gaps, Hold, pace_of
from .observed import Observed
from .windows import Window

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


class Bursts:
    """Runs of packets that left at once, as they come."""

    def __init__(self) -> None:
        self.large = self.largest = 0
        self.bytes = self.bytes_in_large = self.largest_bytes = 0.0
        self._packets = 0
        self._bytes = 0.0
        """Of the one that may go on."""

    def add(self, size: Floats, ends: Bools) -> None:
        """Packets, and whether a burst ends with each."""
        begin = np.concatenate(([0], np.flatnonzero(ends) + 1))
        packets = np.diff(begin, append=len(size))
        total = np.concatenate(([0.0], np.cumsum(size)))
        of_burst = np.diff(total[np.append(begin, len(size))])
        packets[0] += self._packets
        of_burst[0] += self._bytes
        self._packets, self._bytes = int(packets[-1]), float(of_burst[-1])
        self._ended(packets[:-1], of_burst[:-1])

    def end(self) -> None:
        if self._packets:
            self._ended(np.array([self._packets]), np.array([self._bytes]))

    def _ended(self, packets: Ints, size: Floats) -> None:
        if not len(packets):
            return
        large = packets > BURST
        self.large += int(large.sum())
        self.bytes += float(size.sum())
        self.bytes_in_large += float(size[large].sum())
        if packets.max() > self.largest:
            self.largest, self.largest_bytes = int(packets.max()), float(size[packets.argmax()])


class PacingOf:
    """The figure, as packets come."""

    def __init__(self, o: Observed) -> None:
        self._o = o
        self._bursts = Bursts()
        self._times = floats()
        self._over = array("d")

    def add(self, w: Window, gaps: Gaps) -> None:
        s = w.sends
        gap = np.diff(s.time, append=[] if w.next_time is None else [w.next_time])
        pace, size, pacing = pace_of(self._o, s)[: len(gap)], s.size[: len(gap)], s.pacing[: len(gap)]
        ends = gap >= _at_once(pace, size)
        self._bursts.add(s.size, np.append(ends, np.zeros(len(s) - len(gap), dtype=np.bool_)))
        self._times.extend(s.time)
        self._times.pack()
        if self._o.trace.sizes_known:
            self._over.frombytes(_over_pacing(pacing, size, gaps.by[: len(gap)], gap).tobytes())

    def found(self) -> Pacing | None:
        """None with fewer than two packets."""
        b, sized = self._bursts, self._o.trace.sizes_known
        if len(self._times) < 2:
            return None
        b.end()
        return Pacing(
            gap_ms=Distribution.of_parts(lambda: (gap * 1e3 for gap in differences(self._times))),
            gap_over_pacing=Distribution.of_parts(lambda: parts(self._over)),
            bursts=b.large,
            bytes_in_bursts_percent=100.0 * b.bytes_in_large / b.bytes if sized else None,
            largest_burst_packets=b.largest,
            largest_burst_bytes=int(b.largest_bytes) if sized else None,
        )


def _at_once(pace: Floats, size: Floats) -> Floats:
    """The gap, s, below which the packet after each belongs to its burst."""
    known = np.isfinite(pace) & (pace > 0.0) & (size > 0.0)
    least = AT_ONCE * 8.0 * size / np.where(known, pace, 1.0)
    return np.asarray(np.where(known, least, AT_ONCE_UNPACED), dtype=np.float64)


def _over_pacing(pacing: Floats, size: Floats, by: Ints, gap: Floats) -> Floats:
    known = np.isfinite(pacing) & (pacing > 0.0)
    takes = 8.0 * size / np.where(known, pacing, 1.0)
    paced = (by == Hold.PACING) | (gap < takes)
    return np.asarray((gap / takes)[known & paced], dtype=np.float64)
