"""Times in which nothing was acknowledged although something was on its way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..metrics.observed import Observed
from ..packed import parts

ROUND_TRIPS = 3.0
"""So many of the newest round trip, with the peer's ACK delay, and at least `SHORTEST`."""
SHORTEST = 0.2
"""s"""


@dataclass(frozen=True, slots=True)
class Interruption:
    begin: float
    """Since when something was on its way and nothing was acknowledged."""
    end: float
    rtt: float
    """The newest before."""
    sent_packets: int
    """Meanwhile."""
    lost_packets: int
    """Of what was in flight at its begin or was sent meanwhile."""
    received_packets: int
    """Meanwhile: they acknowledged nothing, but the way back carried them."""
    ended: bool
    """False if nothing was acknowledged until the trace ends."""


def interruptions_of(o: Observed) -> list[Interruption]:
    if not o.packets:
        return []
    lost = _lost(o)
    found = (_between(o, lost, begin, end, ended=ended) for begin, end, ended in _without_answer(o))
    return [i for i in found if i is not None]


def _without_answer(o: Observed) -> Iterator[tuple[float, float, bool]]:
    """Long times between ACKs that acknowledge something, of any space; and whether one ended it, or the trace did."""
    feedback, newest, before = o.trace.feedback, np.empty(0), 0
    for ends, time in zip(parts(feedback.acked_end), parts(feedback.time), strict=True):
        came = np.concatenate((newest, time[np.diff(ends, prepend=before) > 0]))
        for k in np.flatnonzero(np.diff(came) > SHORTEST).tolist():
            yield float(came[k]), float(came[k + 1]), True
        newest, before = came[-1:], int(ends[-1])
    if len(newest) and o.end - newest[0] > SHORTEST:
        yield float(newest[0]), o.end, False


def _between(o: Observed, lost: Floats, begin: float, end: float, *, ended: bool) -> Interruption | None:
    sent, received = o.trace.sent.time, o.trace.received_at
    waiting = begin
    if o.in_flight_at(np.array([begin]))[0] <= 0.0:
        following = o.own[sent.right(begin) : sent.left(end)]
        if not following.any():
            return None
        waiting = sent[sent.right(begin) + int(following.argmax())]
    rtt = o.rtt_at(begin)
    if end - waiting <= max(ROUND_TRIPS * rtt + o.trace.peer_max_ack_delay, SHORTEST):
        return None
    sent_packets = o.packets_between(sent.right(begin), sent.left(end))
    came = received.left(end) - received.right(waiting)
    sent_at, declared_at = lost
    gone_then = (sent_at >= waiting - rtt) & (sent_at <= end) & (declared_at >= waiting)
    return Interruption(waiting, end, rtt, sent_packets, int(gone_then.sum()), came, ended)


def _lost(o: Observed) -> Floats:
    """Of every lost packet, when it was sent (first row) and declared lost."""
    sent, feedback = o.trace.sent, o.trace.feedback
    times = [(sent.time[p], feedback.time[at]) for at, packets in feedback.lost.items() for p in packets]
    return np.asarray(np.array(times, dtype=np.float64).reshape(-1, 2).T)
