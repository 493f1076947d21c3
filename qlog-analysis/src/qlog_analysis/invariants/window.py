"""Bytes in flight never exceed the congestion window (RFC 9002 section 7)."""

from __future__ import annotations

import math

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
    repairs = repair(seen) if seen.legacy else None
    probes, last, first = 0, math.nan, float(s.time[0])
    columns = (s.record, s.time, s.size, s.in_flight + s.size - s.window, seen.ptos_before(s.record) - TIMER)
    for i, (record, time, size, beyond, timeout) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        if record >= seen.until:
            break
        if time - last >= timeout:
            probes = PROBES
        last, probe, probes = time, probes > 0, max(probes - 1, 0)
        over = min(beyond, 0.0) if repairs is not None and repairs.allows(i, beyond) else beyond
        if math.isnan(over) or probe:
            continue
        out.cases += 1
        out.seconds = time - first
        if over > slack:
            out.breach(
                time,
                f"packet {seen.trace.sent.number[s.packet[i]]} of {size:.0f} bytes leaves with "
                f"{s.in_flight[i]:.0f} in flight, {over:.0f} more than the window of {s.window[i]:.0f}",
            )
    return out if out.cases else Judged.nothing("the trace does not report a congestion window")


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
