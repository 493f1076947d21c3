"""Whether data waited, which is what an application that limits an epoch does not let it do."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import Ints
from ..invariants.data_events import Events, Kind, Rows, peers_limits
from ..invariants.waiting import Waiting
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
        self._columns = [
            (kind, Rows(record))
            for kind, record in (
                (Kind.FEEDBACK, trace.feedback.record),
                (Kind.WRITTEN, trace.written.record),
                (Kind.SENT, trace.sent.record),
            )
        ]
        limits = peers_limits(trace)
        few = [(signal.record, Kind.LIMIT, i) for i, signal in limits]
        few += [(record, Kind.ABANDONED, stream) for stream, record in trace.abandoned.items()]
        self._few = np.array(sorted(few), dtype=np.int64).reshape(-1, 3)
        self._begin = -1

    def until(self, end: int) -> tuple[Ints, Events]:
        """Those before a record and after the ones that were given before, with their records."""
        some = [self._few[slice(*np.searchsorted(self._few[:, 0], (self._begin, end)).tolist())]]
        for kind, rows in self._columns:
            which, record = rows.until(end)
            if kind is Kind.SENT:
                own = np.frombuffer(self._space, dtype=np.uint8)[which] == Space.APPLICATION
                which, record = which[own], record[own]
            some.append(np.stack((record, np.full(len(record), kind), which), axis=1))
        self._begin = end
        every = np.concatenate(some)
        record, kind_of, which = every[np.lexsort(every[:, ::-1].T)].T
        return record, Events(kind_of, which)
