"""What the application got: bytes of streams, each once."""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Ints
from ..model import StreamFrames, Trace
from ..packed import parts

MIN_FRAMES = 10
"""With fewer STREAM frames received, as a server receives requests, a rate means nothing."""


def distinct_bytes(frames: StreamFrames, chosen: Bools | None = None) -> int:
    """Bytes of the union of all (chosen) frames: retransmissions count once."""
    columns = zip(*(parts(column) for column in (frames.stream, frames.offset, frames.length)), strict=True)
    known, waiting, at = _NOTHING, [_NOTHING], 0
    for stream, start, length in columns:
        some = slice(None) if chosen is None else chosen[at : at + len(stream)]
        at += len(stream)
        waiting.append(_united(stream[some], start[some], (start + length)[some]))
        if sum(len(s) for s, _, _ in waiting) > len(known[0]):  # or stretches of many gaps would be united too often
            known, waiting = _united(*(np.concatenate(c) for c in zip(known, *waiting, strict=True))), []
    _, start, end = _united(*(np.concatenate(c) for c in zip(known, *waiting, strict=True)))
    return int((end - start).sum())


def union(stream: Ints, start: Ints, end: Ints) -> int:
    """Bytes that at least one of the frames covers."""
    _, start, end = _united(stream, start, end)
    return int((end - start).sum())


_NOTHING = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def _united(stream: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """The stretches of streams that frames cover, in order."""
    if not len(stream):
        return _NOTHING
    order = np.lexsort((start, stream))
    stream, start, end = stream[order], start[order], end[order]
    # The furthest end so far in the same stream: ends become ranks, to which those of later streams add more than any.
    values, rank = np.unique(end, return_inverse=True)
    first = np.diff(stream, prepend=stream[0] - 1) != 0
    floor = np.cumsum(first) * len(values)
    reached = values[np.maximum.accumulate(rank + floor) - floor]
    begins = np.flatnonzero(first | (start > np.concatenate((start[:1], reached[:-1]))))
    return stream[begins], start[begins], reached[np.append(begins[1:], len(reached)) - 1]


def acked_frames(trace: Trace) -> Bools:
    """Of the STREAM frames sent, those of packets that were acknowledged."""
    acked = ~np.isnan(trace.acked_at())
    out, at = np.zeros(len(trace.sent.frames), dtype=np.bool_), 0
    for first in parts(trace.sent.first_frame):
        edges = np.append(first, trace.sent.first_frame[at + len(first)] if at + len(first) < len(acked) else len(out))
        out[edges[0] : edges[-1]] = np.repeat(acked[at : at + len(first)], np.diff(edges))
        at += len(first)
    return out


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
