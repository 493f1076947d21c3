"""What the application got: bytes of streams, each once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model import StreamFrames, Trace


def distinct_bytes(frames: StreamFrames, chosen: npt.NDArray[np.bool_] | None = None) -> int:
    """Bytes of the union of all (chosen) frames: retransmissions count once."""
    stream = np.frombuffer(frames.stream, dtype=np.int64)
    start = np.frombuffer(frames.offset, dtype=np.int64)
    end = start + np.frombuffer(frames.length, dtype=np.int64)
    if chosen is not None:
        stream, start, end = stream[chosen], start[chosen], end[chosen]
    order = np.lexsort((start, stream))
    total = 0
    current, reached = -1, 0
    for s, a, b in zip(stream[order].tolist(), start[order].tolist(), end[order].tolist(), strict=True):
        if s != current:
            current, reached = s, a
        total += max(b - max(a, reached), 0)
        reached = max(reached, b)
    return total


def acked_frames(trace: Trace) -> npt.NDArray[np.bool_]:
    """Of the STREAM frames sent, those of packets that were acknowledged."""
    acked = ~np.isnan(np.frombuffer(trace.sent.acked_at, dtype=np.float64))
    counts = np.diff(np.append(np.frombuffer(trace.sent.first_frame, dtype=np.int64), len(trace.sent.frames)))
    return np.repeat(acked, counts)


def transfer_span(trace: Trace) -> tuple[float, float] | None:
    """First STREAM frame sent, last ACK of a packet that carried one; None if none was acknowledged."""
    sent = trace.sent
    if not len(sent.frames):
        return None
    counts = np.diff(np.append(np.frombuffer(sent.first_frame, dtype=np.int64), len(sent.frames)))
    acked_at = np.frombuffer(sent.acked_at, dtype=np.float64)[counts > 0]
    acked_at = acked_at[~np.isnan(acked_at)]
    return (sent.frames.time[0], float(acked_at.max())) if len(acked_at) else None
