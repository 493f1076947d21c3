"""What comes to the network keeps to the pacing rate that the trace reports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..invariants import pacing
from ..invariants.invariant import Invariant, Judged
from ..model import TIME_RESOLUTION
from .joined import Joined

ROUNDED = 1e-4
"""Of that: what seconds in floating point lack to a whole number."""


def judge(j: Joined) -> Judged:
    rows = j.match.row[j.seen.o.own]
    rows = rows[rows >= 0]
    if not len(rows):
        return Judged.nothing("no packet of the application was found in the record")
    if not j.record.virtual:
        return Judged.nothing("the clock is the machine's: how late packets come says more of it than of the sender")
    sent, single = j.sent(), np.bincount(rows, minlength=len(j.data)) == 1
    watch = pacing.judge(j.seen)
    for shown in j.seen.windows():
        sends = shown.window.sends
        row = j.match.row[sends.packet]
        found = row >= 0
        # As if the trace had the network's times, truncated as its own are, and sizes. A datagram with several packets
        # is the handshake's.
        time = np.where(found, np.floor(sent[row] / TIME_RESOLUTION + ROUNDED) * TIME_RESOLUTION, sends.time)
        size = np.where(found & single[row], j.data.payload[row], sends.size).astype(np.float64)
        here = replace(sends, time=time, size=size)
        watch.add(replace(shown, window=replace(shown.window, sends=here)))
    return watch.judged()


INVARIANT: Invariant[Joined] = Invariant(
    name="spacing",
    holds="over any stretch no more comes to the network than the reported pacing rates allow, and a burst",
    needs=pacing.INVARIANT.needs,
    tolerance="as `pacing`",
    unit="packets",
    least=10,
    judge=judge,
)
