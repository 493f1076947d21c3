"""After persistent congestion hardly anything is sent (RFC 9002 section 7.6.2)."""

from __future__ import annotations

import numpy as np

from ..measure.persistent import PersistentCongestion
from ..measure.rtt import GRANULARITY, Bounds, Rtt
from .invariant import Invariant, Judged
from .seen import LEAST_WINDOW, Seen

ROUNDING = 0.1
"""Packets: two in a smallest round trip as a rate, whose estimate may be newer."""
SURELY = 1.5
"""Times the three probe timeouts: senders measure them by samples of their own, hybrid by one in an epoch."""


class _Long(Rtt):
    """For interruptions that every sender sees."""

    def persistent_congestion(self) -> Bounds:
        least = super().persistent_congestion()
        return Bounds(SURELY * least.low, SURELY * least.high)


def judge(seen: Seen) -> Judged:
    trace = seen.trace
    if trace.losses_from is None:
        return Judged.nothing("the trace does not tell of losses")
    if not seen.tells_window:
        return Judged.nothing("the trace does not report a congestion window")
    out, rtt, look = Judged(), _Long(trace), PersistentCongestion(trace)
    last = _last_long(seen)
    for i, f in enumerate(trace.feedback):
        if i > last or f.record >= seen.until:
            break
        rtt.record(f)
        end = int(seen.round_end[i])
        if look.record(f, rtt) != {True} or end >= len(trace.feedback):
            continue
        rows = seen.metric_rows(f.record, trace.feedback[end].group_end)
        told = seen.per_round_trip(slice(max(rows.start - 1, 0), rows.stop))
        if np.isnan(told).all():
            continue  # nothing was reported yet
        least = float(np.nanmin(told))
        out.cases += 1
        out.seconds += trace.feedback[end].time - f.time
        if least > (LEAST_WINDOW + ROUNDING) * seen.packet_size(f.time):
            out.breach(f.time, f"persistent congestion, and {least:.0f} bytes or more may still leave in a round trip")
    return out


def _last_long(seen: Seen) -> int:
    """The last feedback whose losses span as long as the shortest probe timeouts there can be, or -1: usually there is
    none, and no round trip has to be looked at."""
    trace, sent = seen.trace, seen.trace.sent.time
    least = 3.0 * (GRANULARITY + trace.peer_max_ack_delay)
    spans = ((i, [sent[p] for p in lost]) for i, lost in trace.feedback.lost.items())
    return max((i for i, left in spans if max(left) - min(left) > least), default=-1)


INVARIANT = Invariant(
    name="persistent congestion",
    holds="where everything sent in four and a half probe timeouts was lost, within a round trip window and rate let "
    "two packets leave in one",
    needs=("packet_sent", "packet_received with ACK frames", "a count of losses", "recovery_metrics_updated"),
    tolerance="half as much again as the three probe timeouts of the RFC, which senders measure by samples of their "
    "own; cases that rounding of times decides are left out; a round trip, as some controllers decide once in one",
    unit="cases",
    least=1,
    judge=judge,
)
