"""What a trace's sender has sent, and has in flight."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_right

from ..model import Feedback, Space, Trace


class Flight:
    """Bytes of ack-eliciting packets."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._settled = 0
        """Bytes of the application space acknowledged or lost so far."""
        sent = trace.sent
        counted = [s if e else 0 for s, e in zip(sent.size, sent.ack_eliciting, strict=True)]
        in_space = (n if s == Space.APPLICATION else 0 for n, s in zip(counted, sent.space, strict=True))
        self._sent_before = array("q", itertools.accumulate(counted, initial=0))
        self._sent_in_space = array("q", itertools.accumulate(in_space, initial=0))

    def settle(self, f: Feedback) -> None:
        """Takes in what a feedback has acknowledged or declared lost."""
        if f.space is Space.APPLICATION:
            sent, acked = self._trace.sent, self._trace.acked
            gone = itertools.chain((acked[i] for i in f.acked), f.lost)
            self._settled += sum(sent.size[p] for p in gone if sent.ack_eliciting[p])

    def at(self, f: Feedback) -> int:
        """Those of the application space that are neither acknowledged nor lost."""
        return self._sent_in_space[bisect_right(self._trace.sent.record, f.record)] - self._settled

    def sent_bits(self, after: int, until: int) -> float:
        """Bits sent between two records."""
        first, last = (bisect_right(self._trace.sent.record, record) for record in (after, until))
        return 8.0 * (self._sent_before[last] - self._sent_before[first])

    def bounds(self, lost: list[int]) -> tuple[int, int]:
        """Of these losses, those that quiche reports at least and at most."""
        return sum(self._trace.sent.ack_eliciting[p] for p in lost), len(lost)
