"""A window that is not used does not grow (RFC 9002 section 7.8, RFC 7661)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..arrays import Floats, Ints
from ..model import TIME_RESOLUTION
from .invariant import Invariant, Judged
from .seen import INITIAL_WINDOW, Seen

USED = 4.0
"""A window may grow to twice what is in flight in a round trip (RFC 9002 section 7.3.1), and a sender that learns of a
source that pauses a round trip later has doubled twice."""
RUN = 10
"""Packets (section 7.2, the initial window). A source whose run of so many leaves at a rate uses that rate, however
soon it pauses: who waits for the pacer is not limited by the application (section 7.8)."""
LIMITED = 0.8
"""A round trip counts as limited by the source if less than this share of what might have left was in flight."""
PACKETS = 4
"""Packets that a window may be larger besides, if the initial window is smaller: hybrid and the like keep room for what
waits for an ACK."""


def judge(seen: Seen) -> Judged:
    m, trace = seen.trace.metrics, seen.trace
    window = seen.per_round_trip()
    if np.isnan(window).all():
        return Judged.nothing("the trace does not report a congestion window")
    if len(trace.feedback) < 2 or not len(seen.o.sends):
        return Judged.nothing("the trace has no ACKs of the application space")
    out = Judged()
    began, recent, beside = _round_trips(seen), _recent(seen), _initial_packets(seen)
    used = _most(seen.o.in_flight(seen.feedback_record - 1), recent)
    paced = _most(_paced(seen), recent)
    record = np.array(m.record, dtype=np.int64)
    at = np.maximum(np.searchsorted(seen.feedback_record, record, side="right") - 1, 0)
    start = seen.feedback_record[began[2]] if len(began) > 2 else seen.until  # the handshake is in other spaces
    rate = np.array(m.pacing_rate, dtype=np.float64)
    alone = np.array(m.congestion_window, dtype=np.float64)
    widest = np.fmax.accumulate(alone)
    fastest = np.fmax.accumulate(rate)
    highest = np.fmax.accumulate(window)
    grows = (record[1:] >= start) & (record[1:] < seen.until) & (window[1:] > highest[:-1])
    # BBR's window follows its rate, and a paced window's rate the round trip.
    grows &= ~(rate[1:] <= fastest[:-1]) & ~(alone[1:] <= widest[:-1])
    for row in np.flatnonzero(grows) + 1:
        most = max(used[at[row]], paced[at[row]] * m.min_rtt[row])
        held = np.fmin(window[row - 1], rate[row - 1] / 8.0 * m.min_rtt[row])  # with the round trip as it is by then
        if held > USED * most + beside * seen.packet_size(m.time[row]):
            out.breach(
                m.time[row],
                f"{window[row]:.0f} bytes may leave in a round trip instead of {highest[row - 1]:.0f}, and at most "
                f"{most:.0f} were in flight in the last two, or would have been at the rate of a run of packets",
            )
    _cover(seen, used, began, out)
    return out


def _initial_packets(seen: Seen) -> int:
    """Any sender may put so many into a round trip of which it knows nothing, and grows from there."""
    told = (p.data.initial_window for p in seen.trace.parameters)
    return max(next(told, INITIAL_WINDOW), PACKETS)


def _round_trips(seen: Seen) -> list[int]:
    """Feedbacks (index) with which one begins, each where the one before ends."""
    began, end = [0], int(seen.round_end[0])
    while end < len(seen.round_end):
        began.append(end)
        end = max(int(seen.round_end[end]), end + 1)
    return began


def _recent(seen: Seen) -> Ints:
    """For each feedback the first one (index) of the two round trips up to it, wherever one takes these to begin."""
    count = len(seen.round_end)
    twice = np.append(seen.round_end, count)[np.minimum(seen.round_end, count)]
    return np.searchsorted(np.maximum.accumulate(twice), np.arange(count), side="right")


def _most(values: Floats, since: Ints) -> Floats:
    """The largest from `since` on, up to each."""
    places = np.arange(len(values))
    first = np.minimum(since, places)
    count = places - first + 1
    # Two stretches of the largest power of two that fits cover each; `of_stretch` has the largest of all of its length.
    length, of_stretch, out = 1, values, np.array(values, dtype=np.float64)
    while length <= count.max(initial=0):
        fits = count // length == 1
        out[fits] = np.maximum(of_stretch[first[fits]], of_stretch[places[fits] - length + 1])
        of_stretch = np.maximum(of_stretch[:-length], of_stretch[length:])
        length *= 2
    return out


def _paced(seen: Seen) -> Floats:
    """For each feedback the highest rate, bytes/s, of a run of packets that ended since the one before, none of them
    faster than its pacing rate. Zero for senders that do not pace."""
    s = seen.o.sends
    rate = np.zeros(len(s))
    if len(s) > RUN and not seen.legacy:
        sent, allowed = np.cumsum(s.size.astype(np.float64)), s.pacing[RUN:] / 8.0
        time = np.maximum(s.time[RUN:] - s.time[:-RUN], TIME_RESOLUTION)
        rate[RUN:] = np.where(np.isfinite(allowed), np.minimum((sent[RUN:] - sent[:-RUN]) / time, allowed), 0.0)
    ends = np.searchsorted(s.record, seen.feedback_record)
    begins = np.concatenate(([0], ends[:-1]))
    some, out = begins < ends, np.zeros(len(ends))
    if some.any():
        out[some] = np.maximum.reduceat(rate[: ends[-1]], begins[some])
    return out


def _cover(seen: Seen, used: Floats, began: list[int], out: Judged) -> None:
    """Counts the round trips in which the source, not the window or the rate, decided how much was in flight."""
    window = seen.per_round_trip()
    rows = np.searchsorted(np.array(seen.trace.metrics.record, dtype=np.int64), seen.feedback_record, side="right") - 1
    for a, b in pairwise(began):
        if rows[a] >= 0 and used[b - 1] < LIMITED * window[rows[a]]:
            out.cases += 1
            out.seconds += float(seen.feedback_time[b] - seen.feedback_time[a])


INVARIANT = Invariant(
    name="application limited",
    holds="what may leave in a round trip (window, or pacing rate times the smallest one) does not grow beyond all "
    "that it was before while a quarter of it or less is used for two round trips",
    needs=("packet_sent", "packet_received with ACK frames", "recovery_metrics_updated with congestion_window"),
    tolerance="a quarter, because slow start doubles and may learn of a pause a round trip later; an initial window, "
    "which every sender begins with; the rate of ten packets in a row is used; back to what it was it may grow",
    unit="round trips",
    least=3,
    judge=judge,
)
