"""What of a feedback controllers are told: sizes, send times, and what is in flight."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from ..model import Feedback, Space, Trace


class Packets:
    """The packets of a trace, by their positions in `Trace.sent`."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        sent = trace.sent
        sizes = [s if e else 0 for s, e in zip(sent.size, sent.ack_eliciting, strict=True)]
        own = (n if s == Space.APPLICATION else 0 for n, s in zip(sizes, sent.space, strict=True))
        self._application_before = list(accumulate(own, initial=0))
        self._sizes_before = list(accumulate(sizes, initial=0))
        self._packets_before = list(accumulate(sent.ack_eliciting, initial=0))

    def application_bytes_before(self, record: int) -> int:
        """Those of the application packet number space."""
        return self._application_before[bisect_right(self._trace.sent.record, record)]

    def acked(self, f: Feedback) -> Iterator[int]:
        """Newly acknowledged packets, in the order of their numbers."""
        return (self._trace.acked[i] for i in f.acked)

    def size(self, packet: int) -> int:
        """In bytes, as controllers are told it: 0 for a packet that is not ack-eliciting."""
        sent = self._trace.sent
        return sent.size[packet] if sent.ack_eliciting[packet] else 0

    def sent_at(self, packet: int) -> float:
        return self._trace.sent.time[packet]

    def acked_bytes(self, f: Feedback) -> int:
        return sum(self.size(p) for p in self.acked(f))

    def lost(self, f: Feedback) -> tuple[int, int]:
        """Losses at least and at most: whether one counts that is not ack-eliciting the trace does not tell."""
        return sum(self._trace.sent.ack_eliciting[p] for p in f.lost), len(f.lost)

    def asking(self, packet: int) -> int:
        """The last ack-eliciting packet sent up to this one, or this one if there is none."""
        eliciting = self._trace.sent.ack_eliciting
        return next((p for p in range(packet, -1, -1) if eliciting[p]), packet)

    def bytes_until(self, time: float) -> int:
        """Ack-eliciting bytes sent at or before `time`."""
        return self._sizes_before[bisect_right(self._trace.sent.time, time)]

    def bytes_before(self, record: int) -> int:
        """Ack-eliciting bytes sent before a record."""
        return self._sizes_before[bisect_right(self._trace.sent.record, record)]

    def count_until(self, time: float) -> int:
        """Ack-eliciting packets sent at or before `time`."""
        return self._packets_before[bisect_right(self._trace.sent.time, time)]

    def count_before(self, record: int) -> int:
        """Ack-eliciting packets sent before a record."""
        return self._packets_before[bisect_right(self._trace.sent.record, record)]

    def count_up_to(self, packet: int) -> int:
        """Ack-eliciting packets sent up to this one, itself included."""
        return self._packets_before[packet + 1]
