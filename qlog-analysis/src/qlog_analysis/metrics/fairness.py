"""How equally flows share a link, of traces given together. That they share it is an assumption: no trace tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..model import StreamFrames, Trace
from .goodput import MIN_FRAMES, packets_of_frames, union

ASSUMES = "the traces are of different connections, whose slowest link is the same"


@dataclass(frozen=True, slots=True)
class Flow:
    """What of a trace is needed: STREAM frames, and when each arrived or was acknowledged."""

    reference: float | None
    """Unix time of time 0, s."""
    time: Floats
    stream: Ints
    start: Ints
    end: Ints

    @property
    def active(self) -> tuple[float, float]:
        """From the first to the last of them, Unix time."""
        assert self.reference is not None
        return self.reference + float(self.time.min()), self.reference + float(self.time.max())

    def bytes_until(self, unix: float) -> int:
        assert self.reference is not None
        some = self.time <= unix - self.reference
        return union(self.stream[some], self.start[some], self.end[some])


@dataclass(frozen=True, slots=True)
class Fairness:
    """Of one flow among others, over the time in which all were active."""

    flows: int
    begin_unix_s: float
    duration_s: float
    goodput_bps: float
    share: float
    """Of what all flows got together, 0 to 1."""
    jains_index: float
    """(sum x)² / (n sum x²) of the goodputs x of all n flows: 1 if they are equal, 1/n if one has everything."""
    assumes: str = ASSUMES


def flow_of(trace: Trace) -> Flow:
    """By the direction in which more came through."""
    acked_at = trace.acked_at()[packets_of_frames(trace)]
    sent = _flow(trace, trace.sent.frames, acked_at)
    received = _flow(trace, trace.received, np.array(trace.received.time, dtype=np.float64))
    return max(sent, received, key=lambda flow: int((flow.end - flow.start).sum()))


def _flow(trace: Trace, frames: StreamFrames, time: Floats) -> Flow:
    known = ~np.isnan(time)
    stream, start = np.array(frames.stream, dtype=np.int64)[known], np.array(frames.offset, dtype=np.int64)[known]
    end = start + np.array(frames.length, dtype=np.int64)[known]
    return Flow(trace.reference, time[known], stream, start, end)


def fairness(flows: Sequence[Flow]) -> list[Fairness] | str:
    """Flow by flow, or why it is not known."""
    if len(flows) < 2:
        return "it needs several traces of one link"
    if any(len(f.time) < MIN_FRAMES for f in flows):
        return f"one of the traces has fewer than {MIN_FRAMES} STREAM frames that came through"
    if any(f.reference is None for f in flows):
        return "one of the traces does not tell when it began"
    begin, end = max(f.active[0] for f in flows), min(f.active[1] for f in flows)
    if end <= begin:
        return "the flows were not all active at any time"
    got = np.array([f.bytes_until(end) - f.bytes_until(begin) for f in flows], dtype=np.float64)
    total = got.sum()
    if total <= 0.0:
        return "nothing came through while all flows were active"
    index = float(total**2 / (len(got) * (got**2).sum()))
    rates = 8.0 * got / (end - begin)
    return [
        Fairness(len(got), begin, end - begin, float(r), float(x / total), index)
        for r, x in zip(rates, got, strict=True)
    ]
