"""What packets and ACKs say about every epoch, independently of the controller.

Only the end times of the epochs and the parameters are taken from the controller's events (and checked by `check`).
"""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_left, bisect_right

from ..check.numbers import TIME_TOLERANCE
from ..measure.persistent import PersistentCongestion
from ..measure.rtt import Rtt
from ..measure.sliding import PathMinima, Source
from ..measure.sources import Sample, Sources
from ..model import TIME_RESOLUTION, Feedback, Space, Trace
from . import law
from .measured import DELTA_TOLERANCE, Limits, Measured, Step
from .parameters import SHORT_PATH, STARTUP_SAMPLES
from .startup import Bound, GrowingRate, QueueMet, Told
from .tally import Tally
from .thresholds import LongestQueue, startup_end
from .transmission import TransmissionTime, believed


class Measurement:
    """Walks through the feedback of a trace; `epoch()` is called at the end of every reported epoch."""

    def __init__(self, trace: Trace, limits: Limits) -> None:
        self._trace = trace
        self._limits = limits
        self._minima: list[PathMinima] = []
        self._sources: Sources | None = None
        self._transmission = TransmissionTime()
        self._tally: dict[Source, Tally] = {}
        self._growing: GrowingRate | None = None
        self._queue_met = QueueMet()
        self._meets_path = False
        self._longest: list[LongestQueue] = []
        self._return_delay = 0.0
        self._lost: list[int] = []
        self._loss_reports = (0, 0)
        self._lost_in_all: list[int] = []
        self._acked_packets = 0
        self._acked_bytes = 0
        self._oldest: float | None = None
        self._start: float | None = None
        self._start_record = 0
        self._first_length: float | None = None
        self._overdue: float | None = None
        self._steps: list[Step] = []
        self._rtt, self._persistent = Rtt(trace), PersistentCongestion(trace)
        self._blackout = {False}
        self._settled = 0  # bytes acknowledged or lost so far
        self._counts_since = -1.0
        self._awaits = self._shows_decrease = False
        self._jitter = 0.0
        sent = trace.sent
        counted = [s if e else 0 for s, e in zip(sent.size, sent.ack_eliciting, strict=True)]
        in_space = (n if s == Space.APPLICATION else 0 for n, s in zip(counted, sent.space, strict=True))
        self._sent_before = array("q", itertools.accumulate(counted, initial=0))
        self._sent_in_space = array("q", itertools.accumulate(in_space, initial=0))

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

    def use(self, limits: Limits) -> None:
        if limits.max_datagram_size != self._limits.max_datagram_size:
            for m in self._minima:
                m.clear_owd(*Source)
            self._transmission = TransmissionTime()
        self._limits = limits

    def tell_skew(self, ppm: float | None) -> None:
        """What is reported of the peer's clock at the end of the epoch under way."""
        for m in self._minima:
            m.tell_skew(ppm)

    def expect(self, jitter: float) -> None:
        """J in the next epoch, s."""
        self._jitter = jitter

    def start_up_goes_on(self, rate: float) -> None:
        """The next epoch of start-up begins with this R."""
        if self._growing is not None:
            self._growing.next_epoch(rate)

    def count_since(self, time: float) -> None:
        """Samples and losses of packets sent up to `time` no longer count; with `drain` nothing does until a packet
        comes back that was sent since."""
        self._counts_since = time
        self._awaits = self._limits.parameters.drain > 0.0

    def path_was_interrupted(self) -> None:
        """What comes first after that is no queue."""
        self._meets_path, self._queue_met = True, QueueMet()

    def path_is_longer(self, m: Measured, delta: float, length: float) -> None:
        """What the epoch took for a queue, `delta` by the report, is none, and L is `length` from now on. The report is
        more exact than the packets, and it has been checked against them."""
        by = {source: next(iter(m.least(source)), None) for source in Source}
        if by[Source.ACK] is not None:
            by[Source.ACK] = length - m.lengths[0]
        if self._limits.parameters.least:
            by[m.source] = delta
        for minima in self._minima:
            minima.raise_by(by)
        self._meets_path, self._queue_met = False, QueueMet()

    def feedback(self, f: Feedback, *, startup: bool, told: float | None) -> None:
        """`told` is R before the update, if the feedback ends an epoch."""
        in_flight = self._in_flight(f)
        self._settle(f)
        self._rtt.record(f)
        self._blackout = {a or b for a in self._blackout for b in self._persistent.record(f, self._rtt)}
        began = self._start is not None
        if not began:
            if f.space is not Space.APPLICATION or f.sample < 0:
                return
            self._begin_first(f)
        acked_bytes = self._acked_in(f)
        self._oldest = None
        newest = self._collect(f, acked_bytes) if f.space is Space.APPLICATION else None
        lengths = self._lengths()
        if startup:
            self._grow(f, acked_bytes if began else 0, lengths, told)
            if began and not self._meets_path:
                self._look_for_queue(f, lengths, newest)
        rates = (self._growing.low, self._growing.high) if startup and self._growing else None
        self._steps.append(Step(f, lengths, self._believed(), self._in_flight(f), in_flight, rates))
        if told is None and self._overdue is None and self._is_over(f, lengths, startup):
            self._overdue = f.time

    def _collect(self, f: Feedback, acked_bytes: int) -> Sample | None:
        """Takes an ACK in; returns its last sample that counts."""
        before = self._lengths()
        for m in self._minima:
            m.advance(f.time)
        self._count(f, acked_bytes)
        newest = self._take(f, before)
        sent, acked = self._trace.sent, self._trace.acked
        if self._awaits and any(sent.time[acked[i]] > self._counts_since for i in f.acked):
            self._awaits, self._shows_decrease = False, True
        return newest

    def _look_for_queue(self, f: Feedback, lengths: tuple[float, ...], newest: Sample | None) -> None:
        """What the last sample of the source in use says of the queue that ends start-up."""
        assert self._sources is not None
        if newest is None or newest.source is not self._sources.current or self._growing is None:
            return
        size, p, transmission = self._limits.max_datagram_size, self._limits.parameters, self._believed()
        ends = [
            startup_end(rate, max(length + shift, 0.0), transmission, size, p, self._jitter)
            for rate in (self._growing.low, self._growing.high)
            for length in lengths
            for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)
        ]
        delays = [
            law.queueing(above + shift, transmission, p)
            for above in newest.above
            for shift in (-DELTA_TOLERANCE, DELTA_TOLERANCE)
        ]
        self._queue_met.see(f.time, {delay > end for delay in delays for end in ends})

    def _grow(self, f: Feedback, acked: int, lengths: tuple[float, ...], told: float | None) -> None:
        limits = self._limits
        if self._growing is None:
            ends = [max(x + shift, 1e-9) for x in lengths for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)]
            rates = [
                law.initial_rate(limits.initial_window, limits.max_datagram_size, x, limits.parameters) for x in ends
            ]
            self._growing = GrowingRate(min(rates), max(rates))
        metrics = self._trace.metrics
        i = bisect_left(metrics.record, f.group_end) - 1
        shown = Told.by_pacing(metrics.pacing_rate[i], limits.parameters.gamma) if i >= 0 else None
        links = {x + shift >= SHORT_PATH for x in lengths for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)}
        dispersed = self._transmission.is_dispersed if self._believed() > 0.0 else {False}
        known = {a and b for a in links for b in dispersed}
        bound = Bound(law.capacity(limits.max_datagram_size, self._believed(), limits.parameters), known)
        self._growing.on_ack(acked, lengths, shown if told is None else Told.by_report(told), limits.parameters, bound)

    def _is_over(self, f: Feedback, lengths: tuple[float, ...], startup: bool) -> bool:
        """Whether the epoch must end here, with all tolerances in favour of going on."""
        assert self._start is not None
        if f.time - self._start - TIME_TOLERANCE >= max(lengths):
            return True
        if self._shows_decrease:
            return True
        enough = len(self._current().samples) >= STARTUP_SAMPLES
        return startup and enough and self._queue_met.lasts(f.time, lengths) == {True}

    def _believed(self) -> float:
        assert self._sources is not None
        return believed(self._transmission.smallest, self._lengths()[0], self._sources.current)

    def _current(self) -> Tally:
        assert self._sources is not None
        return self._tally[self._sources.current]

    def _settle(self, f: Feedback) -> None:
        if f.space is Space.APPLICATION:
            sent, acked = self._trace.sent, self._trace.acked
            gone = itertools.chain((acked[i] for i in f.acked), f.lost)
            self._settled += sum(sent.size[p] for p in gone if sent.ack_eliciting[p])

    def _in_flight(self, f: Feedback) -> int:
        return self._sent_in_space[bisect_right(self._trace.sent.record, f.record)] - self._settled

    def _begin_first(self, f: Feedback) -> None:
        self._start, self._start_record = f.time, f.record
        self._first_length = f.time - self._trace.sent.time[f.sample]
        window, skew = self._limits.parameters.owdwin, self._limits.parameters.skew
        # A sample that arrives at the boundary of two sub-windows belongs to either, as far as the trace can tell.
        origins = [f.time + shift for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)]
        self._minima = [PathMinima(window, origin, skew=skew) for origin in origins]
        self._longest = [LongestQueue(window, origin) for origin in origins]
        self._sources = Sources(self._trace, self._minima)
        self._tally = self._empty()

    def _acked_in(self, f: Feedback) -> int:
        """Bytes that it newly acknowledges, of ack-eliciting packets."""
        sent, acked = self._trace.sent, self._trace.acked
        return sum(sent.size[acked[i]] for i in f.acked if sent.ack_eliciting[acked[i]])

    def _count(self, f: Feedback, acked_bytes: int) -> None:
        sent = self._trace.sent
        self._lost_in_all.extend(f.lost)
        if not self._awaits:
            lost = [p for p in f.lost if sent.time[p] > self._counts_since]
            self._lost.extend(lost)
            least, most = self._loss_reports
            told = self._bounds(lost)
            self._loss_reports = (least + min(told[0], 1), most + min(told[1], 1))
        acked = (self._trace.acked[i] for i in f.acked)
        self._oldest = min((sent.time[p] for p in acked if sent.ack_eliciting[p]), default=None)
        self._acked_packets += len(f.acked)
        self._acked_bytes += acked_bytes

    def _empty(self) -> dict[Source, Tally]:
        return {source: Tally(len(self._minima)) for source in Source}

    def _take(self, f: Feedback, lengths: tuple[float, ...]) -> Sample | None:
        assert self._sources is not None
        assert self._start is not None
        limits, newest = self._limits, None
        for sample in self._sources.samples(f, limits.max_datagram_size, limits.max_ack_delay):
            if sample.source is Source.TIMESTAMPS:
                # Receive times that are equal must be so after the detour by the delay.
                sent = self._trace.sent.time[sample.packet]
                received = round(sent + sample.owd, 9)
                self._transmission.add(received, sample.in_class, sent, restarts=sample.restarts)
            if not self._awaits and self._trace.sent.time[sample.packet] > self._counts_since:
                if sample.restarts:
                    self._tally[sample.source] = Tally(len(self._minima))
                self._tally[sample.source].add(sample, f.time - self._start, lengths)
                newest = sample
        return newest

    def _lengths(self) -> tuple[float, ...]:
        return tuple(m.length() or 0.0 for m in self._minima)

    def end_epoch(self, end: float, end_record: int, told: float | None, *, on_feedback: bool) -> Measured:
        """`told` is the reported delta in s: of what rounding leaves open, the nearest goes into the longest queue."""
        assert self._start is not None
        assert self._sources is not None
        sent = self._trace.sent
        first = bisect_right(sent.record, self._start_record)
        last = bisect_right(sent.record, end_record)
        source = self._sources.current
        self._follow_return_path(source)
        means, deltas = self._delays(source)
        out = Measured(
            start=self._start,
            end=end,
            end_record=end_record,
            on_feedback=on_feedback,
            overdue=self._overdue,
            limits=self._limits,
            lengths=self._lengths(),
            source=source,
            rowds=[self._tally[source].rowds(m.owd_minima(source)) for m in self._minima],
            means=means,
            deltas=deltas,
            lost=self._bounds(self._lost),
            loss_reports=self._loss_reports,
            lost_in_all=self._bounds(self._lost_in_all),
            acked=self._acked_packets,
            acked_bits=8.0 * self._acked_bytes,
            sent_bits=8.0 * (self._sent_before[last] - self._sent_before[first]),
            skews=[m.skew for m in self._minima],
            transmission=self._transmission.smallest,
            believed=self._believed(),
            believed_next=self._believed(),
            return_delay=self._return_delay,
            first_length=self._first_length,
            longest=self._longest_queues(end, deltas, told),
            queues=self._queue_met.lasts(end, self._lengths()),
            fills=self._growing.fills if self._growing is not None else {False},
            overlaps=self._overlaps(),
            shows_decrease=self._shows_decrease,
            blackout=self._blackout,
            growing=self._growing,
            steps=self._steps,
            tallies=self._tally,
        )
        self._sources.end_epoch(out.acked, out.lost[1], self._mean_by(Source.TIMESTAMPS), self._mean_by(Source.ACK))
        out.believed_next = self._believed()
        self._begin_next(end, end_record)
        return out

    def _bounds(self, lost: list[int]) -> tuple[int, int]:
        """Losses that quiche reports at least and at most."""
        return sum(self._trace.sent.ack_eliciting[p] for p in lost), len(lost)

    def _overlaps(self) -> set[bool]:
        """Whether the oldest packet that the last feedback acknowledges was sent before the epoch began."""
        oldest, start = self._oldest, self._start or 0.0
        return {oldest is not None and oldest < start + x for x in (-TIME_RESOLUTION, TIME_RESOLUTION)}

    def _delays(self, source: Source) -> tuple[list[float], list[float]]:
        """What the mean ROWD and delta may be."""
        tally = self._tally[source]
        means = [mean for m in self._minima if (mean := tally.mean(m.owd_minima(source))) is not None]
        return means, tally.least() if self._limits.parameters.least else means

    def _longest_queues(self, end: float, deltas: list[float], told: float | None) -> list[float]:
        """The longest queue of late with that of this epoch."""
        delta = min(deltas, key=lambda d: abs(d - (told or 0.0)), default=None)
        queue = None if delta is None else law.queueing(delta, self._believed(), self._limits.parameters)
        return [longest.end_epoch(end, queue) for longest in self._longest]

    def _mean_by(self, source: Source) -> float | None:
        return self._tally[source].mean(self._minima[0].owd_minima(source))

    def _follow_return_path(self, source: Source) -> None:
        """What ACK arrivals show beyond the receive times, or what they last have shown."""
        by_ack, by_timestamp = self._mean_by(Source.ACK), self._mean_by(Source.TIMESTAMPS)
        if source is Source.ACK:
            self._return_delay = 0.0
        elif by_ack is not None and by_timestamp is not None:
            self._return_delay = max(by_ack - max(by_timestamp, 0.0), 0.0)

    def _begin_next(self, end: float, end_record: int) -> None:
        self._start, self._start_record = end, end_record
        self._lost, self._loss_reports, self._lost_in_all = [], (0, 0), []
        self._steps = []
        self._tally = self._empty()
        self._blackout = {False}
        self._shows_decrease, self._oldest = False, None
        self._acked_packets = self._acked_bytes = 0
        self._first_length = self._overdue = None
