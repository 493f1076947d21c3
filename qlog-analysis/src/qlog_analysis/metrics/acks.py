"""ACKs that were received, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..model import Trace


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
    counts = trace.feedback.counts
    some = (counts > 0) & trace.feedback.of_application
    first, count = (np.cumsum(counts) - counts)[some], counts[some]
    begin = np.cumsum(count) - count
    places = np.arange(int(count.sum())) + np.repeat(first - begin, count)
    return Acks(
        record=trace.feedback.records[some],
        time=trace.feedback.times[some],
        packets=np.array(trace.acked, dtype=np.int64)[places],
        begin=begin,
        count=count,
    )
