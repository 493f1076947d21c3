"""What was acknowledged had been delivered."""

from __future__ import annotations

import math

from ..invariants.invariant import Invariant, Judged
from .joined import Joined


def judge(j: Joined) -> Judged:
    if not j.trace.ack_frames:
        return Judged.nothing("the trace has no ACK frames")
    if j.record.dropped:
        return Judged.nothing(f"the record lacks {j.record.dropped} rows")
    out, sent, delivered, before = Judged(), j.trace.sent, j.delivered().tolist(), math.nan
    row = j.match.row.tolist()
    for f in j.trace.feedback:
        if f.time > j.until:
            break
        for i in (j.trace.acked[k] for k in f.acked):
            if row[i] < 0:
                continue
            out.cases += 1
            at = delivered[row[i]]
            if math.isnan(at):
                out.breach(f.time, f"packet {sent.number[i]} is acknowledged, which the network did not deliver")
            elif at > f.time + j.late + 1e-6:
                out.breach(f.time, f"packet {sent.number[i]} is acknowledged {(at - f.time) * 1e3:.3f} ms too early")
        out.seconds += 0.0 if math.isnan(before) else f.time - before
        before = f.time
    return out


INVARIANT: Invariant[Joined] = Invariant(
    name="deliveries",
    holds="what was acknowledged had been delivered by the network",
    needs=("packet_sent", "packet_received with ACK frames"),
    tolerance="as `arrivals`",
    unit="packets",
    least=10,
    judge=judge,
)
