"""What the application got: bytes of streams, each once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import Ints
from ..model import StreamFrames, Trace

MIN_FRAMES = 10
"""With fewer STREAM frames received, as a server receives requests, a rate means nothing."""


def distinct_bytes(frames: StreamFrames, chosen: npt.NDArray[np.bool_] | None = None) -> int:
    """Bytes of the union of all (chosen) frames: retransmissions count once."""
    stream = np.asarray(frames.stream, dtype=np.int64)
    start = np.asarray(frames.offset, dtype=np.int64)
    end = start + np.asarray(frames.length, dtype=np.int64)
    if chosen is not None:
        stream, start, end = stream[chosen], start[chosen], end[chosen]
    return union(stream, start, end)


def union(stream: Ints, start: Ints, end: Ints) -> int:
    """Bytes that at least one of the frames covers."""
    if not len(stream):
        return 0
    order = np.lexsort((start, stream))
    stream, start, end = stream[order], start[order], end[order]
    # The furthest end so far in the same stream: ends become ranks, to which those of later streams add more than any.
    values, rank = np.unique(end, return_inverse=True)
    first = np.diff(stream, prepend=stream[0] - 1) != 0
    floor = np.cumsum(first) * len(values)
    reached = values[np.maximum.accumulate(rank + floor) - floor]
    before = np.where(first, start, np.concatenate((start[:1], reached[:-1])))
    return int(np.maximum(end - np.maximum(start, before), 0).sum())


def acked_frames(trace: Trace) -> npt.NDArray[np.bool_]:
    """Of the STREAM frames sent, those of packets that were acknowledged."""
    return ~np.isnan(trace.acked_at())[packets_of_frames(trace)]


def packets_of_frames(trace: Trace) -> Ints:
    """The packet (position in `Trace.sent`) of each STREAM frame sent."""
    counts = np.diff(np.append(np.asarray(trace.sent.first_frame, dtype=np.int64), len(trace.sent.frames)))
    return np.repeat(np.arange(len(counts)), counts)


def transfer_span(trace: Trace) -> tuple[float, float] | None:
    """First STREAM frame sent, last ACK of a packet that carried one; None if none was acknowledged."""
    sent = trace.sent
    if not len(sent.frames):
        return None
    counts = np.diff(np.append(np.asarray(sent.first_frame, dtype=np.int64), len(sent.frames)))
    acked_at = trace.acked_at()[counts > 0]
    acked_at = acked_at[~np.isnan(acked_at)]
    return (sent.frames.time[0], float(acked_at.max())) if len(acked_at) else None
