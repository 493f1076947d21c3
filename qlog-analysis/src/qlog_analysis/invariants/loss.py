"""A loss is answered within a round trip, by controllers that promise it (RFC 9002 section 7.3.2)."""

from __future__ import annotations

import numpy as np

from ..model import Feedback, Space
from ..packed import part
from .invariant import Invariant, Judged
from .seen import LEAST_WINDOW, RFC_STATES, Seen

KEPT = 0.9
"""Share of the window that may be kept: RFC 9002 keeps 0.5, CUBIC 0.7 (RFC 9438), ABE up to 0.85 (RFC 8511)."""
OF_NEWRENO = frozenset({"smallq", "vegas"})
SILENT = {
    "hybrid": "hybrid answers a loss only where delay says that a queue is full, or losses are excessive",
    "rrr": "rrr answers rates, not losses",
}


def judge(seen: Seen) -> Judged:
    why = _no_promise(seen)
    if why is not None:
        return Judged.nothing(why)
    if not len(seen.trace.metrics):
        return Judged.nothing("the trace does not report a congestion window")
    out, trace = Judged(), seen.trace
    late, before = set(trace.came_late), np.nan
    for i, lost in seen.recoveries():
        f, end = trace.feedback[i], int(seen.round_end[i])
        if f.record >= seen.until or end >= len(trace.feedback):
            break
        row = trace.metrics.row_before(f.record)
        before, earlier = (seen.answering[row] if row >= 0 else np.nan), before
        sure = [p for p in lost if trace.sent.ack_eliciting[p] and trace.sent.space[p] == Space.APPLICATION]
        if late.issuperset(sure):
            continue  # whoever answered these could not know, but may have taken it back since
        out.seconds += trace.feedback[end].time - f.time
        if not np.isnan(before):
            _judge_one(seen, f, trace.feedback[end].record, (before, earlier), out)
    return out


def _judge_one(seen: Seen, f: Feedback, end: int, told: tuple[float, float], out: Judged) -> None:
    """`told` is the window before the loss, and before the one that was answered last."""
    rate = seen.by_rate  # which falls by a share that is an option
    (before, earlier), rows = told, seen.metric_rows(f.record, end)
    after = part(seen.answering, rows.start, rows.stop)
    after = after[~np.isnan(after)]
    what, unit = ("pacing rate", "bit/s") if rate else ("window", "bytes")
    lowest, highest = (float(after.min()), float(after.max())) if len(after) else (float(before), float(before))
    if seen.legacy and before < highest <= earlier:
        return  # cubic takes the answer before back where few losses make it think that they were none
    floor = LEAST_WINDOW * seen.packet_size(f.time)
    if rate:
        floor *= 8.0 / float(seen.round_trips.smallest(np.array([f.record]))[0])
    out.cases += 1
    falls = lowest < before if rate else lowest <= KEPT * before
    # cubic may take this one back as well (RFC 9438 section 4.9). Up to two packets nothing needs an answer.
    if highest > max(before, floor) and not (falls and seen.legacy):
        out.breach(f.time, f"after {len(f.lost)} losses the {what} grows from {before:.0f} to {highest:.0f} {unit}")
    elif lowest > floor and not falls:
        out.breach(f.time, f"after {len(f.lost)} losses the {what} only goes from {before:.0f} to {lowest:.0f} {unit}")


def _no_promise(seen: Seen) -> str | None:
    """Why nothing is to be expected; None if a reaction is."""
    name = seen.trace.controller
    if name in SILENT:
        return SILENT[name]
    if seen.by_rate or name in OF_NEWRENO or (name is None and seen.states and seen.states <= RFC_STATES):
        return None
    if name is not None:
        return f"nothing is known here of how {name} answers losses"
    return "the states are not those of RFC 9002, so that nothing says that every loss is answered"


INVARIANT = Invariant(
    name="loss",
    holds="within a round trip after a loss that is not spurious the window does not grow, and falls to 0.9 of what it "
    "was or to two packets (raimd: the rate falls)",
    needs=("packet_sent", "packet_received with ACK frames", "a count of losses", "recovery_metrics_updated"),
    tolerance="losses of packets sent before the last answer count as answered (RFC 9002 section 7.3.1)",
    unit="answers",
    least=1,
    judge=judge,
)
