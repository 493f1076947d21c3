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
    sends = j.seen.o.sends
    row = j.match.row[sends.packet]
    if not (row >= 0).any():
        return Judged.nothing("no packet of the application was found in the record")
    if not j.record.virtual:
        return Judged.nothing("the clock is the machine's: how late packets come says more of it than of the sender")
    found = row >= 0
    time = np.where(found, np.floor(j.sent()[row] / TIME_RESOLUTION + ROUNDED) * TIME_RESOLUTION, sends.time)
    size = np.where(found, j.data.payload[row], sends.size).astype(np.float64)
    # As if the trace had the network's times, truncated as its own are, and sizes. A datagram with several packets is
    # the handshake's.
    size = np.where(np.bincount(row[found], minlength=len(j.data))[row] > 1, sends.size, size)
    watch, at = pacing.judge(j.seen), 0
    for shown in j.seen.windows():
        some = slice(at, at + len(shown.window.sends))
        at = some.stop
        here = replace(shown.window.sends, time=time[some], size=size[some])
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
