"""The sequence of packets over time: how far the sender is, how far the peer has acknowledged, and what was lost.

The distance between the two lines is the round trip across, and what is in flight upwards."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import Floats
from ..explain.explanation import Explanation
from ..metrics.observed import Observed
from ..model import StreamFrames, Trace
from .panel import BLUE, ORANGE, SKY, VERMILLION, Panel, series


def sequence(e: Explanation) -> Panel:
    """Of ack-eliciting packets of the application: bytes sent up to and with each packet."""
    o = e.observed
    s = o.sends
    panel = Panel("Sequence", "MB sent so far", from_zero=False)
    if not len(s) or not e.trace.frames_known:
        return panel
    place = np.cumsum(s.size) / 1e6
    again = repeats(e.trace, o)
    acked_at, lost_at = _answers(o)
    panel.series = [
        series("packet sent", s.time, place, SKY, "dots"),
        series("with data sent before", s.time[again], place[again], ORANGE, "squares"),
        series("acknowledged", acked_at, place, BLUE, "dots"),
        series("declared lost", lost_at, place, VERMILLION, "crosses"),
    ]
    return panel


def _answers(o: Observed) -> tuple[Floats, Floats]:
    """When each packet was acknowledged, and when it was declared lost; NaN if it was not."""
    acked = o.trace.acked_at()
    lost = np.full(len(acked), np.nan)
    for f in o.trace.feedback:
        for p in f.lost:
            lost[p] = f.time
    return acked[o.sends.packet], lost[o.sends.packet]


def repeats(trace: Trace, o: Observed) -> npt.NDArray[np.bool_]:
    """Of the packets of `o`, those with stream data that another packet had carried before."""
    frames = trace.sent.frames
    first = np.append(np.array(trace.sent.first_frame, dtype=np.int64), len(frames))
    before = np.concatenate(([0], np.cumsum(_frames_again(frames))))
    return np.asarray(before[first[o.sends.packet + 1]] > before[first[o.sends.packet]])


def _frames_again(frames: StreamFrames) -> npt.NDArray[np.bool_]:
    """The frames that begin below what had been sent of their stream. An empty one repeats nothing."""
    stream = np.array(frames.stream, dtype=np.int64)
    start = np.array(frames.offset, dtype=np.int64)
    length = np.array(frames.length, dtype=np.int64)
    order = np.argsort(stream, kind="stable")
    out = np.zeros(len(stream), dtype=np.bool_)
    for part in np.split(order, np.flatnonzero(np.diff(stream[order])) + 1):
        reached = np.maximum.accumulate((start + length)[part])
        out[part[1:]] = (start[part[1:]] < reached[:-1]) & (length[part[1:]] > 0)
    return out
