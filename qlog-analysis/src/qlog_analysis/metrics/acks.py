"""ACKs that were received, as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..model import Space, Trace
from ..packed import part

PART = 1 << 14
"""Feedback."""


@dataclass(frozen=True, slots=True)
class Acks:
    """Those of the application packet number space that acknowledge something for the first time, in order."""

    record: Ints
    time: Floats
    packets: Ints
    """Positions in `Trace.sent` of what they acknowledge: by ACK, and by number."""
    begin: Ints
    """Where the packets of each begin."""
    count: Ints

    def __len__(self) -> int:
        return len(self.time)

    def sums(self, values: Floats) -> Floats:
        """Of a value of each of `packets`, by ACK."""
        return np.asarray(np.add.reduceat(values, self.begin), dtype=np.float64) if len(self) else np.empty(0)


def acks_in_parts(trace: Trace) -> Iterator[Acks]:
    for first in range(0, len(trace.feedback), PART):
        yield acks_of(trace, range(first, min(first + PART, len(trace.feedback))))


def acks_of(trace: Trace, some: range | None = None) -> Acks:
    """`some`: of which feedback (positions); of all if it is not given."""
    feedback, chosen = trace.feedback, some if some is not None else range(len(trace.feedback))
    first, end = chosen.start, chosen.stop
    begin = feedback.acked_end[first - 1] if first else 0
    ends = np.concatenate(([begin], part(feedback.acked_end, first, end)))
    count = np.diff(ends)
    own = (count > 0) & (np.frombuffer(feedback.space[first:end], dtype=np.uint8) == Space.APPLICATION)
    packets = part(trace.acked, begin, int(ends[-1]))
    if not own.all():
        packets = packets[np.repeat(own, count)]
    record, time, count = part(feedback.record, first, end)[own], part(feedback.time, first, end)[own], count[own]
    return Acks(record, time, packets, np.cumsum(count) - count, count)
