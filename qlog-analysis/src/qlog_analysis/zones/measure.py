"""What packets and ACKs say about every epoch, independently of the controller.

Only the end times of the epochs and the parameters are taken from the controller's events (and checked by `check`).
"""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field

from ..hybrid import law
from ..hybrid.parameters import STARTUP_SAMPLES, Parameters
from ..hybrid.sliding import CLASSES, PathMinima, size_class
from ..model import TIME_RESOLUTION, Feedback, Space, Trace

TIME_TOLERANCE = 2.5 * TIME_RESOLUTION
"""Between two differences of trace times, each truncated to 1 us, with room for the rounding of decimals."""
DELTA_TOLERANCE = 5 * TIME_RESOLUTION
"""Each OWD is the difference of two times truncated to 1 us, and so is its minimum."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What `cc:parameters_set` says besides the parameters."""

    parameters: Parameters
    max_datagram_size: int
    max_ack_delay: float


@dataclass(frozen=True, slots=True)
class Sample:
    packet: int
    rtt: float
    ack_delay: float
    size: int

    def owd(self, max_ack_delay: float) -> float:
        """ACK arrival - send time - ACK delay, capped, and ignored if it exceeds the RTT."""
        delay = min(self.ack_delay, max_ack_delay)
        return self.rtt - delay if delay <= self.rtt else self.rtt


@dataclass(frozen=True, slots=True)
class Step:
    """The state after one feedback."""

    feedback: Feedback
    lengths: tuple[float, ...]
    """Values that L may have."""
    in_flight: int
    """Bytes of ack-eliciting packets of the application space that are neither acknowledged nor lost."""


@dataclass(slots=True)
class Measured:
    """One epoch as packets and ACKs show it."""

    start: float
    end: float
    end_record: int
    on_feedback: bool
    """Whether the epoch ended at a feedback event."""
    overdue: float | None
    """Time of an earlier feedback that should have ended the epoch."""
    limits: Limits
    lengths: tuple[float, ...]
    """Values that L may have at the end; more than one only where rounding decides what has been forgotten."""
    rowds: list[list[float]]
    """ROWDs of the samples that count, in order of arrival; one list per entry of `lengths`."""
    lost: tuple[int, int]
    """Losses that count: at least and at most (packets that are not ack-eliciting are in the latter only)."""
    acked_bits: float
    sent_bits: float
    first_length: float | None
    """L at the first feedback, in the first epoch only."""
    steps: list[Step] = field(default_factory=list)


class Measurement:
    """Walks through the feedback of a trace; `epoch()` is called at the end of every reported epoch."""

    def __init__(self, trace: Trace, limits: Limits) -> None:
        self._trace = trace
        self._limits = limits
        self._minima: list[PathMinima] = []
        self._samples: list[Sample] = []
        self._owd_sum = 0.0
        self._class_count = [0] * CLASSES
        self._lost: list[int] = []
        self._acked_bytes = 0
        self._start: float | None = None
        self._start_record = 0
        self._first_length: float | None = None
        self._overdue: float | None = None
        self._steps: list[Step] = []
        self._settled = 0  # bytes acknowledged or lost so far
        self._counts_since = -1
        sent = trace.sent
        counted = [s if e else 0 for s, e in zip(sent.size, sent.ack_eliciting, strict=True)]
        in_space = (n if s == Space.APPLICATION else 0 for n, s in zip(counted, sent.space, strict=True))
        self._sent_before = array("q", itertools.accumulate(counted, initial=0))
        self._sent_in_space = array("q", itertools.accumulate(in_space, initial=0))

    @property
    def started(self) -> bool:
        return self._start is not None

    @property
    def overdue(self) -> float | None:
        return self._overdue

    def use(self, limits: Limits) -> None:
        if limits.max_datagram_size != self._limits.max_datagram_size:
            for m in self._minima:
                m.clear_owd()
        self._limits = limits

    def count_since(self, record: int) -> None:
        """Samples and losses of packets sent before `record` no longer count."""
        self._counts_since = record

    def feedback(self, f: Feedback, *, startup: bool, ends_epoch: bool) -> None:
        self._settle(f)
        sample = self._sample(f)
        if self._start is None:
            if sample is None:
                return
            self._begin_first(f, sample)
        if f.space is Space.APPLICATION:
            for m in self._minima:
                m.advance(f.time)
            self._count(f)
        if sample is not None:
            self._take(f, sample)
        lengths = self._lengths()
        self._steps.append(Step(f, lengths, self._in_flight(f)))
        if not ends_epoch and self._overdue is None and self._is_over(f, lengths, startup):
            self._overdue = f.time

    def _is_over(self, f: Feedback, lengths: tuple[float, ...], startup: bool) -> bool:
        """Whether the epoch must end here, with all tolerances in favour of going on."""
        assert self._start is not None
        elapsed = f.time - self._start >= max(lengths) + TIME_TOLERANCE
        if not startup:
            return elapsed
        queueing = law.ends_startup(self._mean() - DELTA_TOLERANCE, self._limits.parameters)
        return len(self._samples) >= STARTUP_SAMPLES and (elapsed or queueing)

    def _mean(self) -> float:
        """The smallest mean ROWD so far that the sub-windows allow, 0 without samples."""
        n = len(self._samples)
        bases = (sum(c * x for c, x in zip(self._class_count, m.owd_minima(), strict=True) if c) for m in self._minima)
        return min((self._owd_sum - base) / n for base in bases) if n else 0.0

    def _settle(self, f: Feedback) -> None:
        if f.space is Space.APPLICATION:
            sent, acked = self._trace.sent, self._trace.acked
            gone = itertools.chain((acked[i] for i in f.acked), f.lost)
            self._settled += sum(sent.size[p] for p in gone if sent.ack_eliciting[p])

    def _in_flight(self, f: Feedback) -> int:
        return self._sent_in_space[bisect_right(self._trace.sent.record, f.record)] - self._settled

    def _sample(self, f: Feedback) -> Sample | None:
        if f.space is not Space.APPLICATION or f.sample < 0:
            return None
        sent = self._trace.sent
        # quiche tells its controllers a size of 0 for packets that are not ack-eliciting.
        size = sent.size[f.sample] if sent.ack_eliciting[f.sample] else 0
        return Sample(f.sample, f.time - sent.time[f.sample], f.ack_delay, size)

    def _begin_first(self, f: Feedback, sample: Sample) -> None:
        self._start, self._start_record = f.time, f.record
        self._first_length = sample.rtt
        window = self._limits.parameters.owdwin
        # A sample that arrives at the boundary of two sub-windows belongs to either, as far as the trace can tell.
        self._minima = [PathMinima(window, f.time + shift) for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)]

    def _count(self, f: Feedback) -> None:
        sent = self._trace.sent
        self._lost.extend(p for p in f.lost if sent.record[p] > self._counts_since)
        acked = self._trace.acked
        self._acked_bytes += sum(sent.size[acked[i]] for i in f.acked if sent.ack_eliciting[acked[i]])

    def _take(self, f: Feedback, sample: Sample) -> None:
        in_class = size_class(sample.size, self._limits.max_datagram_size)
        for m in self._minima:
            m.insert_rtt(f.time, in_class, sample.rtt)
            m.insert_owd(f.time, in_class, sample.owd(self._limits.max_ack_delay))
        if self._trace.sent.record[sample.packet] > self._counts_since:
            self._samples.append(sample)
            self._owd_sum += sample.owd(self._limits.max_ack_delay)
            self._class_count[in_class - 1] += 1

    def _lengths(self) -> tuple[float, ...]:
        return tuple(m.length() or 0.0 for m in self._minima)

    def end_epoch(self, end: float, end_record: int, *, on_feedback: bool) -> Measured:
        assert self._start is not None
        sent = self._trace.sent
        first = bisect_right(sent.record, self._start_record)
        last = bisect_right(sent.record, end_record)
        out = Measured(
            start=self._start,
            end=end,
            end_record=end_record,
            on_feedback=on_feedback,
            overdue=self._overdue,
            limits=self._limits,
            lengths=self._lengths(),
            rowds=[self._rowds(m.owd_minima()) for m in self._minima],
            lost=(sum(sent.ack_eliciting[p] for p in self._lost), len(self._lost)),
            acked_bits=8.0 * self._acked_bytes,
            sent_bits=8.0 * (self._sent_before[last] - self._sent_before[first]),
            first_length=self._first_length,
            steps=self._steps,
        )
        self._start, self._start_record = end, end_record
        self._samples, self._lost, self._steps = [], [], []
        self._acked_bytes = 0
        self._owd_sum, self._class_count = 0.0, [0] * CLASSES
        self._first_length = self._overdue = None
        return out

    def _rowds(self, minima: tuple[float, ...]) -> list[float]:
        limits = self._limits
        return [
            s.owd(limits.max_ack_delay) - minima[size_class(s.size, limits.max_datagram_size) - 1]
            for s in self._samples
        ]
