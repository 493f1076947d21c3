"""Persistent congestion (RFC 9002, section 7.6), as "Slow start and loss" in docs/papers/smallq.md has it."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import TIME_RESOLUTION, Feedback, Trace
from .rtt import Rtt


@dataclass(slots=True)
class PersistentCongestion:
    """Runs of packets that one feedback declares lost, of those sent after everything acknowledged before, with nothing
    acknowledged between them."""

    trace: Trace
    _newest_acked: float = -1.0

    def record(self, f: Feedback, rtt: Rtt) -> set[bool]:
        """Whether there is any; both if rounding decides."""
        before = self._newest_acked
        sent = self.trace.sent
        if not f.lost:
            if len(f.acked):
                self._newest_acked = max(before, sent.time[self.trace.acked[f.acked[-1]]])
            return {False}
        acked = sorted(sent.time[self.trace.acked[i]] for i in f.acked)
        self._newest_acked = max([before, *acked[-1:]])
        if rtt.first is None:
            return {False}
        longest, start = 0.0, None
        for p in f.lost:
            at = sent.time[p]
            while acked and acked[0] <= at:
                acked.pop(0)
                start = None
            if at <= rtt.first or at <= before:
                continue
            start = at if start is None else start
            longest = max(longest, at - start)
        needed = rtt.persistent_congestion().wider(2.0 * TIME_RESOLUTION)
        return {longest > needed.low, longest > needed.high}
