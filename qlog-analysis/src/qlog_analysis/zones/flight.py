"""What a trace's sender has sent, and has in flight."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..measure.packets import told_sizes
from ..model import Feedback, Space, Trace
from ..packed import running


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
        self._sent_before = running(told_sizes(trace))
        self._sent_in_space = running(told_sizes(trace, Space.APPLICATION))

    def settle(self, f: Feedback) -> Settled:
        """Takes in what a feedback has acknowledged or declared lost."""
        sent = self._sent_in_space[self._trace.sent.record.right(f.record)]
        before, acked = sent - self._settled, self._total(self._trace.acked_by(f))
        if f.space is Space.APPLICATION:
            self._settled += acked + self._total(f.lost)
        return Settled(before, sent - self._settled, acked)

    def _total(self, packets: Iterable[int]) -> int:
        sent = self._trace.sent
        return sum([sent.size[p] for p in packets if sent.ack_eliciting[p]])

    def sent_bits(self, after: int, until: int) -> float:
        """Bits sent between two records."""
        first, last = (self._trace.sent.record.right(record) for record in (after, until))
        return 8.0 * (self._sent_before[last] - self._sent_before[first])

    def bounds(self, lost: list[int]) -> tuple[int, int]:
        """Of these losses, those that quiche reports at least and at most."""
        return sum(self._trace.sent.ack_eliciting[p] for p in lost), len(lost)
