"""What bears on silence, in order: packets, feedback, reports, data and limits, with what is in flight after each."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..metrics.windows import Window
from ..packed import part, take
from .data_events import Events, Kind, Rows, peers_limits
from .seen import Seen, Stretch

OfKind = tuple[Kind, Ints, Floats, Ints]
"""Of a kind of events: record, time, and which of its kind."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Events in order."""

    record: Ints
    time: Floats
    events: Events
    in_flight: Floats
    """Bytes, after each."""
    room: Bools
    """Whether a full packet has room in the window, after each."""

    def is_kind(self, kind: Kind) -> Bools:
        found: Bools = self.events.kind == kind
        return found

    def only(self, some: Bools) -> Steps:
        events = Events(self.events.kind[some], self.events.which[some])
        return Steps(self.record[some], self.time[some], events, self.in_flight[some], self.room[some])


class StepsOf:
    """All that is judged, in order."""

    def __init__(self, seen: Seen, begin: int) -> None:
        self._seen, self._begin = seen, begin
        limits = peers_limits(seen.trace)
        gone = sorted(seen.trace.abandoned.items(), key=lambda item: item[1])
        self._few: tuple[OfKind, ...] = (
            (Kind.LIMIT, *_few([(x.record, x.time, i) for i, x in limits])),
            (Kind.ABANDONED, *_few([(record, 0.0, stream) for stream, record in gone])),
        )
        self._written = Rows(seen.trace.written.record)
        self._last: tuple[int, float, float, bool] | None = None
        """Of the last event: record, time, bytes in flight after it, and whether there was room."""
        self._begins = -1

    def of(self, stretch: Stretch) -> Steps:
        """Those of a stretch."""
        w, trace = stretch.window, self._seen.trace
        rows, written = self._written.until(w.next_record)
        metrics, feedback = (np.arange(x.start, x.stop) for x in (w.rows, w.feedback))
        m = part(trace.metrics.record, w.rows.start, w.rows.stop), part(trace.metrics.time, w.rows.start, w.rows.stop)
        kinds: list[OfKind] = [
            (Kind.FEEDBACK, stretch.feedback_record, stretch.feedback_time, feedback),
            (Kind.WRITTEN, written, take(trace.written.time, rows), rows),
            (Kind.METRICS, *m, metrics),
            (Kind.SENT, w.sends.record, w.sends.time, w.sends.packet),
        ]
        for kind, record, time, which in self._few:
            some = slice(*np.searchsorted(record, (self._begins, w.next_record)).tolist())
            kinds.append((kind, record[some], time[some], which[some]))
        self._begins = w.next_record
        return self._without_idle(w, self._sorted(kinds))

    def _sorted(self, kinds: list[OfKind]) -> tuple[Ints, Floats, Ints, Ints]:
        """Record, time, kind, and which of its kind."""
        kind = np.repeat([k for k, *_ in kinds], [len(record) for _, record, _, _ in kinds])
        record, time, which = (np.concatenate([of_kind[i] for of_kind in kinds]) for i in (1, 2, 3))
        order = np.lexsort((which, kind, time, record))
        order = order[(record[order] < self._seen.until) & (time[order] <= self._seen.o.end)]
        return record[order], time[order], kind[order], which[order]

    def _without_idle(self, w: Window, rows: tuple[Ints, Floats, Ints, Ints]) -> Steps:
        """Most metrics are written at once for a packet and tell nothing else."""
        record, time, kind, which = rows
        in_flight = w.in_flight_after(record)
        known = np.concatenate(([math.nan], w.metrics.window))
        room = in_flight + self._seen.o.full <= known[np.searchsorted(w.metrics.record, record, side="right")]
        steps = Steps(record, time, Events(kind, which), in_flight, room)
        if not len(record):
            return steps
        before = [column[:-1] for column in (record, time, in_flight, room)]
        if self._last is not None:
            before = [np.append(last, column) for last, column in zip(self._last, before, strict=True)]
        first = 0 if self._last is not None else 1
        same = (time[first:] == before[1]) & (in_flight[first:] == before[2]) & (room[first:] == before[3])
        idle = np.zeros(len(record), dtype=np.bool_)
        idle[first:] = same & (kind[first:] == Kind.METRICS) & (before[0] >= self._begin)
        self._last = int(record[-1]), float(time[-1]), float(in_flight[-1]), bool(room[-1])
        return steps.only(~idle)


def _few(rows: list[tuple[int, float, int]]) -> tuple[Ints, Floats, Ints]:
    record, time, which = zip(*rows, strict=True) if rows else ((), (), ())
    return np.array(record, dtype=np.int64), np.array(time, dtype=np.float64), np.array(which, dtype=np.int64)
