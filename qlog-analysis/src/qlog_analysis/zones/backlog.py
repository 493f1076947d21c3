"""Whether data waited, which is what an application that limits an epoch does not let it do."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ..invariants.data_events import Events, Kind
from ..invariants.waiting import waits_after
from ..model import Space, Trace


class Backlog:
    """Of a trace, which is looked through when it is first asked about."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def waits(self, after: int, until: int) -> bool:
        """Whether data that may leave waited in every moment from one record to another. False where the trace does not
        tell."""
        if not self._trace.written:
            return False
        records, waiting = self._moments
        first, last = (bisect_right(records, record) for record in (after, until))
        return first > 0 and all(waiting[first - 1 : last])

    def is_empty(self, record: int) -> bool:
        """Whether no data waited before a record. False where the trace does not tell."""
        records, waiting = self._moments
        last = bisect_left(records, record) - 1
        return len(self._trace.written) > 0 and last >= 0 and not waiting[last]

    @cached_property
    def _moments(self) -> tuple[list[int], list[bool]]:
        """Records, and whether data waits after each."""
        rows = np.array(sorted(self._events()), dtype=np.int64).reshape(-1, 3)
        return rows[:, 0].tolist(), waits_after(self._trace, Events(rows[:, 1], rows[:, 2])).tolist()

    def _events(self) -> Iterator[tuple[int, int, int]]:
        """Record, kind, and which of its kind."""
        trace = self._trace
        yield from ((f.record, Kind.FEEDBACK, i) for i, f in enumerate(trace.feedback))
        for i, signal in enumerate(trace.signals):
            if signal.kind in ("max_data", "max_stream_data") and not signal.sent:
                yield signal.record, Kind.LIMIT, i
        yield from ((record, Kind.WRITTEN, i) for i, record in enumerate(trace.written.record))
        yield from ((record, Kind.ABANDONED, stream) for stream, record in trace.abandoned.items())
        for i, (record, space) in enumerate(zip(trace.sent.record, trace.sent.space, strict=True)):
            if space == Space.APPLICATION:
                yield record, Kind.SENT, i
