"""What is known to wait: data that the application has written, or that was lost, and that flow control lets go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Ints
from ..model import Signal, Trace
from ..packed import take
from .data_events import Events, Frames, Kind, frames_sent
from .lost_data import LostData

MOST = 1 << 62
"""Bytes: more than flow control can allow."""


_SENT, _WRITTEN, _LIMIT, _GONE = range(4)


@dataclass(slots=True)
class _Stream:
    """Up to which byte a stream was sent, written and allowed."""

    allowed: int
    sent: int = 0
    written: int = 0
    new: bool = False
    """Whether any is written and allowed, and not sent."""


class Waiting:
    """Told of what bears on data in the order of the trace, part by part. Without the peer's limits new data counts for
    nothing."""

    def __init__(self, trace: Trace, *, losses: bool = True) -> None:
        """`losses`: whether it is told of feedback."""
        self._trace = trace
        self._lost = LostData(trace) if losses else None
        self._streams: dict[int, _Stream] = {}
        self._with_new = 0
        """How many streams have."""
        self._total, self._rough = 0, 0.0
        self._most = trace.first_limits.data if trace.first_limits is not None else 0
        self._gone: set[int] = set()
        """Streams that were abandoned."""

    def after(self, events: Events) -> Bools:
        """Whether something could leave after each of these events, which come next."""
        frames = frames_sent(self._trace, events, self._gone)
        new, known = self._new(events, frames)
        if self._lost is not None:
            new |= self._lost.waits_after(events, frames, known)
        self._gone.update(events.of(Kind.ABANDONED)[1].tolist())
        return new

    def _new(self, events: Events, frames: Frames) -> tuple[Bools, Ints]:
        """Whether new data could leave after each event; and up to which byte each frame's stream was sent before
        it."""
        limits = zip(*(x.tolist() for x in events.of(Kind.LIMIT)), strict=True)
        told = [(at, self._trace.signals[i]) for at, i in limits]
        some, known = self._streams_with_new(self._changes(events, frames, told), len(events), len(frames.event))
        grown = np.maximum(frames.end - known, 0)
        most = np.zeros(len(events), dtype=np.int64)
        for at, signal in told:
            if signal.stream is None:
                most[at] = signal.limit or 0
        sent = np.cumsum(np.bincount(frames.event, minlength=len(events)))
        sums = np.cumsum(np.append(self._total, grown)), np.cumsum(np.append(self._rough, grown.astype(np.float64)))
        allowed = np.maximum.accumulate(np.append(self._most, most))
        self._total, self._rough, self._most = int(sums[0][-1]), float(sums[1][-1]), int(allowed[-1])
        return some & (sums[0][sent] < allowed[1:]) & (sums[1][sent] < MOST), known

    def _changes(self, events: Events, frames: Frames, told: list[tuple[int, Signal]]) -> _Changes:
        wrote, rows = events.of(Kind.WRITTEN)
        gone, abandoned = events.of(Kind.ABANDONED)
        limits = np.array([(at, s.stream, s.limit or 0) for at, s in told if s.stream is not None], dtype=np.int64)
        limited, of_stream, limit = limits.reshape(-1, 3).T
        stream, end = (take(column, rows) for column in (self._trace.written.stream, self._trace.written.end))
        return _Changes(
            event=np.concatenate((frames.event, wrote, limited, gone)),
            stream=np.concatenate((frames.stream, stream, of_stream, abandoned)),
            value=np.concatenate((frames.end, end, limit, np.zeros_like(gone))),
            of=np.repeat((_SENT, _WRITTEN, _LIMIT, _GONE), (len(frames.event), len(wrote), len(limited), len(gone))),
        )

    def _streams_with_new(self, c: _Changes, events: int, frames: int) -> tuple[Bools, Ints]:
        """Whether after each event any stream has bytes that were written and not sent, and that its limit allows; and
        up to which byte a stream was sent before each frame."""
        if not len(c.event):
            return np.full(events, self._with_new > 0), np.empty(0, dtype=np.int64)
        rows = c.by_stream()
        streams = [self._stream(s) for s in rows.streams.tolist()]
        sent = _running(rows.values_of(_SENT), rows.starts, [s.sent for s in streams])
        written = _running(rows.values_of(_WRITTEN), rows.starts, [s.written for s in streams])
        allowed = _running(rows.values_of(_LIMIT), rows.starts, [s.allowed for s in streams])
        new = ((np.minimum(written, allowed) > sent) & (rows.of != _GONE)).astype(np.int64)
        change = new - _before(new, rows.starts, [s.new for s in streams])
        waits = np.cumsum(np.bincount(rows.event, weights=change, minlength=events)) + self._with_new
        known = np.empty(frames, dtype=np.int64)
        before = _before(sent, rows.starts, [s.sent for s in streams])
        known[rows.order[rows.of == _SENT]] = before[rows.of == _SENT]
        self._with_new += int(change.sum())
        last = (x[rows.ends - 1].tolist() for x in (sent, written, allowed, new))
        for s, s.sent, s.written, s.allowed, now in zip(streams, *last, strict=True):
            s.new = now > 0
        return waits > 0.5, known

    def _stream(self, stream: int) -> _Stream:
        if stream not in self._streams:
            self._streams[stream] = _Stream(_first_limit(self._trace, stream))
        return self._streams[stream]


@dataclass(slots=True)
class _Changes:
    """Of streams: what was sent, written or allowed of them, and that they were abandoned."""

    event: Ints
    stream: Ints
    value: Ints
    """Up to which byte."""
    of: Ints

    def by_stream(self) -> _Rows:
        order = np.argsort(self.event, kind="stable")
        if (self.stream != self.stream[0]).any():
            order = order[np.argsort(self.stream[order], kind="stable")]
        stream = self.stream[order]
        starts = np.flatnonzero(np.diff(stream, prepend=stream[0] - 1))
        ends = np.append(starts[1:], len(stream))
        return _Rows(order, self.event[order], self.value[order], self.of[order], stream[starts], starts, ends)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Changes, stream by stream and in order."""

    order: Ints
    event: Ints
    value: Ints
    of: Ints
    streams: Ints
    starts: Ints
    """Where those of each stream begin."""
    ends: Ints

    def values_of(self, kind: int) -> Ints:
        """Of a kind of changes; 0 for others."""
        return np.where(self.of == kind, self.value, 0)


def _running(values: Ints, starts: Ints, first: list[int]) -> Ints:
    """The largest so far, anew from each start on with `first`."""
    values = values.copy()
    values[starts] = np.maximum(values[starts], np.array(first, dtype=np.int64))
    step = int(values.max()) + 1
    if step * len(starts) < MOST:
        shift = np.repeat(np.arange(len(starts)) * step, np.diff(starts, append=len(values)))
        return np.asarray(np.maximum.accumulate(values + shift) - shift, dtype=np.int64)
    return np.concatenate([np.maximum.accumulate(part) for part in np.split(values, starts[1:])])


def _before(values: Ints, starts: Ints, first: Sequence[int]) -> Ints:
    """The one before each; at a start, of `first`."""
    out = np.concatenate(([0], values[:-1]))
    out[starts] = first
    return out


def _first_limit(trace: Trace, stream: int) -> int:
    first = trace.first_limits
    if first is None:
        return 0
    opened_here = (stream & 1) == (trace.vantage_point == "server")
    return first.uni if stream & 2 else first.bidi_remote if opened_here else first.bidi_local
