"""ECN counts fit what was sent, and CE marks are answered (RFC 9000 section 13.4, RFC 3168, RFC 9331)."""

from __future__ import annotations

import numpy as np

from ..measure.ecn import Counts
from ..model import Feedback, Space
from ..packed import parts
from .invariant import Invariant, Judged
from .seen import LEAST_WINDOW, Seen

ANSWERS = frozenset({"smallq"})
"""Controllers that ask for marks and promise to answer each."""
ENOUGH = 3
"""Marks in a round trip: one is a packet less, growth is a packet more, and the window is told in whole packets."""
UNMARKED = frozenset({"hybrid", "vegas", "rrr", "raimd"})
"""Controllers that send Not-ECT."""


NO_COUNTS = "no ACK frame has ECN counts; the codepoint of a packet sent stands in no event"


def judge_counts(seen: Seen) -> Judged:
    """A mark belongs to a packet that was sent with it."""
    if not _has_counts(seen):
        return Judged.nothing(NO_COUNTS)
    out, sent, begin = Judged(), seen.trace.sent, 0
    packets = dict.fromkeys(Space, 0)
    for f in seen.trace.feedback:
        if f.ecn is None:
            continue
        begin, before = sent.record.left(f.record), begin
        for space in Space:
            packets[space] += sent.space.count(space, before, begin)
        out.cases += 1
        if sum(f.ecn) > packets[f.space]:
            out.breach(f.time, f"{sum(f.ecn)} marked packets are counted, and {packets[f.space]} were sent")
        elif sum(f.ecn) and seen.trace.controller in UNMARKED:
            out.breach(f.time, f"{sum(f.ecn)} marked packets are counted, and {seen.trace.controller} marks none")
    return out


def judge_answers(seen: Seen) -> Judged:
    """Round trip by round trip, of the marks on packets sent after the last loss, which answers the others."""
    trace = seen.trace
    if trace.controller not in ANSWERS:
        return Judged.nothing(f"of the controllers only {', '.join(sorted(ANSWERS))} promises to answer each mark")
    if not _has_counts(seen):
        return Judged.nothing(NO_COUNTS)
    out, marks, i = Judged(), _marks(seen), 0
    while i < len(trace.feedback) and int(seen.round_end[i]) < len(trace.feedback):
        f, end = trace.feedback[i], int(seen.round_end[i])
        if not marks[i] or f.record >= seen.until:
            i += 1
            continue
        count = sum(marks[i:end])
        if count >= ENOUGH and not any(x.lost for x in trace.feedback[i:end]):
            _judge_one(seen, f, end, count, out)
        i = max(end, i + 1)
    return out


def _has_counts(seen: Seen) -> bool:
    return any((ce >= 0).any() for ce in parts(seen.trace.feedback.ce))


def _judge_one(seen: Seen, f: Feedback, end: int, count: int, out: Judged) -> None:
    window = seen.trace.metrics.congestion_window
    rows = seen.metric_rows(f.record, seen.trace.feedback[end].record)
    if not rows.start or np.isnan(window[rows.start - 1]):
        return
    before, after = window[rows.start - 1], window[rows.stop - 1]
    out.cases += 1
    out.seconds += seen.trace.feedback[end].time - f.time
    if after >= before > LEAST_WINDOW * seen.packet_size(f.time):
        out.breach(f.time, f"{count} packets were marked CE in a round trip, and the window then is {after:.0f} bytes")


def _marks(seen: Seen) -> list[int]:
    """Of each feedback."""
    trace, counts = seen.trace, Counts(seen.trace)
    out, lost = [], -1.0
    for f in trace.feedback:
        rise = next(iter(counts.increases(f)))
        counts.follow(f, rise)
        lost = f.time if f.lost else lost
        shows = all(trace.sent.time[p] > lost for p in trace.acked_by(f))
        out.append(min(rise[1], len(f.acked)) if shows else 0)
    return out


COUNTS = Invariant(
    name="ecn",
    holds="no more marks are counted than packets were sent, none by controllers that send Not-ECT",
    needs=("packet_sent", "packet_received with ACK frames that have ECN counts"),
    tolerance="none",
    unit="counts",
    least=10,
    judge=judge_counts,
)
ANSWERED = Invariant(
    name="ce marks",
    holds="smallq's window is smaller after a round trip with three CE marks",
    needs=("packet_sent", "packet_received with ACK frames that have ECN counts", "recovery_metrics_updated"),
    tolerance="a packet of growth and one of rounding; marks on packets sent before a loss, which answers them; two "
    "packets stay",
    unit="answers",
    least=1,
    judge=judge_answers,
)
