"""Walks through a trace and checks every epoch of the hybrid controller."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from ..check.numbers import REPORT_ROUNDING, TIME_TOLERANCE
from ..check.verdict import Finding
from ..events import HybridEpoch, HybridParameters
from ..model import NEVER, Feedback, Trace, Update
from .compare import Compared, compare
from .epochs import Measurement
from .late import LatePackets
from .law import Course
from .measured import Limits, Measured
from .reported import check_parameters, limits_of
from .sides import Before
from .standing import Outcome, Standing, starts_anew
from .surroundings import Surroundings
from .verdict import ZonesVerdict


def check(trace: Trace) -> ZonesVerdict:
    """The verdict on a trace of a hybrid sender."""
    return _Check(trace).run()


class _Check:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._limits = [limits_of(p) for p in trace.parameters if isinstance(p.parameters, HybridParameters)]
        self._limit_records = [p.record for p in trace.parameters if isinstance(p.parameters, HybridParameters)]
        first = trace.parameters[0].data
        self._verdict = ZonesVerdict(str(trace.path), first.controller, first.spec, notes=list(trace.notes))
        self._epochs = trace.updates_of(HybridEpoch)
        self._measurement = Measurement(trace, self._limits_in(0))
        self._surroundings = Surroundings(trace)
        self._previous: HybridEpoch | None = None
        self._startup = self._limits[0].parameters.startup > 1.0
        self._course = Course()
        self._late = LatePackets()
        self._jitter = (0.0, 0.0)
        self._standing = Standing()
        self._queues = frozenset({0.0})
        self._next = 0

    def run(self) -> ZonesVerdict:
        v = self._verdict
        v.findings.extend(check_parameters(self._trace))
        for f in self._trace.feedback:
            self._orphans(f.record)
            ended = self._reported_at(f)
            told = self._epochs[self._next].data.rate_before if ended > self._next else None
            self._measurement.tell_skew(self._epochs[self._next].data.skew if self._next < len(self._epochs) else None)
            self._measurement.feedback(f, startup=self._startup, told=told)
            for i in range(self._next, ended):
                self._end(self._epochs[i], f if i == self._next else None)
            self._next = ended
        self._orphans(NEVER)
        if self._measurement.overdue is not None:
            v.findings.append(
                Finding(
                    None,
                    self._measurement.overdue,
                    "timing",
                    "a feedback past L ended no epoch: the last epochs are missing",
                )
            )
        negative = sum(1 for e in v.epochs if e.delta_ms is not None and e.delta_ms < -REPORT_ROUNDING)
        if negative:
            v.notes.append(f"{negative} epochs have a delta below 0: the minima started anew or rose in them")
        v.findings.extend(Finding(None, 0.0, "lost", note) for note in self._trace.notes if "counted as lost" in note)
        return v

    def _goes_on(self, compared: Compared) -> bool:
        """Whether start-up does; where the packets leave it open, the report of the next epoch tells."""
        following = self._epochs[len(self._verdict.epochs) :]
        told = bool(following) and following[0].data.phase == "startup"
        return told if compared.startup_goes_on is None else compared.startup_goes_on

    def _goes_on_with(self, compared: Compared) -> Course:
        """The course; of u, where L was known only as exactly as times are, what the report of the next epoch tells."""
        following = self._epochs[len(self._verdict.epochs) :]
        low, high = compared.undisturbed
        told = following[0].data.undisturbed / 1e3 if following else low
        return replace(compared.course, undisturbed=told) if low < told < high else compared.course

    def _limits_in(self, epoch: int) -> Limits:
        """The parameters in use in the epoch that is reported as number `epoch` of the trace: they are written
        with its end at the latest."""
        epochs = self._epochs
        before = epochs[epoch].record if epoch < len(epochs) else NEVER
        return self._limits[max(bisect_left(self._limit_records, before) - 1, 0)]

    def _reported_at(self, f: Feedback) -> int:
        """The end (exclusive) of the epochs reported before the packet that follows `f`."""
        end = self._next
        while end < len(self._epochs) and self._epochs[end].record < f.group_end:
            end += 1
        return end

    def _orphans(self, before: int) -> None:
        while self._next < len(self._epochs) and self._epochs[self._next].record < before:
            self._end(self._epochs[self._next], None)
            self._next += 1

    def _end(self, event: Update[HybridEpoch], at: Feedback | None) -> None:
        v = self._verdict
        if not self._measurement.started:
            v.findings.append(Finding(event.data.epoch, event.time, "timing", "reported before the first sample"))
            return
        on_feedback = at is not None and abs(at.time - event.time) <= TIME_TOLERANCE
        told = None if event.data.delta is None else event.data.delta / 1e3
        m = self._measurement.end_epoch(event.time, event.record, told, on_feedback=on_feedback)
        compared = compare(event, m, self._before(overwhelmed=self._is_overwhelmed(event.data, m)))
        v.findings.extend(compared.findings)
        v.add(compared.row)
        anew = self._measured_anew(event.data, compared)
        again = compared.interrupted and m.limits.parameters.startup > 1.0
        self._startup = again or (self._startup and not anew and self._goes_on(compared))
        v.findings.extend(self._surroundings.check(event, m, compared.after, startup=self._startup))
        self._follow(event, m, compared, anew=anew)

    def _is_overwhelmed(self, r: HybridEpoch, m: Measured) -> bool:
        lost = min(max(r.lost, m.lost[0]), m.lost[1])
        reports = min(max(r.loss_reports, m.loss_reports[0]), m.loss_reports[1])
        self._late.add(lost, m.acked, reports)
        competes = self._standing.queue > 0.0
        return r.delta is not None and self._late.overwhelm(m.limits.parameters, competes=competes)

    def _before(self, *, overwhelmed: bool) -> Before:
        return Before(
            epoch=self._previous,
            startup=self._startup,
            course=self._course,
            overwhelmed=overwhelmed,
            jitter=self._jitter,
            standing=self._standing,
            queues=self._queues,
            meets_path=self._measurement.meets_path,
        )

    @staticmethod
    def _measured_anew(r: HybridEpoch, compared: Compared) -> bool:
        """Whether only what is sent from now on counts: by the packets, or where they leave it open by the report."""
        told = starts_anew(r.beta, r.outcome)
        return compared.interrupted or told if compared.measured_anew is None else compared.measured_anew

    def _follow(self, event: Update[HybridEpoch], m: Measured, compared: Compared, *, anew: bool) -> None:
        """What the next epoch starts with."""
        r = event.data
        if anew:
            self._late.forget()
            if self._limits[0].parameters.react_once:
                self._measurement.count_since(event.time)
        if self._startup:
            self._measurement.start_up_goes_on(r.rate_after)
        course = self._goes_on_with(compared) if self._measurement.meets_path else compared.course
        self._course, self._jitter = course, compared.after.jitter
        self._follow_path(r, m, compared)
        self._standing, self._queues = compared.standing, compared.queues
        self._measurement.expect(sum(self._jitter) / 2.0)
        self._previous = r
        self._measurement.use(self._limits_in(len(self._verdict.epochs)))

    def _follow_path(self, r: HybridEpoch, m: Measured, compared: Compared) -> None:
        """Interruptions, and paths that are longer than they were."""
        if compared.interrupted:
            if m.limits.parameters.startup > 1.0:
                self._measurement.path_was_interrupted()
        elif r.delta is not None and (self._measurement.meets_path or r.outcome == Outcome.LONGER_PATH.value):
            self._measurement.path_is_longer(m, r.delta / 1e3, r.length / 1e3)
