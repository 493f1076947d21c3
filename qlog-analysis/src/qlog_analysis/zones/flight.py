"""What a trace's sender has sent, and has in flight."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from ..model import Feedback, Space, Trace


class Settled(NamedTuple):
    """Bytes of ack-eliciting packets at a feedback."""

    before: int
    """Of the application space in flight before it."""
    after: int
    acked: int
    """Newly acknowledged by it, in its space."""


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

    def settle(self, f: Feedback) -> Settled:
        """Takes in what a feedback has acknowledged or declared lost."""
        sent = self._sent_in_space[bisect_right(self._trace.sent.record, f.record)]
        before, acked = sent - self._settled, self._total(self._trace.acked_by(f))
        if f.space is Space.APPLICATION:
            self._settled += acked + self._total(f.lost)
        return Settled(before, sent - self._settled, acked)

    def _total(self, packets: Iterable[int]) -> int:
        return sum([self._sizes[p] for p in packets])

    def sent_bits(self, after: int, until: int) -> float:
        """Bits sent between two records."""
        first, last = (bisect_right(self._trace.sent.record, record) for record in (after, until))
        return 8.0 * (self._sent_before[last] - self._sent_before[first])

    def bounds(self, lost: list[int]) -> tuple[int, int]:
        """Of these losses, those that quiche reports at least and at most."""
        return sum(self._trace.sent.ack_eliciting[p] for p in lost), len(lost)
