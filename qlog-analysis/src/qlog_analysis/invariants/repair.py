"""What may leave beyond the window while losses are repaired: proportional rate reduction (RFC 6937).

RFC 9002 section 7.3.2 leaves it to a sender whether the window falls at once or with the packets that come back.
quiche's older recovery, with cubic, reports the fallen window at once and sends on as PRR has it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from .seen import Seen


@dataclass(slots=True)
class _Cut:
    """Losses that a window falls for."""

    record: int
    over: int
    """Record of the ACK that ends the recovery period."""


@dataclass(slots=True)
class Repair:
    """Since a window fell, no more leaves than has been delivered since, with what the newest ACK delivered and a
    packet (RFC 6937 section 3). These two quiche adds to what is left of the window, where PRR would have them instead,
    and keeps them until they are used, however long after."""

    seen: Seen
    _cuts: list[_Cut]
    _sent: Floats
    _delivered: Floats
    """Bytes before each removal."""
    _next: int = 0
    _now: _Cut | None = None

    def allows(self, i: int, over: float) -> bool:
        """Whether a packet (position in `sends`) may leave although it exceeds the window; to be asked of every one."""
        record = int(self.seen.o.sends.record[i])
        while self._next < len(self._cuts) and self._cuts[self._next].record < record:
            self._now = self._cuts[self._next]
            self._next += 1
        if self._now is None or over <= 0.0:
            return over <= 0.0
        delivered, newest = self._in(record)
        room = newest + self.seen.o.full
        return over <= room or (record <= self._now.over and self._out(i) <= delivered + room)

    def _out(self, i: int) -> float:
        """Sent since the window fell, this packet included."""
        assert self._now is not None
        first = int(np.searchsorted(self.seen.o.sends.record, self._now.record))
        return float(self._sent[i + 1] - self._sent[first])

    def _in(self, record: int) -> tuple[float, float]:
        """Delivered since then, and by the newest ACK."""
        assert self._now is not None
        gone = self.seen.o.removals.record
        first, last = (int(np.searchsorted(gone, r)) for r in (self._now.record, record))
        newest = int(np.searchsorted(gone, gone[last - 1])) if last else 0
        now = self._delivered[last]
        return float(now - self._delivered[first]), float(now - self._delivered[newest])


def repair(seen: Seen) -> Repair:
    feedback, cuts = seen.trace.feedback, []
    for i, _ in seen.recoveries():
        end = int(seen.round_end[i])
        cuts.append(_Cut(feedback[i].record, feedback[end].record if end < len(feedback) else seen.trace.records))
    gone = seen.o.removals
    return Repair(
        seen,
        cuts,
        np.concatenate(([0.0], np.cumsum(seen.o.sends.size))),
        np.concatenate(([0.0], np.cumsum(np.where(gone.lost, 0.0, gone.size)))),
    )
