"""What the invariants look at: a trace as columns, with the probe timeout at every moment."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..metrics.observed import Observed, observe
from ..metrics.windows import UNPACED
from ..model import NEVER, Trace
from .probe_timeout import probe_timeouts

RFC_STATES = frozenset({"slow_start", "conservative_slow_start", "congestion_avoidance", "recovery"})
"""Congestion states of RFC 9002 section 7.3, and HyStart++'s: who writes them claims its reactions."""
INITIAL_WINDOW = 10
"""Packets; RFC 9002 section 7.2. It is also the burst that section 7.7 allows."""
LEAST_WINDOW = 2
"""Packets; RFC 9002 section 7.2."""


@dataclass(frozen=True, slots=True)
class Seen:
    trace: Trace
    o: Observed
    feedback_record: Ints
    feedback_time: Floats
    pto: Floats
    """After each feedback, s, the shortest that the trace allows; NaN before the first round trip is known."""
    pto_high: Floats
    """The longest that it allows."""
    until: int
    """Record from which on nothing is judged: another path has windows and packets of its own."""
    round_end: Ints
    """For each feedback the first one (index) that acknowledges a packet sent later; one past the last if none."""

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
    def states(self) -> set[str]:
        return {s.name for s in self.trace.states}

    def packet_size(self, time: float) -> float:
        """Of a full packet."""
        told = [p.data.max_datagram_size for p in self.trace.parameters if p.time <= time]
        return float(told[-1]) if told else self.o.full

    def per_round_trip(self) -> Floats:
        """Bytes that window and pacing rate together let leave in a smallest round trip, row by row of the metrics:
        many senders keep the window wide and steer by the rate."""
        m = self.trace.metrics
        window = np.array(m.congestion_window, dtype=np.float64)
        rate = np.array(m.pacing_rate, dtype=np.float64) / 8.0
        rate[(rate <= 0.0) | (rate >= UNPACED)] = np.nan
        return np.asarray(np.fmin(window, rate * np.array(m.min_rtt, dtype=np.float64)), dtype=np.float64)

    def ptos_before(self, records: Ints) -> Floats:
        """The PTO before each of these records, s; NaN where nothing is known of it."""
        known = np.concatenate(([np.nan], self.pto))
        return np.asarray(known[np.searchsorted(self.feedback_record, records)], dtype=np.float64)

    def recoveries(self) -> Iterator[tuple[int, list[int]]]:
        """Feedback (index) with losses of packets sent after all that was answered before, and these packets; or with
        losses that the window fell for nevertheless, or that a recovery was said to begin with, as cubic's does once it
        has taken an answer back (RFC 9438 section 4.9)."""
        sent, answered = self.trace.sent, -1.0
        said = [s.record for s in self.trace.states if s.name == "recovery"]
        m = self.trace.metrics
        window = np.asarray(m.pacing_rate if self.by_rate else m.congestion_window, dtype=np.float64)
        for i in self.trace.feedback.lost:
            f = self.trace.feedback[i]
            rows = self.metric_rows(f.record, f.group_end)
            fell = rows.start > 0 and len(window[rows]) > 0 and window[rows].min() < window[rows.start - 1]
            lost = [p for p in f.lost if sent.time[p] > answered]
            if lost or fell or any(f.record <= s < f.group_end for s in said[bisect_left(said, f.record) :][:1]):
                answered = f.time
                yield i, lost

    def metric_rows(self, first: int, last: int) -> slice:
        """Rows of the metrics written at or after the record `first` and before `last`."""
        record = np.asarray(self.trace.metrics.record, dtype=np.int64)
        return slice(*(int(i) for i in np.searchsorted(record, (first, last))))


def see(trace: Trace) -> Seen:
    trace.unpack()  # many invariants look at single losses and rows of the metrics
    low, high = probe_timeouts(trace)
    return Seen(
        trace=trace,
        o=observe(trace),
        feedback_record=trace.feedback.records,
        feedback_time=trace.feedback.times,
        pto=low,
        pto_high=high,
        until=_other_path(trace),
        round_end=_round_ends(trace),
    )


def _other_path(trace: Trace) -> int:
    """The first record after which windows may be those of another path: the packet that challenges it is one of its
    own, and it is spoken of when something comes by it."""
    challenge = next((s.record for s in trace.signals if s.kind == "path_challenge" and s.sent), NEVER)
    before = bisect_left(trace.sent.record, challenge)
    return trace.sent.record[before - 1] + 1 if challenge != NEVER and before else challenge


def _round_ends(trace: Trace) -> Ints:
    """Feedback by feedback: when the first packet sent later has been acknowledged. One sent at the same time may have
    left before or after, as far as a sender can tell by its clock."""
    counts = trace.feedback.counts
    some = trace.feedback.of_application & (counts > 0)
    reached = np.full(len(counts), -np.inf)
    if some.any():
        sent = np.asarray(trace.sent.time, dtype=np.float64)[np.asarray(trace.acked, dtype=np.int64)]
        begins = (np.cumsum(counts) - counts)[counts > 0]
        reached[counts > 0] = np.maximum.reduceat(sent, begins)
        reached = np.maximum.accumulate(np.where(some, reached, -np.inf))
    return np.searchsorted(reached, trace.feedback.times, side="right")
