"""What bears on silence, in order: packets, feedback, reports, data and limits, with what is in flight after each."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..measure.data_events import Events, Kind, OfKind, Rows, SendLimits, in_order
from ..metrics.windows import Window
from ..packed import part
from .seen import Seen, SeenWindow


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
        written = seen.trace.written
        self._limits, self._written = SendLimits(seen.trace), Rows(Kind.WRITTEN, written.record, written.time)
        self._last: tuple[int, float, float, bool] | None = None
        """Of the last event: record, time, bytes in flight after it, and whether there was room."""

    def of(self, shown: SeenWindow) -> Steps:
        """Those of a window."""
        w, m = shown.window, self._seen.trace.metrics
        rows, feedback = (w.rows.start, w.rows.stop), (w.feedback.start, w.feedback.stop)
        kinds = [
            OfKind(Kind.FEEDBACK, shown.feedback_record, shown.feedback_time, np.arange(*feedback)),
            OfKind(Kind.METRICS, part(m.record, *rows), part(m.time, *rows), np.arange(*rows)),
            OfKind(Kind.SENT, w.sends.record, w.sends.time, w.sends.packet),
            self._written.until(w.next_record),
            *self._limits.until(w.next_record),
        ]
        until, end = self._seen.until, self._seen.o.end
        return self._without_idle(w, in_order([k.only((k.record < until) & (k.time <= end)) for k in kinds]))

    def _without_idle(self, w: Window, rows: tuple[Ints, Floats, Events]) -> Steps:
        """Most metrics are written at once for a packet and tell nothing else."""
        record, time, events = rows
        in_flight = w.in_flight_after(record)
        known = np.concatenate(([math.nan], w.metrics.window))
        room = in_flight + self._seen.o.full <= known[np.searchsorted(w.metrics.record, record, side="right")]
        steps = Steps(record, time, events, in_flight, room)
        if not len(record):
            return steps
        before = [column[:-1] for column in (record, time, in_flight, room)]
        if self._last is not None:
            before = [np.append(last, column) for last, column in zip(self._last, before, strict=True)]
        first = 0 if self._last is not None else 1
        same = (time[first:] == before[1]) & (in_flight[first:] == before[2]) & (room[first:] == before[3])
        idle = np.zeros(len(record), dtype=np.bool_)
        idle[first:] = same & (events.kind[first:] == Kind.METRICS) & (before[0] >= self._begin)
        self._last = int(record[-1]), float(time[-1]), float(in_flight[-1]), bool(room[-1])
        return steps.only(~idle)
