"""A window that is not used does not grow (RFC 9002 section 7.8, RFC 7661)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .invariant import Invariant, Judged
from .seen import Seen

USED = 3.0
"""In slow start a window grows to twice what is in flight (RFC 9002 section 7.3.1). A sender that decides once per
round trip learns of a source that pauses when the ACKs of another have added as much again."""
LIMITED = 0.8
"""A round trip counts as limited by the source if less than this share of what might have left was in flight."""
PACKETS = 4
"""Packets that a window may be larger besides: hybrid and the like keep room for what waits for an ACK."""


def judge(seen: Seen) -> Judged:
    m, trace = seen.trace.metrics, seen.trace
    window = seen.per_round_trip()
    if np.isnan(window).all():
        return Judged.nothing("the trace does not report a congestion window")
    if len(trace.feedback) < 2 or not len(seen.o.sends):
        return Judged.nothing("the trace has no ACKs of the application space")
    out = Judged()
    used, began = _used(seen)
    record = np.array(m.record, dtype=np.int64)
    at = np.maximum(np.searchsorted(seen.feedback_record, record, side="right") - 1, 0)
    start = seen.feedback_record[began[2]] if len(began) > 2 else seen.until  # the handshake is in other spaces
    rate = np.array(m.pacing_rate, dtype=np.float64)
    alone = np.array(m.congestion_window, dtype=np.float64)
    widest = np.fmax.accumulate(alone)
    fastest = np.fmax.accumulate(rate)
    highest = np.fmax.accumulate(window)
    for row in range(1, len(window)):
        if not start <= record[row] < seen.until or not window[row] > highest[row - 1]:
            continue
        if rate[row] <= fastest[row - 1] or alone[row] <= widest[row - 1]:
            continue  # BBR's window follows its rate, and a paced window's rate the round trip
        unused = window[row - 1] - USED * used[at[row]] - PACKETS * seen.packet_size(m.time[row])
        if unused > 0.0:
            out.breach(
                m.time[row],
                f"{window[row]:.0f} bytes may leave in a round trip instead of {highest[row - 1]:.0f}, and at most "
                f"{used[at[row]]:.0f} were in flight in this one and the one before",
            )
    _cover(seen, used, began, out)
    return out


def _used(seen: Seen) -> tuple[np.ndarray, list[int]]:
    """For each feedback the most that was in flight in its round trip and the one before; where round trips begin."""
    before = seen.o.in_flight(seen.feedback_record - 1)
    out = np.zeros(len(before))
    began = [0]
    latest = earlier = 0.0
    end = int(seen.round_end[0])
    for i, now in enumerate(before):
        if i >= end:
            earlier, latest, end = latest, 0.0, max(int(seen.round_end[i]), i + 1)
            began.append(i)
        latest = max(latest, float(now))
        out[i] = max(latest, earlier)
    return out, began


def _cover(seen: Seen, used: np.ndarray, began: list[int], out: Judged) -> None:
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
    "that it was before while a third of it or less is in flight for two round trips",
    needs=("packet_sent", "packet_received with ACK frames", "recovery_metrics_updated with congestion_window"),
    tolerance="a third, because slow start doubles and may learn of a pause a round trip later; four packets; back to "
    "what it was it may grow",
    unit="round trips",
    least=3,
    judge=judge,
)
