"""Bytes in flight never exceed the congestion window (RFC 9002 section 7)."""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from .invariant import Invariant, Judged
from .repair import repair
from .seen import Seen

PROBES = 2
"""Packets that a probe timeout lets go whatever the window (RFC 9002 sections 6.2.4 and 7.5)."""
TIMER = 2e-6
"""s: times are truncated to 1 us; a timer is late, never early."""


def judge(seen: Seen) -> Judged:
    s = seen.o.sends
    if not len(s):
        return Judged.nothing("no ack-eliciting packet of the application space was sent")
    if not seen.trace.sizes_known:
        return Judged.nothing("the trace does not give the size of every packet")
    out = Judged()
    slack = 0.0 if seen.trace.native else seen.o.full
    beyond = _beyond(seen)
    used = np.flatnonzero((s.record < seen.until) & ~np.isnan(beyond) & ~_probes(seen))
    if not len(used):
        return Judged.nothing("the trace does not report a congestion window")
    out.cases, out.seconds = len(used), float(s.time[used[-1]] - s.time[0])
    for i in used[beyond[used] > slack].tolist():
        out.breach(
            float(s.time[i]),
            f"packet {seen.trace.sent.number[s.packet[i]]} of {s.size[i]:.0f} bytes leaves with "
            f"{s.in_flight[i]:.0f} in flight, {beyond[i]:.0f} more than the window of {s.window[i]:.0f}",
        )
    return out


def _beyond(seen: Seen) -> Floats:
    """By how much each packet exceeds the window; nothing where the repair of losses lets it leave."""
    s = seen.o.sends
    beyond = s.in_flight + s.size - s.window
    if seen.legacy:
        repairs = repair(seen)
        for i in np.flatnonzero(beyond > 0.0).tolist():
            if repairs.allows(i, float(beyond[i])):
                beyond[i] = 0.0
    return beyond


def _probes(seen: Seen) -> Bools:
    """Packets that a probe timeout lets go."""
    s = seen.o.sends
    expired = np.diff(s.time, prepend=np.nan) >= seen.ptos_before(s.record) - TIMER
    return np.convolve(expired, np.ones(PROBES))[: len(expired)] > 0.0


INVARIANT = Invariant(
    name="window",
    holds="a packet leaves only where it fits into the congestion window that was reported before",
    needs=("packet_sent", "packet_received with ACK frames", "recovery_metrics_updated with congestion_window"),
    tolerance="none for quiche, which cuts a packet to what fits, but with cubic what PRR (RFC 6937) adds; a full "
    "packet for other writers, some of which ask only whether the window is full; two packets after a probe timeout",
    unit="packets",
    least=10,
    judge=judge,
)
