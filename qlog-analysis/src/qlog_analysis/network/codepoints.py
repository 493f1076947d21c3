"""ECN codepoints on the wire, and the marks that are counted."""

from __future__ import annotations

import math

import numpy as np

from ..invariants.ecn import UNMARKED
from ..invariants.invariant import Invariant, Judged
from ..model import Space
from .joined import Joined

CE = 3


def judge(j: Joined) -> Judged:
    out = Judged()
    _sent(j, out)
    _counted(j, out)
    return out


def _sent(j: Joined, out: Judged) -> None:
    """Nobody sends CE, and who does not use ECN marks nothing."""
    came, ecn = j.sent().tolist(), j.data.ecn.tolist()
    rows = sorted(set(j.match.row[j.match.row >= 0].tolist()))
    unmarked = j.trace.controller in UNMARKED
    before = math.nan
    for row in rows:
        out.cases += 1
        out.seconds += 0.0 if math.isnan(before) else came[row] - before
        before = came[row]
        if ecn[row] == CE:
            out.breach(came[row], "a packet leaves its sender with congestion experienced")
        elif ecn[row] and unmarked:
            out.breach(came[row], f"a packet leaves with ECN bits {ecn[row]:02b}, and {j.trace.controller} marks none")


def _counted(j: Joined, out: Judged) -> None:
    """The peer's count of CE is that of the packets that the network delivered with it; of a datagram with several
    packets each one counts."""
    if j.record.dropped:
        return
    space = np.frombuffer(bytes(j.trace.sent.space), dtype=np.uint8)
    for s in Space:
        packets = np.flatnonzero((space == s) & (j.match.row >= 0))
        rows = j.match.row[packets]
        at = j.delivered()[rows]
        marked = np.sort(at[(j.data.ecn_end[rows] == CE) & ~np.isnan(at)])
        for f in j.trace.feedback:
            if f.space is not s or f.ecn is None or f.time > j.until:
                continue
            out.cases += 1
            most = int(np.searchsorted(marked, f.time + j.late + 1e-6))
            if f.ecn[1] > most:
                out.breach(f.time, f"{f.ecn[1]} packets are counted as marked CE, and the network delivered {most}")


INVARIANT: Invariant[Joined] = Invariant(
    name="codepoints",
    holds="no packet leaves its sender marked CE, none marked at all of controllers that send Not-ECT, and no more CE "
    "marks are counted than the network delivered",
    needs=("packet_sent",),
    tolerance="as `arrivals`",
    unit="packets and counts",
    least=10,
    judge=judge,
)
