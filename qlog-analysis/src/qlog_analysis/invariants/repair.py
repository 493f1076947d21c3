"""What may leave beyond the window while losses are repaired: proportional rate reduction (RFC 6937).

RFC 9002 section 7.3.2 leaves it to a sender whether the window falls at once or with the packets that come back.
quiche's older recovery, with cubic, reports the fallen window at once and sends on as PRR has it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from ..metrics.windows import Window
from .seen import Seen


@dataclass(slots=True)
class _Cut:
    """Losses that a window falls for."""

    record: int
    over: int
    """Record of the ACK that ends the recovery period."""
    sent: float = 0.0
    """Bytes sent before it."""
    delivered: float = 0.0


class Repair:
    """Since a window fell, no more leaves than has been delivered since, with what the newest ACK delivered and a
    packet (RFC 6937 section 3). These two quiche adds to what is left of the window, where PRR would have them instead,
    and keeps them until they are used, however long after."""

    def __init__(self, seen: Seen, cuts: list[_Cut]) -> None:
        self._seen = seen
        self._cuts = deque(cuts)
        self._now: _Cut | None = None
        self._delivered_before, self._newest_before = 0.0, 0.0
        """Bytes that all windows before delivered, and the last ACK in them."""
        self._window: Window | None = None
        self._sent, self._delivered = np.zeros(1), np.zeros(1)
        """Bytes until each of the window's packets, and until each of its removals."""

    def enter(self, w: Window) -> None:
        """To be told of every window."""
        if self._window is not None:
            self._pass_cuts(self._window.next_record)
            gone = self._window.removals
            newest = int(np.searchsorted(gone.record, gone.record[-1])) if len(gone.record) else None
            if newest is not None:
                self._newest_before = float(self._delivered[-1] - self._delivered[newest])
            self._delivered_before = float(self._delivered[-1])
        self._window = w
        self._sent = np.concatenate(([0.0], np.cumsum(w.sends.size))) + w.before.sent
        came = np.where(w.removals.lost, 0.0, w.removals.size)
        self._delivered = np.concatenate(([0.0], np.cumsum(came))) + self._delivered_before

    def allows(self, i: int, over: float) -> bool:
        """Whether a packet (position in the window's `sends`) may leave although it exceeds the congestion window."""
        assert self._window is not None
        record = int(self._window.sends.record[i])
        self._pass_cuts(record)
        if self._now is None or over <= 0.0:
            return over <= 0.0
        delivered, newest = self._in(record)
        room = newest + self._seen.o.full
        return over <= room or (
            record <= self._now.over and float(self._sent[i + 1] - self._now.sent) <= delivered + room
        )

    def _pass_cuts(self, record: int) -> None:
        """Those before a record of the window."""
        assert self._window is not None
        while self._cuts and self._cuts[0].record < record:
            cut = self._now = self._cuts.popleft()
            cut.sent = float(self._sent[np.searchsorted(self._window.sends.record, cut.record)])
            cut.delivered = float(self._delivered[np.searchsorted(self._window.removals.record, cut.record)])

    def _in(self, record: int) -> tuple[float, float]:
        """Delivered since the window fell, and by the newest ACK."""
        assert self._now is not None
        assert self._window is not None
        gone = self._window.removals.record
        last = int(np.searchsorted(gone, record))
        now = self._delivered[last]
        newest = now - self._delivered[int(np.searchsorted(gone, gone[last - 1]))] if last else self._newest_before
        return float(now - self._now.delivered), float(newest)


def repair(seen: Seen) -> Repair:
    feedback, cuts = seen.trace.feedback, []
    for i, _ in seen.recoveries():
        end = int(seen.round_end[i])
        over = feedback.record[end] if end < len(feedback) else seen.trace.records
        cuts.append(_Cut(feedback.record[i], over))
    return Repair(seen, cuts)
