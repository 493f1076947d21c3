"""What the invariants look at: a trace, window by window, with the probe timeout at every moment."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Ints
from ..metrics.observed import Observed, observe
from ..metrics.windows import UNPACED, Window
from ..model import NEVER, Space, Trace
from ..packed import Column, part, parts, take
from .probe_timeout import ProbeTimeouts

RFC_STATES = frozenset({"slow_start", "conservative_slow_start", "congestion_avoidance", "recovery"})
"""Congestion states of RFC 9002 section 7.3, and HyStart++'s: who writes them claims its reactions."""
INITIAL_WINDOW = 10
"""Packets; RFC 9002 section 7.2. It is also the burst that section 7.7 allows."""
LEAST_WINDOW = 2
"""Packets; RFC 9002 section 7.2."""


PART = 1 << 14
"""Feedback, or rows of the metrics."""


@dataclass(frozen=True, slots=True)
class SeenWindow:
    """A part of a trace, with its feedback."""

    window: Window
    feedback_record: Ints
    feedback_time: Floats
    pto: Floats
    """Before the first and after each feedback, s, the shortest that the trace allows; NaN before the first round trip
    is known."""
    pto_high: Floats
    """The longest that it allows."""

    def ptos_before(self, records: Ints) -> Floats:
        """The PTO before each of these records, s; NaN where nothing is known of it."""
        return np.asarray(self.pto[np.searchsorted(self.feedback_record, records)], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """As packets and ACKs show them: what a sender says of them may be wrong."""

    record: npt.NDArray[np.int64]
    """Of the feedback with which the smallest one falls."""
    least: Floats
    """What it falls to, s."""

    @classmethod
    def of(cls, trace: Trace) -> RoundTrips:
        least, records, falls = np.inf, [np.empty(0, dtype=np.int64)], [np.empty(0)]
        for first in range(0, len(trace.feedback), PART):
            place = first, min(first + PART, len(trace.feedback))
            record, time, sample = (
                part(c, *place) for c in (trace.feedback.record, trace.feedback.time, trace.feedback.sample)
            )
            some = np.flatnonzero(sample >= 0)
            taken = time[some] - take(trace.sent.time, sample[some])
            smallest = np.minimum.accumulate(np.concatenate(([least], taken)))
            new = np.flatnonzero(np.diff(smallest) < 0.0)
            records.append(record[some[new]])
            falls.append(taken[new])
            least = float(smallest[-1])
        return cls(np.concatenate(records), np.concatenate(falls))

    def smallest(self, records: Ints) -> Floats:
        """Up to each of these records, s; NaN where no packet has come back."""
        known = np.searchsorted(self.record, records, side="right")
        return np.asarray(np.concatenate(([np.nan], self.least))[known], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Seen:
    trace: Trace
    o: Observed
    until: int
    """Record from which on nothing is judged: another path has windows and packets of its own."""
    round_end: npt.NDArray[np.int32]
    """For each feedback the first one (index) that acknowledges a packet sent later; one past the last if none."""
    round_trips: RoundTrips

    def windows(self) -> Iterator[SeenWindow]:
        """The trace, part by part."""
        feedback, timeouts = self.trace.feedback, ProbeTimeouts(self.trace)
        for w in self.o.windows():
            place = w.feedback.start, w.feedback.stop
            record, time = part(feedback.record, *place), part(feedback.time, *place)
            yield SeenWindow(w, record, time, *timeouts.after(*place))

    @property
    def ours(self) -> bool:
        """Whether the controller is one of this project's, whose bursts are known."""
        return self.trace.controller is not None

    @property
    def legacy(self) -> bool:
        """Whether this is quiche's older recovery, with cubic or reno, which has PRR (RFC 6937) and does not pace."""
        return self.trace.native and not self.ours and self.states <= RFC_STATES

    @property
    def by_rate(self) -> bool:
        """Whether the controller answers losses by its rate, and its window follows."""
        return self.trace.controller == "raimd"

    @property
    def answering(self) -> Column[float]:
        """What losses are answered by."""
        return self.trace.metrics.pacing_rate if self.by_rate else self.trace.metrics.congestion_window

    @property
    def states(self) -> set[str]:
        return {s.name for s in self.trace.states}

    def packet_size(self, time: float) -> float:
        """Of a full packet."""
        told = [p.data.max_datagram_size for p in self.trace.parameters if p.time <= time]
        return float(told[-1]) if told else self.o.full

    def per_round_trip(self, rows: slice) -> Floats:
        """Bytes that window and pacing rate together let leave in a smallest round trip, of rows of the metrics: many
        senders keep the window wide and steer by the rate."""
        m, place = self.trace.metrics, (rows.start, rows.stop)
        rate = part(m.pacing_rate, *place) / 8.0
        rate[(rate <= 0.0) | (rate >= UNPACED)] = np.nan
        window, rtt = part(m.congestion_window, *place), self.round_trips.smallest(part(m.record, *place))
        return np.asarray(np.fmin(window, rate * rtt), dtype=np.float64)

    @property
    def tells_window(self) -> bool:
        """Whether anything is known of what may leave in a round trip."""
        count = len(self.trace.metrics)
        some = (slice(first, min(first + PART, count)) for first in range(0, count, PART))
        return any(not np.isnan(self.per_round_trip(rows)).all() for rows in some)

    def recoveries(self) -> Iterator[tuple[int, list[int]]]:
        """Feedback (index) with losses of packets sent after all that was answered before, and these packets; or with
        losses that the window fell for nevertheless, or that a recovery was said to begin with, as cubic's does once it
        has taken an answer back (RFC 9438 section 4.9)."""
        sent, answered = self.trace.sent, -1.0
        said = [s.record for s in self.trace.states if s.name == "recovery"]
        window = self.answering
        for i in self.trace.feedback.lost:
            f = self.trace.feedback[i]
            rows = self.metric_rows(f.record, f.group_end)
            told = part(window, rows.start, rows.stop)
            fell = rows.start > 0 and len(told) > 0 and told.min() < window[rows.start - 1]
            lost = [p for p in f.lost if sent.time[p] > answered]
            if lost or fell or any(f.record <= s < f.group_end for s in said[bisect_left(said, f.record) :][:1]):
                answered = f.time
                yield i, lost

    def metric_rows(self, first: int, last: int) -> slice:
        """Rows of the metrics written at or after the record `first` and before `last`."""
        record = self.trace.metrics.record
        return slice(record.left(first), record.left(last))


def see(trace: Trace) -> Seen:
    return Seen(trace, observe(trace), _other_path(trace), _round_ends(trace), RoundTrips.of(trace))


def _other_path(trace: Trace) -> int:
    """The first record after which windows may be those of another path: the packet that challenges it is one of its
    own, and it is spoken of when something comes by it."""
    challenge = next((s.record for s in trace.signals if s.kind == "path_challenge" and s.sent), NEVER)
    before = trace.sent.record.left(challenge)
    return trace.sent.record[before - 1] + 1 if challenge != NEVER and before else challenge


def _round_ends(trace: Trace) -> npt.NDArray[np.int32]:
    """Feedback by feedback: when the first packet sent later has been acknowledged. One sent at the same time may have
    left before or after, as far as a sender can tell by its clock."""
    reached = np.maximum.accumulate(np.concatenate([*_newest_acked(trace), np.empty(0)]))
    ends = [np.searchsorted(reached, times, side="right").astype(np.int32) for times in parts(trace.feedback.time)]
    return np.concatenate([*ends, np.empty(0, dtype=np.int32)])


def _newest_acked(trace: Trace) -> Iterator[Floats]:
    """Feedback by feedback of the application space, when the newest packet left that it acknowledges; before all if it
    acknowledges none."""
    feedback, begin = trace.feedback, 0
    for first in range(0, len(feedback), PART):
        end = min(first + PART, len(feedback))
        ends = part(feedback.acked_end, first, end)
        counts = np.diff(ends, prepend=begin)
        newest = np.full(end - first, -np.inf)
        if counts.any():
            sent = take(trace.sent.time, part(trace.acked, begin, int(ends[-1])))
            newest[counts > 0] = np.maximum.reduceat(sent, (np.cumsum(counts) - counts)[counts > 0])
            newest[np.frombuffer(feedback.space[first:end], dtype=np.uint8) != Space.APPLICATION] = -np.inf
        begin = int(ends[-1])
        yield newest
