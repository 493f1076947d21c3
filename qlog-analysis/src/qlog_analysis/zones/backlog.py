"""Whether data waited, which is what an application that limits an epoch does not let it do."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property

from ..invariants.waiting import Waiting
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
        waiting, records, after = Waiting(self._trace), [], []
        for record, kind, which in sorted(self._events()):
            self._take(waiting, kind, which)
            records.append(record)
            after.append(waiting.any)
        return records, after

    def _events(self) -> Iterator[tuple[int, int, int]]:
        """Record, kind in the order in which it counts within a record, and which of its kind."""
        trace = self._trace
        yield from ((f.record, 0, i) for i, f in enumerate(trace.feedback))
        for i, signal in enumerate(trace.signals):
            if signal.kind in ("max_data", "max_stream_data") and not signal.sent:
                yield signal.record, 1, i
        yield from ((record, 2, i) for i, record in enumerate(trace.written.record))
        yield from ((record, 3, stream) for stream, record in trace.abandoned.items())
        for i, (record, space) in enumerate(zip(trace.sent.record, trace.sent.space, strict=True)):
            if space == Space.APPLICATION:
                yield record, 4, i

    def _take(self, waiting: Waiting, kind: int, which: int) -> None:
        trace = self._trace
        if kind == 0:
            for i in trace.feedback[which].acked:
                waiting.acknowledge(trace.acked[i])
            for packet in trace.feedback[which].lost:
                (waiting.acknowledge if packet in self._late else waiting.lose)(packet)
        elif kind == 1:
            waiting.allow(trace.signals[which].stream, trace.signals[which].limit or 0)
        elif kind == 2:
            waiting.write(trace.written.stream[which], trace.written.end[which])
        elif kind == 3:
            waiting.abandon(which)
        else:
            waiting.send(which)

    @cached_property
    def _late(self) -> frozenset[int]:
        """Packets that were declared lost in error."""
        return frozenset(self._trace.came_late)
