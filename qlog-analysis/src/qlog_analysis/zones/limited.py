"""Whether an epoch can have been limited by the application: "Application-limited epochs" in
docs/papers/hybrid-measuring.md."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TypeVar

from ..check.verdict import Finding
from ..events import ZoneEpoch
from ..measure.used import Used
from ..model import Feedback, Trace, Update
from .backlog import Backlog
from .measured import Step

R = TypeVar("R", bound=ZoneEpoch)


class Limited:
    """Asked epoch by epoch, in their order."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._backlog = Backlog(trace)
        self._since = -1
        """Record with which the epoch began."""

    def check(
        self,
        event: Update[R],
        steps: Sequence[Step],
        packet: int,
        is_far_beyond: Callable[[], bool] | None = None,
    ) -> Iterator[Finding]:
        """Recovery may have noticed that no data waits, which stands in no event; but not if data waited all the time.
        `is_far_beyond` tells of start-up whether R may have been far beyond its use, which counts as well."""
        since, self._since = self._since, event.record
        if not event.data.app_limited or not steps or since < 0:
            return
        used = self._surely_full(steps, packet) if is_far_beyond is None else not is_far_beyond()
        if used and self._backlog.waits(since, event.record):
            why = "the window was full" if is_far_beyond is None else "R was not far beyond its use"
            message = f"reported, but data waited all the time, and {why}"
            yield Finding(event.data.epoch, event.time, "app_limited", message)

    def _surely_full(self, steps: Sequence[Step], packet: int) -> bool:
        """Whether the window was, at a feedback before which no packet more fitted."""
        return any(step.in_flight_before + packet > self._window_before(step.feedback) for step in steps)

    def _window_before(self, f: Feedback) -> float:
        """NaN, which nothing exceeds, where it is not known."""
        m = self._trace.metrics
        row = bisect_left(m.record, f.record) - 1
        return m.congestion_window[row] if row >= 0 else float("nan")

    @cached_property
    def most_in_flight(self) -> dict[int, float]:
        """U at each feedback, by its record: the least that it may be, bytes."""
        used, out = Used(self._trace), {}
        for f in self._trace.feedback:
            used.record(f)
            out[f.record] = min(used.most)
        return out
