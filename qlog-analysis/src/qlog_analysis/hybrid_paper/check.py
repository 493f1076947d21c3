"""Walks through a trace and checks every epoch of the paper's controller."""

from __future__ import annotations

from collections.abc import Iterator

from ..check.numbers import TIME_TOLERANCE
from ..check.options import check_options
from ..check.verdict import Finding
from ..events import PaperEpoch, PaperParameters
from ..model import Feedback, Trace, Update
from ..zones.limited import Limited
from ..zones.measured import DELTA_TOLERANCE, Step
from ..zones.names import ZONE_NAMES
from ..zones.surroundings import Expected, Surroundings
from ..zones.verdict import ZonesVerdict
from ..zones.walk import EpochWalk
from ..zones.windows import Windows
from .compare import Comparison, windows
from .epochs import Measured, Measurement
from .parameters import PROFILES, Parameters, parameters_of


def check(trace: Trace) -> ZonesVerdict:
    """The verdict on a trace of a sender with the paper's controller."""
    return _Check(trace).run()


class _Check(EpochWalk[PaperEpoch, Parameters, ZonesVerdict]):
    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, (PaperEpoch, PaperParameters), parameters_of, ZonesVerdict)
        self._verdict.findings.extend(check_options(trace, PROFILES))
        self._measurement = Measurement(trace, self._limits_in(0))
        self._surroundings = Surroundings(trace)
        self._limited = Limited(trace)
        self._previous: PaperEpoch | None = None
        self._state: str | None = None

    @property
    def _started(self) -> bool:
        return self._measurement.started

    @property
    def _overdue(self) -> float | None:
        return self._measurement.overdue

    def _take(self, f: Feedback, ends: PaperEpoch | None) -> None:
        self._measurement.feedback(f, ends=ends is not None)

    def _end(self, event: Update[PaperEpoch], at: Feedback | None, *, on_feedback: bool) -> None:
        m = self._measurement.end_epoch(event.time, event.record, at, on_feedback=on_feedback)
        compared = Comparison(event, m, self._previous)
        compared.run()
        self._verdict.findings.extend(compared.findings)
        self._verdict.findings.extend(self._limited.check(event, m, m.steps))
        self._verdict.add(compared.row())
        if m.steps:
            self._verdict.findings.extend(self._surrounded(event, m))
        self._previous = event.data
        self._measurement.use(self._limits_in(len(self._verdict.epochs)))

    def _surrounded(self, event: Update[PaperEpoch], m: Measured) -> Iterator[Finding]:
        p, size, r = m.limits.parameters, m.max_datagram_size, event.data
        if r.epoch == 0 and p.gamma > 0.0:

            def pacing(rtt: float) -> list[float]:
                return [rate / p.gamma for rate in m.beginning.rates(rtt, size, p.initial_rate)]

            yield from self._surroundings.first_flight(m.steps[0].feedback, pacing)
        meanwhile = [Expected(s, (r.rate_before, r.rate_before), _meanwhile(s, r, m)) for s in m.steps[:-1]]
        end = Expected(m.steps[-1], (r.rate_after, r.rate_after), Windows(r.window, r.window, 1))
        if r.zone is not None:
            self._state = ZONE_NAMES[r.zone]
        yield from self._surroundings.check(r.epoch, [*meanwhile, end], p.gamma, self._state)


def _meanwhile(step: Step, r: PaperEpoch, m: Measured) -> Windows:
    """W while the epoch lasted."""
    tolerance = TIME_TOLERANCE + (2 * DELTA_TOLERANCE if m.return_delay_before else 0.0)
    return windows(r.rate_before, [x + m.return_delay_before for x in step.lengths], m, tolerance)
