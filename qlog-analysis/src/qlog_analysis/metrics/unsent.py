"""Since when data waited that could leave."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..measure.data_events import Kind, OfKind, Rows, SendLimits, in_order
from ..measure.waiting import Waiting
from ..model import Trace
from .windows import Window


class Unsent:
    """New data that was written and that flow control lets go. Nothing where the trace does not tell."""

    def __init__(self, trace: Trace) -> None:
        written = trace.written
        self.is_known = len(written) > 0 and trace.first_limits is not None
        self._written = Rows(Kind.WRITTEN, written.record, written.time) if self.is_known else None
        self._limits = SendLimits(trace)
        self._waiting = Waiting(trace, losses=False)

    def since(self, w: Window, end: Floats) -> Floats:
        """For each gap after the packets of the window, of which all are asked for in their order: since when data
        waited until its end; its end if none did. What follows the last packet is none: nothing ends it."""
        s = w.sends
        if self._written is None or not len(s):
            return end
        sent = OfKind(Kind.SENT, s.record, s.time, s.packet)
        _, time, events = in_order([sent, self._written.until(w.next_record), *self._limits.until(w.next_record)])
        waits = self._waiting.after(events)
        begin = np.flatnonzero(events.kind == Kind.SENT)
        last = np.append(begin[1:], len(events)) - 1
        empty = np.maximum.accumulate(np.where(waits, -1, np.arange(len(events))))[last]
        first = np.minimum(np.maximum(empty + 1, begin), last)
        since = np.where(empty == last, end, np.clip(time[first], s.time, end))
        if w.next_time is None:
            since[-1:] = end[-1:]
        return np.asarray(since, dtype=np.float64)
