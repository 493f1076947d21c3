"""The sequence of packets over time: how far the sender is, how far the peer has acknowledged, and what was lost.

The distance between the two lines is the round trip across, and what is in flight upwards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..explain.explanation import Explanation
from ..metrics.acks import acks_in_parts
from ..metrics.observed import Observed
from ..model import Trace
from ..packed import PIECE, part, take
from .panel import BLUE, ORANGE, SKY, VERMILLION, Panel, series_of
from .thin import Points


def sequence(e: Explanation) -> Panel:
    """Of ack-eliciting packets of the application: bytes sent up to and with each packet."""
    o = e.observed
    panel = Panel("Sequence", "MB sent so far", from_zero=False)
    if not o.packets or not e.trace.frames_known:
        return panel
    panel.series = [
        series_of("packet sent", _sent(o), SKY, "dots"),
        series_of("with data sent before", _repeats(o), ORANGE, "squares"),
        series_of("acknowledged", _acked(o), BLUE, "dots"),
        series_of("declared lost", _lost(o), VERMILLION, "crosses"),
    ]
    return panel


def _place(o: Observed, packets: Ints) -> Floats:
    return np.asarray(take(o.bytes_before, packets + 1) / 1e6, dtype=np.float64)


def _sent(o: Observed) -> Iterator[Points]:
    return ((w.sends.time, _place(o, w.sends.packet)) for w in o.windows())


def _acked(o: Observed) -> Iterator[Points]:
    for acks in acks_in_parts(o.trace):
        own = o.own[acks.packets]
        yield np.repeat(acks.time, acks.count)[own], _place(o, acks.packets[own])


def _lost(o: Observed) -> Iterator[Points]:
    for at, lost in o.trace.feedback.lost.items():
        packets = np.array([p for p in lost if o.own[p]], dtype=np.int64)
        yield np.full(len(packets), o.trace.feedback.time[at]), _place(o, packets)


def _repeats(o: Observed) -> Iterator[Points]:
    """Packets with stream data that another packet had carried before."""
    sent, reached = o.trace.sent, dict[int, int]()
    for begin in range(0, len(sent), PIECE):
        end = min(begin + PIECE, len(sent))
        following = sent.first_frame[end] if end < len(sent) else len(sent.frames)
        first = np.append(part(sent.first_frame, begin, end), following)
        before = np.concatenate(([0], np.cumsum(_frames_again(o.trace, int(first[0]), following, reached))))
        again = begin + np.flatnonzero(o.own[begin:end] & (np.diff(before[first - first[0]]) > 0))
        yield take(sent.time, again), _place(o, again)


def _frames_again(trace: Trace, begin: int, end: int, reached: dict[int, int]) -> Bools:
    """Of these frames, those that begin below what had been sent of their stream, which is kept in `reached`. An empty
    one repeats nothing."""
    frames = trace.sent.frames
    stream, start, length = (part(column, begin, end) for column in (frames.stream, frames.offset, frames.length))
    order = np.argsort(stream, kind="stable")
    out = np.zeros(len(stream), dtype=np.bool_)
    for own in np.split(order, np.flatnonzero(np.diff(stream[order])) + 1) if len(order) else ():
        of = int(stream[own[0]])
        ends = np.maximum.accumulate(np.concatenate(([reached.get(of, 0)], (start + length)[own])))
        out[own] = (start[own] < ends[:-1]) & (length[own] > 0)
        reached[of] = int(ends[-1])
    return out
