"""Times in which nothing was acknowledged although something was on its way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..metrics.observed import Observed

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
    came = np.unique(o.acked_at)
    if not len(came) or not len(o.sends):
        return []
    lost = _lost(o)
    begins = came
    ends = np.append(came[1:], max(o.end, came[-1]))
    out = []
    for k in np.flatnonzero(ends - begins > SHORTEST).tolist():
        found = _between(o, lost, float(begins[k]), float(ends[k]), ended=k + 1 < len(came))
        if found is not None:
            out.append(found)
    return out


def _between(o: Observed, lost: Floats, begin: float, end: float, *, ended: bool) -> Interruption | None:
    s, r = o.sends, o.removals
    first = int(np.searchsorted(s.time, begin, side="right"))
    gone = int(np.searchsorted(r.time, begin, side="right"))
    if s.size[:first].sum() - r.size[:gone].sum() > 0.0:
        waiting = begin
    elif first < len(s) and s.time[first] < end:
        waiting = float(s.time[first])
    else:
        return None
    rtt = o.rtt_at(begin)
    if end - waiting <= max(ROUND_TRIPS * rtt + o.trace.peer_max_ack_delay, SHORTEST):
        return None
    last = int(np.searchsorted(s.time, end))
    received = np.array(o.trace.received_at, dtype=np.float64)
    came = int(((received > waiting) & (received < end)).sum())
    sent_at, declared_at = lost
    gone_then = (sent_at >= waiting - rtt) & (sent_at <= end) & (declared_at >= waiting)
    return Interruption(waiting, end, rtt, last - first, int(gone_then.sum()), came, ended)


def _lost(o: Observed) -> Floats:
    """Of every lost packet, when it was sent (first row) and declared lost."""
    sent = o.trace.sent.time
    times = [(sent[p], f.time) for f in o.trace.feedback for p in f.lost]
    return np.asarray(np.array(times, dtype=np.float64).reshape(-1, 2).T)
