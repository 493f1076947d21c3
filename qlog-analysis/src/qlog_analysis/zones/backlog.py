"""Whether data waited, which is what an application that limits an epoch does not let it do."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import Ints
from ..measure.data_events import Events, Kind, Rows, SendLimits, in_order
from ..measure.waiting import Waiting
from ..metrics.windows import WINDOW
from ..model import NEVER, Space, Trace
from ..packed import Column, ints


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
        first, last = records.right(after), records.right(until)
        return first > 0 and 0 not in waiting[first - 1 : last]

    def is_empty(self, record: int) -> bool:
        """Whether no data waited before a record. False where the trace does not tell."""
        records, waiting = self._moments
        last = records.left(record) - 1
        return len(self._trace.written) > 0 and last >= 0 and not waiting[last]

    @cached_property
    def _moments(self) -> tuple[Column[int], bytearray]:
        """Records, and whether data waits after each."""
        sent, events = self._trace.sent.record, _EventsOf(self._trace)
        records, waiting, waits = ints(), bytearray(), Waiting(self._trace)
        for end in range(WINDOW, len(sent) + WINDOW, WINDOW):
            record, some = events.until(sent[end] if end < len(sent) else NEVER)
            records.extend(record)
            records.pack()
            waiting += waits.after(some).tobytes()
        return records, waiting


class _EventsOf:
    """What bears on data, in order, part by part."""

    def __init__(self, trace: Trace) -> None:
        self._space = trace.sent.space
        feedback, written, sent = trace.feedback, trace.written, trace.sent
        self._others = [
            Rows(Kind.FEEDBACK, feedback.record, feedback.time),
            Rows(Kind.WRITTEN, written.record, written.time),
        ]
        self._sent = Rows(Kind.SENT, sent.record, sent.time)
        self._limits = SendLimits(trace)

    def until(self, end: int) -> tuple[Ints, Events]:
        """Those before a record and after the ones that were given before, with their records."""
        sent = self._sent.until(end)
        own = np.frombuffer(self._space, dtype=np.uint8)[sent.which] == Space.APPLICATION
        others = (rows.until(end) for rows in self._others)
        record, _, events = in_order([sent.only(own), *others, *self._limits.until(end)])
        return record, events
