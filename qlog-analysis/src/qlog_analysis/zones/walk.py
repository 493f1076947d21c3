"""Walks through a trace, from one end of an epoch to the next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable
from typing import Generic, TypeVar

from ..check.numbers import REPORT_ROUNDING, TIME_TOLERANCE
from ..check.verdict import Finding
from ..events import ZoneEpoch
from ..model import NEVER, Feedback, ParametersEvent, Trace, Update
from .limits import Limits
from .verdict import ZonesVerdict

R = TypeVar("R", bound=ZoneEpoch)
P = TypeVar("P")
V = TypeVar("V", bound=ZonesVerdict)


class EpochWalk(ABC, Generic[R, P, V]):
    """Every feedback is taken in, and every epoch ends at the feedback before its report."""

    def __init__(
        self,
        trace: Trace,
        kinds: tuple[type[R], type],
        limits: Callable[[ParametersEvent], Limits[P]],
        verdict: type[V],
    ) -> None:
        """`kinds` are those of epochs and of parameters."""
        its_epochs, its_parameters = kinds
        known = [p for p in trace.parameters if isinstance(p.parameters, its_parameters)]
        self._trace = trace
        self._limits = [limits(p) for p in known]
        self._limit_records = [p.record for p in known]
        self._epochs = trace.updates_of(its_epochs)
        self._next = 0
        first = trace.parameters[0].data
        self._verdict = verdict(str(trace.path), first.controller, first.spec, notes=list(trace.notes))

    @abstractmethod
    def _take(self, f: Feedback, ends: R | None) -> None:
        """Takes a feedback in; `ends` is the report of the epoch that ends with it."""

    @property
    @abstractmethod
    def _started(self) -> bool:
        """Whether the first epoch has begun."""

    @property
    @abstractmethod
    def _overdue(self) -> float | None:
        """Time of the feedback that should have ended the epoch under way."""

    @abstractmethod
    def _end(self, event: Update[R], at: Feedback | None, *, on_feedback: bool) -> None:
        """Compares an epoch; `on_feedback` says whether it ended at the time of `at`, which came just before."""

    def run(self) -> V:
        v = self._verdict
        for f in self._trace.feedback:
            self._orphans(f.record)
            ended = self._reported_at(f)
            self._take(f, self._epochs[self._next].data if ended > self._next else None)
            for i in range(self._next, ended):
                self._compare(self._epochs[i], f if i == self._next else None)
            self._next = ended
        self._orphans(NEVER)
        if self._overdue is not None:
            message = "a feedback past L ended no epoch: the last epochs are missing"
            v.findings.append(Finding(None, self._overdue, "timing", message))
        negative = sum(1 for e in v.epochs if e.delta_ms is not None and e.delta_ms < -REPORT_ROUNDING)
        if negative:
            v.notes.append(f"{negative} epochs have a delta below 0: the minima started anew or rose in them")
        v.findings.extend(Finding(None, m.time, "lost", str(m)) for m in self._trace.miscounted)
        return v

    def _limits_in(self, epoch: int) -> Limits[P]:
        """The parameters in use in the epoch that is reported as number `epoch` of the trace: they are written
        with its end at the latest."""
        before = self._epochs[epoch].record if epoch < len(self._epochs) else NEVER
        return self._limits[max(bisect_left(self._limit_records, before) - 1, 0)]

    def _reported_at(self, f: Feedback) -> int:
        """The end (exclusive) of the epochs reported before the packet that follows `f`."""
        end = self._next
        while end < len(self._epochs) and self._epochs[end].record < f.group_end:
            end += 1
        return end

    def _orphans(self, before: int) -> None:
        while self._next < len(self._epochs) and self._epochs[self._next].record < before:
            self._compare(self._epochs[self._next], None)
            self._next += 1

    def _compare(self, event: Update[R], at: Feedback | None) -> None:
        if not self._started:
            message = "reported before the first sample"
            self._verdict.findings.append(Finding(event.data.epoch, event.time, "timing", message))
            return
        self._end(event, at, on_feedback=at is not None and abs(at.time - event.time) <= TIME_TOLERANCE)
