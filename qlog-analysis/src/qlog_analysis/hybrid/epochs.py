"""What packets and ACKs say about every epoch, independently of the controller.

Only the end times of the epochs and the parameters are taken from the controller's events (and checked by `check`).
"""

from __future__ import annotations

from ..check.numbers import TIME_TOLERANCE
from ..measure.persistent import PersistentCongestion
from ..measure.rtt import Rtt
from ..measure.sliding import Source
from ..measure.sources import Sample
from ..model import TIME_RESOLUTION, Feedback, Space, Trace
from ..zones.flight import Flight
from ..zones.limits import Limits
from ..zones.measured import DELTA_TOLERANCE, Beginning
from ..zones.samples import Samples
from . import law
from .arrivals import Arrivals
from .jitters import Jitters
from .measured import HybridStep, Measured
from .mechanism import Mechanism
from .parameters import SHORT_PATH, STARTUP_SAMPLES, Parameters
from .spans import EpochSpans
from .startup import Ack, Bound, GrowingRate, QueueMet, Told, link_rate
from .thresholds import LongestQueue, startup_end
from .transmission import TransmissionTime, believed


class Measurement:
    """Walks through the feedback of a trace; `end_epoch()` is called at the end of every reported epoch."""

    def __init__(self, trace: Trace, limits: Limits[Parameters]) -> None:
        self._trace = trace
        self._limits = limits
        self._flight = Flight(trace)
        self._own: Samples | None = None
        self._transmission = TransmissionTime()
        self._spans = EpochSpans(0)
        self._newest: list[tuple[Sample, tuple[float, ...], bool]] = []
        self._samples_before: dict[Source, int] = {}
        self._ends_with_ack = self._meets_path = False
        self._growing: GrowingRate | None = None
        self._arrivals, self._queue_met = Arrivals(), QueueMet()
        self._longest: list[LongestQueue] = []
        self._lost: list[int] = []
        self._loss_reports = (0, 0)
        self._lost_total: list[int] = []
        self._acked_packets = self._acks = 0
        self._oldest: float | None = None
        self._start: float | None = None
        self._start_record = 0
        self._first_length: float | None = None
        self._beginning = Beginning(limits.initial_window, {False})
        self._overdue: float | None = None
        self._steps: list[HybridStep] = []
        self._rtt, self._persistent = Rtt(trace), PersistentCongestion(trace)
        self._blackout = {False}
        self._counts_since = -1.0
        self._awaits = self._shows_decrease = False
        self._jitters = Jitters()
        self._jitter = self._expected_ack_gap = 0.0
        self._last_source = Source.ACK
        self._heard = self._longest_gap = 0.0

    @property
    def _samples(self) -> Samples:
        assert self._own is not None
        return self._own

    @property
    def origins(self) -> list[float]:
        """From where windows may count."""
        return self._samples.origins

    @property
    def started(self) -> bool:
        return self._start is not None

    @property
    def meets_path(self) -> bool:
        """Whether no epoch with samples has ended since the path was interrupted."""
        return self._meets_path

    @property
    def overdue(self) -> float | None:
        return self._overdue

    def use(self, limits: Limits[Parameters]) -> None:
        if limits.max_datagram_size != self._limits.max_datagram_size:
            self._jitters.interrupt()
            self._transmission = TransmissionTime()
        self._limits = limits

    def tell_rate(self, rate: float) -> None:
        """R in the next epoch, unless start-up raises it."""
        self._arrivals.tell_rate(rate, rate)

    def slowest_link(self) -> tuple[float, set[bool]]:
        """T as it counts, s, and whether a packet train has shown it."""
        return self._believed(), self._transmission.is_shown

    def tell_skew(self, ppm: float | None) -> None:
        """What is reported of the peer's clock at the end of the epoch under way."""
        for m in self._own.minima if self._own is not None else []:
            m.tell_skew(ppm)

    def expect(self, jitter: float, ack_jitter: float, ack_gap: float) -> None:
        """J and G in the next epoch by its report, s, which is still to be checked."""
        self._jitter, self._expected_ack_gap = jitter, ack_gap
        self._jitters.tell(self._last_source, jitter)
        self._jitters.tell(Source.ACK, ack_jitter)

    def start_up_goes_on(self, rate: float) -> None:
        """The next epoch of start-up begins with this R."""
        if self._growing is not None:
            self._growing.next_epoch(rate)

    def start_up_begins_again(self) -> None:
        """It had ended too early: the queue that it met says nothing."""
        self._queue_met = QueueMet()

    def count_since(self, time: float) -> None:
        """Samples and losses of packets sent up to `time` no longer count, nor those that the epoch began with."""
        self._counts_since = time
        self._awaits = True
        self._forget_samples()

    def pause_windows(self, *, paused: bool) -> None:
        """Whether competing flows keep a queue, so that the minima are not forgotten."""
        assert self._start is not None
        for minima in self._samples.minima:
            minima.pause(self._start, paused=paused)

    def path_was_interrupted(self) -> None:
        """What comes first after that is no queue, and nothing is known of the path."""
        self._longest = self._no_queues()
        self._meets_path, self._queue_met = True, QueueMet()
        self._jitters.forget()
        self._spans = self._empty()
        self._transmission = TransmissionTime()

    def path_is_longer(self, m: Measured, delta: float, length: float) -> None:
        """What the epoch took for a queue, `delta` by the report, is none, and L is `length` from now on. The report is
        more exact than the packets, and it has been checked against them."""
        by = {source: next(iter(m.least(source)), None) for source in Source}
        if by[Source.ACK] is not None:
            by[Source.ACK] = length - m.lengths[0]
        by[m.source] = delta
        for minima in self._samples.minima:
            minima.raise_by(by)
        self._jitters.interrupt()
        self._forget_samples()
        self._spans = self._empty()
        self._meets_path, self._queue_met = False, QueueMet()

    def _forget_samples(self) -> None:
        self._spans.count_none()
        self._samples.forget()

    def feedback(self, f: Feedback, *, startup: bool, early: bool, told: float | None) -> None:
        """`early`: whether a queue in start-up can end the epoch before L is over. `told` is R before the update, if
        the feedback ends an epoch."""
        flight = self._flight.settle(f)
        blackout = self._persistent.record(f, self._rtt)
        self._rtt.record_first(f)
        if True in blackout:
            self._blackout = {a or b for a in self._blackout for b in blackout}
        began = self._start is not None
        if not began:
            if f.space is not Space.APPLICATION or f.sample < 0:
                return
            self._begin_first(f)
        self._samples_before = self._samples.counts() if startup else {}
        self._ends_with_ack = f.space is Space.APPLICATION and len(f.acked) > 0
        self._oldest = newest = None
        if f.space is Space.APPLICATION:
            newest = self._collect(f, flight.acked, ends=told is not None)
        lengths = self._samples.lengths()
        if startup:
            self._grow(f, flight.acked if began else 0, lengths, told)
            if began and not self._meets_path:
                self._look_for_queue(f, lengths, newest)
        growing = (self._growing.low, self._growing.high) if startup and self._growing else None
        if growing is not None:
            self._arrivals.tell_rate(*growing)
        self._steps.append(HybridStep(f, lengths, flight.after, flight.before, growing))
        if told is None and self._overdue is None and self._is_over(f, lengths, early):
            self._overdue = f.time

    def _collect(self, f: Feedback, acked_bytes: int, *, ends: bool) -> Sample | None:
        """Takes an ACK in, which may end the epoch; returns its last sample that counts."""
        sent, lengths = self._trace.sent, self._samples.lengths()
        if f.lost:
            self._count_losses(f)
        if f.acked:
            acked = self._trace.acked_by(f)
            left = [sent.time[p] for p in acked]
            self._hear(f, min(left), lengths[0])
            self._oldest = min([at for at, p in zip(left, acked, strict=True) if sent.ack_eliciting[p]], default=None)
            self._acked_packets += len(acked)
            size = self._limits.max_datagram_size
            self._arrivals.record(f.time, sent.time[max(acked)], acked_bytes, lengths, size)
            if self._awaits and max(left) > self._counts_since:
                self._awaits, self._shows_decrease = False, True
        return self._take(f, lengths, ends=ends)

    def _look_for_queue(self, f: Feedback, lengths: tuple[float, ...], newest: Sample | None) -> None:
        """What the last sample of the source in use says of the queue that ends start-up."""
        if newest is None or newest.source is not self._samples.source or self._growing is None:
            return
        size, p, transmission = self._limits.max_datagram_size, self._limits.parameters, self._believed()
        ends = [
            startup_end(rate, max(length + shift, 0.0), transmission, size, p)
            for rate in (self._growing.low, self._growing.high)
            for length in lengths
            for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)
        ]
        delays = [
            law.queueing(above + shift, self._jitter)
            for above in newest.above
            for shift in (-DELTA_TOLERANCE, DELTA_TOLERANCE)
        ]
        self._queue_met.see(f.time, {delay > end for delay in delays for end in ends})

    def _grow(self, f: Feedback, acked: int, lengths: tuple[float, ...], told: float | None) -> None:
        limits, metrics = self._limits, self._trace.metrics
        if self._growing is None:
            first = self._beginning.around(lengths, limits.max_datagram_size, limits.parameters.initial_rate)
            self._growing = GrowingRate(min(first), max(first))
        i = metrics.row_before(f.group_end)
        shown = Told.by_pacing(metrics.pacing_rate[i]) if i >= 0 else None
        said = shown if told is None else Told.by_report(told)
        links = {x + shift >= SHORT_PATH for x in lengths for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)}
        dispersed = self._transmission.is_dispersed if self._believed() > 0.0 else {False}
        known = {a and b for a in links for b in dispersed}
        # T from receive timestamps is exact; where L bounds it, it is as exact as L.
        slack = TIME_TOLERANCE if 0.0 < self._believed() < self._transmission.smallest else 0.0
        times = (self._believed() + slack, self._believed() - slack)
        low, high = (link_rate(limits.max_datagram_size, t, limits.parameters) for t in times)
        bound = Bound(low, high, known)
        self._growing.on_ack(Ack(f.record, acked), lengths, said, limits.parameters, bound)

    def _is_over(self, f: Feedback, lengths: tuple[float, ...], early: bool) -> bool:
        """Whether the epoch must end here, with all tolerances in favour of going on."""
        assert self._start is not None
        if f.time - self._start - TIME_TOLERANCE >= max(lengths):
            return True
        if self._shows_decrease:
            return True
        enough = early and self._samples_before[self._samples.source] >= STARTUP_SAMPLES
        return enough and self._queue_met.lasts(f.time, lengths, self._expected_ack_gap) == {True}

    def _believed(self) -> float:
        samples = self._samples
        return believed(self._transmission.smallest, samples.lengths()[0], self._jitter, samples.source)

    def _begin_first(self, f: Feedback) -> None:
        self._start, self._start_record, self._heard = f.time, f.record, f.time
        self._first_length = f.time - self._trace.sent.time[f.sample]
        self._beginning = Beginning(self._limits.initial_window, self._blackout)
        p = self._limits.parameters
        self._own = Samples(self._trace, p.base_delay_window, f.time, skew=p.has(Mechanism.CLOCK_SKEW))
        self._longest = self._no_queues()
        self._spans = self._empty()

    def _count_losses(self, f: Feedback) -> None:
        sent = self._trace.sent
        self._lost_total.extend(f.lost)
        lost = [p for p in f.lost if sent.time[p] > self._counts_since]
        self._lost.extend(lost)
        least, most = self._loss_reports
        told = self._flight.bounds(lost)
        self._loss_reports = (least + min(told[0], 1), most + min(told[1], 1))

    def _hear(self, f: Feedback, oldest: float, length: float) -> None:
        """What was not in flight was not held back: the oldest packet, which left then, has waited for as long as its
        RTT exceeds L."""
        waited = max(f.time - oldest - length, 0.0)
        gap = min(f.time - self._heard, waited)
        self._acks += 1
        self._longest_gap, self._heard = max(self._longest_gap, gap), f.time

    def _empty(self) -> EpochSpans:
        return EpochSpans(len(self._samples.minima))

    def _take(self, f: Feedback, lengths: tuple[float, ...], *, ends: bool) -> Sample | None:
        """Those samples count in the next epoch that come with the end of one; `lengths` may L have been before."""
        assert self._start is not None
        limits, newest = self._limits, None
        for sample in self._samples.taken(f, limits.max_datagram_size, limits.max_ack_delay):
            if sample.source is Source.TIMESTAMPS:
                # Receive timestamps that are equal must be so after the detour by the delay.
                received = round(sample.sent_at + sample.owd, 9)
                self._transmission.add(received, sample.in_class, sample.sent_at, restarts=sample.restarts)
            if sample.restarts:
                self._restart_clock(sample.source)
            counts = sample.sent_at > self._counts_since
            if counts or self._awaits:
                self._newest.append((sample, lengths, counts))
            newest = sample if counts else newest
        if not ends:
            self._take_newest(f.time - self._start)
        return newest

    def _restart_clock(self, source: Source) -> None:
        """What samples of the epoch have shown means nothing."""
        self._jitters.clock_step(self._spans.all[source])
        self._spans.restart(source)
        self._samples.restart(source)
        self._newest = [newest for newest in self._newest if newest[0].source is not source]

    def _take_newest(self, at: float) -> None:
        """The samples of the latest feedback are of the epoch under way, which began so long before."""
        for sample, lengths, counts in self._newest:
            if counts:
                self._samples.count(sample)
            self._spans.add(sample, at, lengths, counts=counts)
        self._newest = []

    def sample_rtt(self, f: Feedback) -> None:
        """Of the feedback that ended an epoch: probe timeouts go by these."""
        self._rtt.record(f)

    def end_epoch(self, end: float, end_record: int, told: float | None, *, on_feedback: bool) -> Measured:
        """`told` is the reported delta in s: of what rounding leaves open, the nearest goes into the longest queue."""
        assert self._start is not None
        samples, source = self._samples, self._samples.source
        deltas, lengths = self._spans.counting[source].least(), samples.lengths()
        out = Measured(
            start=self._start,
            end=end,
            on_feedback=on_feedback,
            overdue=self._overdue,
            max_datagram_size=self._limits.max_datagram_size,
            limits=self._limits,
            lengths=lengths,
            source=source,
            samples=len(samples.current.samples),
            deltas=deltas,
            lost=self._flight.bounds(self._lost),
            loss_reports=self._loss_reports,
            lost_total=self._flight.bounds(self._lost_total),
            acked=self._acked_packets,
            acks=self._acks,
            arrived_bits=self._arrivals.take_bits(ends_with_ack=self._ends_with_ack),
            sent_bits=self._flight.sent_bits(self._start_record, end_record),
            trains=self._arrivals.trains.take(self._limits.max_datagram_size),
            skews=[m.skew for m in samples.minima],
            transmission=self._transmission.smallest,
            dispersed=self._transmission.is_dispersed,
            return_delay=samples.return_delay(),
            first_length=self._first_length,
            beginning=self._beginning,
            longest=self._longest_queues(end, deltas, told),
            queues=self._queue_met.lasts(end, lengths, self._expected_ack_gap),
            fills=self._growing.fills if self._growing is not None else {False},
            overlaps=self._overlaps(),
            shows_decrease=self._shows_decrease,
            blackout=self._blackout,
            growing=self._growing,
            steps=self._steps,
            spans=self._spans.counting,
            longest_gap=self._longest_gap,
            jitters=self._jitters.end_epoch(self._spans, source, told),
            ack_jitters=self._jitters.levels(Source.ACK),
        )
        if self._shows_decrease:
            self._jitters.interrupt()
        self._last_source = source
        samples.end_epoch(out.acked, out.lost[1])
        self._begin_next(end, end_record)
        return out

    def _overlaps(self) -> set[bool]:
        """Whether the oldest packet that the last feedback acknowledges was sent before the epoch began."""
        oldest, start = self._oldest, self._start or 0.0
        return {oldest is not None and oldest < start + x for x in (-TIME_RESOLUTION, TIME_RESOLUTION)}

    def _no_queues(self) -> list[LongestQueue]:
        window = self._limits.parameters.base_delay_window
        return [LongestQueue(window, origin) for origin in self._samples.origins]

    def _longest_queues(self, end: float, deltas: list[float], told: float | None) -> list[float]:
        """The longest recent queue with that of this epoch."""
        delta = min(deltas, key=lambda d: abs(d - (told or 0.0)), default=None)
        queue = None if delta is None else law.queueing(delta, self._jitter)
        return [longest.end_epoch(end, queue) for longest in self._longest]

    def _begin_next(self, end: float, end_record: int) -> None:
        self._start, self._start_record = end, end_record
        self._heard, self._longest_gap = end, 0.0
        self._lost, self._loss_reports, self._lost_total = [], (0, 0), []
        self._steps = []
        self._spans = self._empty()
        self._blackout = {False}
        self._shows_decrease, self._oldest = False, None
        self._acked_packets = self._acks = 0
        self._first_length = self._overdue = None
        self._take_newest(0.0)
