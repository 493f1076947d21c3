"""What the trace says was sent came to the network, and nothing else did."""

from __future__ import annotations

from ..invariants.invariant import Invariant, Judged
from .joined import Joined


def judge(j: Joined) -> Judged:
    if j.record.dropped:
        return Judged.nothing(f"the record lacks {j.record.dropped} rows")
    sent, came, out = j.trace.sent, j.sent(), Judged()
    until = [i for i in range(len(sent)) if sent.time[i] <= j.until]
    out.cases = len(until)
    out.seconds = sent.time[until[-1]] - sent.time[0] if until else 0.0
    named = {i: "did not come to the network at its time" for i in j.match.missing if sent.time[i] <= j.until}
    for i, row in j.match.resized:
        named[i] = f"came to the network in a datagram of {j.data.payload[row]} bytes, which the trace has otherwise"
    for i, what in named.items():
        out.breach(sent.time[i], f"packet {sent.number[i]} of {sent.size[i]} bytes {what}")
    for row in j.match.unnamed:
        out.breach(float(came[row]), f"a datagram of {j.data.payload[row]} bytes came that the trace does not have")
    out.breaches.sort(key=lambda b: b.time)
    return out


INVARIANT: Invariant[Joined] = Invariant(
    name="arrivals",
    holds="what the trace says was sent came to the network, at its time and with its size, and nothing else came",
    needs=("packet_sent with raw.length",),
    tolerance="1.5 us, for times that are truncated; 50 ms where the clock is the machine's",
    unit="packets",
    least=10,
    judge=judge,
)
