"""What packets and ACKs say about every epoch, independently of the controller.

Only the end times of the epochs and the parameters are taken from the controller's events (and checked by `check`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..check.numbers import TIME_TOLERANCE
from ..measure.persistent import PersistentCongestion
from ..measure.rtt import Rtt
from ..model import Feedback, Space, Trace
from ..zones.flight import Flight
from ..zones.limits import Limits
from ..zones.measured import Beginning, Shown, Step
from ..zones.samples import Samples
from .parameters import Parameters


@dataclass(slots=True)
class Measured(Shown):
    limits: Limits[Parameters]
    rowds: list[list[float]]
    """ROWDs of the samples in order of arrival; several lists where rounding decides what has been forgotten."""
    return_delay_before: float
    """That of the epoch before, which holds while the epoch lasts, s."""
    steps: list[Step]


class Measurement:
    """Walks through the feedback of a trace; `end_epoch()` is called at the end of every reported epoch."""

    def __init__(self, trace: Trace, limits: Limits[Parameters]) -> None:
        self._trace = trace
        self._limits = limits
        self._flight = Flight(trace)
        self._rtt, self._persistent = Rtt(trace), PersistentCongestion(trace)
        self._samples: Samples | None = None
        self._return_delay = 0.0
        self._first_length: float | None = None
        self._beginning = Beginning(limits.initial_window, {False})
        self._begin(0.0, 0)

    def _begin(self, start: float, record: int) -> None:
        self._start, self._start_record = start, record
        self._lost: list[int] = []
        self._acked = 0
        self._steps: list[Step] = []
        self._blackout = {False}
        self.overdue: float | None = None
        """Time of the feedback that should have ended the epoch."""

    @property
    def started(self) -> bool:
        return self._samples is not None

    def use(self, limits: Limits[Parameters]) -> None:
        """In the next epoch."""
        self._limits = limits

    def feedback(self, f: Feedback, *, ends: bool) -> None:
        """`ends` says whether it ends an epoch by the report."""
        flight = self._flight.settle(f)
        self._blackout = {a or b for a in self._blackout for b in self._persistent.record(f, self._rtt)}
        self._rtt.record_first(f)
        samples = self._samples or self._first(f)
        if samples is None:
            return
        if f.space is Space.APPLICATION:
            self._lost.extend(f.lost)
            self._acked += len(f.acked)
            for sample in samples.taken(f, self._limits.max_datagram_size, self._limits.max_ack_delay):
                if sample.restarts:
                    samples.restart(sample.source)
                samples.count(sample)
        lengths = samples.lengths()
        self._steps.append(Step(f, lengths, flight.after, flight.before))
        is_over = f.time - self._start - TIME_TOLERANCE >= max(lengths)
        if is_over and not ends and self.overdue is None:
            self.overdue = f.time

    def _first(self, f: Feedback) -> Samples | None:
        """The first epoch begins with the first sample."""
        if f.space is Space.APPLICATION and f.sample >= 0:
            self._start, self._start_record = f.time, f.record
            self._first_length = f.time - self._trace.sent.time[f.sample]
            self._beginning = Beginning(self._limits.initial_window, self._blackout)
            self._samples = Samples(self._trace, self._limits.parameters.base_delay_window, f.time)
        return self._samples

    def end_epoch(self, end: float, record: int, at: Feedback | None, *, on_feedback: bool) -> Measured:
        """`at` is the feedback that ended it: probe timeouts go by the samples of these."""
        samples = self._samples
        assert samples is not None
        before, self._return_delay = self._return_delay, samples.return_delay()
        lost = self._flight.bounds(self._lost)
        out = Measured(
            start=self._start,
            end=end,
            on_feedback=on_feedback,
            overdue=self.overdue,
            max_datagram_size=self._limits.max_datagram_size,
            lengths=samples.lengths(),
            source=samples.source,
            samples=len(samples.current.samples),
            deltas=samples.means(),
            lost=lost,
            lost_total=lost,
            acked=self._acked,
            sent_bits=self._flight.sent_bits(self._start_record, record),
            return_delay=self._return_delay,
            first_length=self._first_length,
            beginning=self._beginning,
            blackout=self._blackout,
            limits=self._limits,
            rowds=samples.rowds(),
            return_delay_before=before,
            steps=self._steps,
        )
        samples.end_epoch(self._acked, lost[1])
        if at is not None:
            self._rtt.record(at)
        self._begin(end, record)
        self._first_length = None
        return out
