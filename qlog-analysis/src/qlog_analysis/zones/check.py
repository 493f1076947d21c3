"""Walks through a trace and checks every epoch of the hybrid controller."""

from __future__ import annotations

from bisect import bisect_left

from ..errors import UnsuitableTraceError
from ..model import NEVER, EpochEvent, Feedback, Trace
from ..wire import HybridEpoch
from .compare import REPORT_ROUNDING, Comparison
from .measure import TIME_TOLERANCE, Limits, Measurement
from .parameters import check_parameters, limits_of
from .surroundings import Surroundings
from .verdict import Finding, Verdict


def check(trace: Trace) -> Verdict:
    """The verdict on a trace. Raises UnsuitableTraceError if it is none of a hybrid sender."""
    _refuse_unsuitable(trace)
    return _Check(trace).run()


def _refuse_unsuitable(trace: Trace) -> None:
    if trace.controller is None or trace.parameters[0].hybrid is None:
        controller = trace.controller or "none"
        states = sorted({s.name for s in trace.states})[:4]
        raise UnsuitableTraceError(
            f"{trace.path}: no events of the hybrid controller (`cc:parameters_set` with controller 'hybrid'); "
            f"controller: {controller}, states seen: {', '.join(states) or 'none'}. "
            "Zones exist only in the trace of an endpoint that sends with hybrid"
        )
    if not trace.sent.time or not trace.feedback:
        raise UnsuitableTraceError(f"{trace.path}: no packets or no ACKs in the trace, nothing to compute zones from")


class _Check:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._limits = [limits_of(p) for p in trace.parameters if p.hybrid is not None]
        self._limit_records = [p.record for p in trace.parameters if p.hybrid is not None]
        self._verdict = Verdict(str(trace.path), trace.parameters[0].data.spec, notes=list(trace.notes))
        self._measurement = Measurement(trace, self._limits_in(0))
        self._surroundings = Surroundings(trace)
        self._previous: HybridEpoch | None = None
        self._startup = self._limits[0].parameters.startup > 1.0
        self._next = 0

    def run(self) -> Verdict:
        v = self._verdict
        v.findings.extend(check_parameters(self._trace))
        for f in self._trace.feedback:
            self._orphans(f.record)
            ended = self._reported_at(f)
            self._measurement.feedback(f, startup=self._startup, ends_epoch=ended > self._next)
            for i in range(self._next, ended):
                self._end(self._trace.epochs[i], f if i == self._next else None)
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
            v.notes.append(f"{negative} epochs have a delta below 0: the minima started anew in them")
        v.findings.extend(Finding(None, 0.0, "lost", note) for note in self._trace.notes if "counted as lost" in note)
        return v

    def _limits_in(self, epoch: int) -> Limits:
        """The parameters in use in the epoch that is reported as number `epoch` of the trace: they are written
        with its end at the latest."""
        epochs = self._trace.epochs
        before = epochs[epoch].record if epoch < len(epochs) else NEVER
        return self._limits[max(bisect_left(self._limit_records, before) - 1, 0)]

    def _reported_at(self, f: Feedback) -> int:
        """The end (exclusive) of the epochs reported before the packet that follows `f`."""
        end = self._next
        while end < len(self._trace.epochs) and self._trace.epochs[end].record < f.group_end:
            end += 1
        return end

    def _orphans(self, before: int) -> None:
        while self._next < len(self._trace.epochs) and self._trace.epochs[self._next].record < before:
            self._end(self._trace.epochs[self._next], None)
            self._next += 1

    def _end(self, event: EpochEvent, at: Feedback | None) -> None:
        v = self._verdict
        if not self._measurement.started:
            v.findings.append(Finding(event.data.epoch, event.time, "timing", "reported before the first sample"))
            return
        on_feedback = at is not None and abs(at.time - event.time) <= TIME_TOLERANCE
        m = self._measurement.end_epoch(event.time, event.record, on_feedback=on_feedback)
        compared = Comparison(event, m, self._previous, self._startup).run()
        v.findings.extend(compared.findings)
        v.findings.extend(self._surroundings.check(event, m))
        v.epochs.append(compared.row)
        self._follow(event, compared.measured_decrease)

    def _follow(self, event: EpochEvent, measured_decrease: bool | None) -> None:
        """What the next epoch starts with. The packets decide whether R was lowered; where they leave it open, the
        report does."""
        r = event.data
        decreased = r.beta is not None if measured_decrease is None else measured_decrease
        once = self._limits[0].parameters.react_once
        stepped = self._startup and r.zone is not None and not decreased
        if stepped or (decreased and once):
            self._measurement.count_since(event.time)
        elif self._startup and decreased:
            self._measurement.count_since(-1.0)
        self._startup = self._startup and not decreased
        self._previous = r
        self._measurement.use(self._limits_in(len(self._verdict.epochs)))
