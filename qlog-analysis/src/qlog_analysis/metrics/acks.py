"""ACKs that were received, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model import Space, Trace
from .distribution import Floats, Ints


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

    def sums(self, values: Floats | Ints) -> Floats:
        """Of a value of each packet, by ACK."""
        if not len(self):
            return np.empty(0)
        return np.asarray(np.add.reduceat(values[self.packets], self.begin), dtype=np.float64)


def acks_of(trace: Trace) -> Acks:
    some = [f for f in trace.feedback if f.acked and f.space is Space.APPLICATION]
    first = np.array([f.acked.start for f in some], dtype=np.int64)
    count = np.array([f.acked.stop for f in some], dtype=np.int64) - first
    begin = np.cumsum(count) - count
    places = np.arange(int(count.sum())) + np.repeat(first - begin, count)
    return Acks(
        record=np.array([f.record for f in some], dtype=np.int64),
        time=np.array([f.time for f in some], dtype=np.float64),
        packets=np.array(trace.acked, dtype=np.int64)[places],
        begin=begin,
        count=count,
    )
