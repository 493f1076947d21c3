"""What is known to wait: data that the application has written, or that was lost, and that flow control lets go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Ints
from ..model import Trace
from .data_events import Events, Frames, Kind, frames_sent
from .lost_data import LostData

MOST = 1 << 62
"""Bytes: more than flow control can allow."""


def waits_after(trace: Trace, events: Events) -> Bools:
    """Whether something could leave after each event. Without the peer's limits new data counts for nothing."""
    frames = frames_sent(trace, events)
    new, known = _new(trace, events, frames)
    return new | LostData(trace).waits_after(events, frames, known)


def _new(trace: Trace, events: Events, frames: Frames) -> tuple[Bools, Ints]:
    """Whether new data could leave after each event; and up to which byte each frame's stream was sent before it."""
    wrote, rows = events.of(Kind.WRITTEN)
    gone, abandoned = events.of(Kind.ABANDONED)
    told = [(at, trace.signals[i]) for at, i in zip(*(x.tolist() for x in events.of(Kind.LIMIT)), strict=True)]
    limits = np.array([(at, s.stream, s.limit or 0) for at, s in told if s.stream is not None], dtype=np.int64)
    limited, of_stream, limit = limits.reshape(-1, 3).T
    written = trace.written
    changes = _Changes(
        event=np.concatenate((frames.event, wrote, limited, gone)),
        stream=np.concatenate((frames.stream, np.asarray(written.stream, dtype=np.int64)[rows], of_stream, abandoned)),
        value=np.concatenate((frames.end, np.asarray(written.end, dtype=np.int64)[rows], limit, np.zeros_like(gone))),
        of=np.repeat((_SENT, _WRITTEN, _LIMIT, _GONE), (len(frames.event), len(wrote), len(limited), len(gone))),
    )
    some, known = changes.streams_with_new(trace, len(events), len(frames.event))
    grown = np.maximum(frames.end - known, 0)
    most = np.zeros(len(events), dtype=np.int64)
    for at, signal in told:
        if signal.stream is None:
            most[at] = signal.limit or 0
    first = trace.first_limits.data if trace.first_limits is not None else 0
    sent = np.cumsum(np.bincount(frames.event, minlength=len(events)))
    total, rough = (np.concatenate(([0], np.cumsum(g)))[sent] for g in (grown, grown.astype(np.float64)))
    return some & (total < np.maximum.accumulate(np.maximum(most, first))) & (rough < MOST), known


_SENT, _WRITTEN, _LIMIT, _GONE = range(4)


@dataclass(slots=True)
class _Changes:
    """Of streams: what was sent, written or allowed of them, and that they were abandoned."""

    event: Ints
    stream: Ints
    value: Ints
    """Up to which byte."""
    of: Ints

    def streams_with_new(self, trace: Trace, events: int, frames: int) -> tuple[Bools, Ints]:
        """Whether after each event any stream has bytes that were written and not sent, and that its limit allows; and
        up to which byte a stream was sent before each frame."""
        if not len(self.event):
            return np.zeros(events, dtype=np.bool_), np.empty(0, dtype=np.int64)
        order = np.argsort(self.event, kind="stable")
        if (self.stream != self.stream[0]).any():
            order = order[np.argsort(self.stream[order], kind="stable")]
        stream, value, of = self.stream[order], self.value[order], self.of[order]
        starts = np.flatnonzero(np.diff(stream, prepend=stream[0] - 1))
        first = np.repeat(
            [_first_limit(trace, s) for s in stream[starts].tolist()], np.diff(starts, append=len(stream))
        )
        sent, written = (_running(np.where(of == k, value, 0), starts) for k in (_SENT, _WRITTEN))
        allowed = _running(np.where(of == _LIMIT, np.maximum(value, first), first), starts)
        new = ((np.minimum(written, allowed) > sent) & (of != _GONE)).astype(np.int64)
        more = np.bincount(self.event[order], weights=new - _before(new, starts), minlength=events)
        known = np.empty(frames, dtype=np.int64)
        known[order[of == _SENT]] = _before(sent, starts)[of == _SENT]
        return np.cumsum(more) > 0.5, known


def _running(values: Ints, starts: Ints) -> Ints:
    """The largest so far, anew from each start on."""
    step = int(values.max()) + 1
    if step * len(starts) < MOST:
        shift = np.repeat(np.arange(len(starts)) * step, np.diff(starts, append=len(values)))
        return np.asarray(np.maximum.accumulate(values + shift) - shift, dtype=np.int64)
    return np.concatenate([np.maximum.accumulate(part) for part in np.split(values, starts[1:])])


def _before(values: Ints, starts: Ints) -> Ints:
    """The one before each; 0 at a start."""
    out = np.concatenate(([0], values[:-1]))
    out[starts] = 0
    return out


def _first_limit(trace: Trace, stream: int) -> int:
    first = trace.first_limits
    if first is None:
        return 0
    opened_here = (stream & 1) == (trace.vantage_point == "server")
    return first.uni if stream & 2 else first.bidi_remote if opened_here else first.bidi_local
