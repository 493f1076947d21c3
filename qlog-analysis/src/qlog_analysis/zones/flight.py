"""What a trace's sender has sent, and has in flight."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_right
from collections.abc import Iterable

from ..model import Feedback, Space, Trace


class Flight:
    """Bytes of ack-eliciting packets."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._settled = 0
        """Bytes of the application space acknowledged or lost so far."""
        sent = trace.sent
        self._sizes = [s if e else 0 for s, e in zip(sent.size, sent.ack_eliciting, strict=True)]
        in_space = (n if s == Space.APPLICATION else 0 for n, s in zip(self._sizes, sent.space, strict=True))
        self._sent_before = array("q", itertools.accumulate(self._sizes, initial=0))
        self._sent_in_space = array("q", itertools.accumulate(in_space, initial=0))

    def acked(self, f: Feedback) -> int:
        """Those that it newly acknowledges."""
        return self._total(self._trace.acked_by(f))

    def settle(self, f: Feedback) -> tuple[int, int]:
        """Takes in what a feedback has acknowledged or declared lost. How many of the application space were neither
        before it, and are so after it."""
        sent = self._sent_in_space[bisect_right(self._trace.sent.record, f.record)]
        before = sent - self._settled
        if f.space is Space.APPLICATION:
            self._settled += self.acked(f) + self._total(f.lost)
        return before, sent - self._settled

    def _total(self, packets: Iterable[int]) -> int:
        return sum([self._sizes[p] for p in packets])

    def sent_bits(self, after: int, until: int) -> float:
        """Bits sent between two records."""
        first, last = (bisect_right(self._trace.sent.record, record) for record in (after, until))
        return 8.0 * (self._sent_before[last] - self._sent_before[first])

    def bounds(self, lost: list[int]) -> tuple[int, int]:
        """Of these losses, those that quiche reports at least and at most."""
        return sum(self._trace.sent.ack_eliciting[p] for p in lost), len(lost)
