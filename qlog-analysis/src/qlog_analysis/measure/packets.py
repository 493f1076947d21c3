"""What of a feedback controllers are told: sizes, send times, and what is in flight."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import numpy as np

from ..arrays import Ints
from ..model import Feedback, Space, Trace
from ..packed import PIECE, part, running


def told_sizes(trace: Trace, space: Space | None = None) -> Iterator[Ints]:
    """Of packets sent, in parts, what controllers are told of their sizes: 0 for one that is not ack-eliciting.
    `space`: and for one of another."""
    sent = trace.sent
    for begin in range(0, len(sent), PIECE):
        end = begin + PIECE
        own = np.frombuffer(sent.ack_eliciting[begin:end], dtype=np.uint8) > 0
        if space is not None:
            own &= np.frombuffer(sent.space[begin:end], dtype=np.uint8) == space
        yield part(sent.size, begin, min(end, len(sent))) * own


class Packets:
    """The packets of a trace, by their positions in `Trace.sent`."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        eliciting = trace.sent.ack_eliciting
        self._application_before = running(told_sizes(trace, Space.APPLICATION))
        self._sizes_before = running(told_sizes(trace))
        self._packets_before = running(
            np.frombuffer(eliciting[begin : begin + PIECE], dtype=np.uint8) for begin in range(0, len(eliciting), PIECE)
        )

    def application_bytes_before(self, record: int) -> int:
        """Those of the application packet number space."""
        return self._application_before[self._trace.sent.record.right(record)]

    def acked(self, f: Feedback) -> Sequence[int]:
        """Newly acknowledged packets, in the order of their numbers."""
        return self._trace.acked_by(f)

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
        return self._sizes_before[self._trace.sent.record.right(record)]

    def count_until(self, time: float) -> int:
        """Ack-eliciting packets sent at or before `time`."""
        return self._packets_before[bisect_right(self._trace.sent.time, time)]

    def count_before(self, record: int) -> int:
        """Ack-eliciting packets sent before a record."""
        return self._packets_before[self._trace.sent.record.right(record)]

    def count_up_to(self, packet: int) -> int:
        """Ack-eliciting packets sent up to this one, itself included."""
        return self._packets_before[packet + 1]
