"""Data that was lost, and neither acknowledged nor sent again since."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..arrays import Bools, Ints
from ..model import Trace
from .data_events import Events, Frames, Kind
from .spans import Spans

Step = tuple[int, int, Callable[[int], None], int]
"""Event, order within it, and what takes what in."""

LARGEST = 65535
"""Bytes that a packet may hold."""


@dataclass(slots=True)
class LostData:
    """Told of packets in the order of the trace. Those that have nothing in common with lost ones need not be told."""

    trace: Trace
    _lost: dict[int, Spans] = field(default_factory=dict)
    _acked: dict[int, Spans] = field(default_factory=dict)
    _again: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    """By stream what was sent more than once, in order: begin, end, and the packet that did."""
    _gone: set[int] = field(default_factory=set)

    def waits_after(self, events: Events, frames: Frames, known: Ints) -> Bools:
        """Whether there is any after each event; `known` is up to which byte the stream of each frame was sent before
        it."""
        out = np.zeros(len(events), dtype=np.bool_)
        before, waits = 0, False
        for event, _, take, which in sorted(self._steps(events, frames, known), key=lambda step: step[:2]):
            out[before:event] = waits
            take(which)
            before, waits = event, bool(self._lost)
        out[before:] = waits
        return out

    def _steps(self, events: Events, frames: Frames, known: Ints) -> Iterator[Step]:
        trace, late = self.trace, frozenset(self.trace.came_late)
        told, which = events.of(Kind.FEEDBACK)
        at_feedback = np.full(len(trace.feedback), -1)
        at_feedback[which] = told
        lost = [(int(at_feedback[i]), packets) for i, packets in trace.feedback.lost.items() if at_feedback[i] >= 0]
        near = _near(trace, {p for _, packets in lost for p in packets if p not in late})
        if near is None:
            return
        for i in np.flatnonzero(near[frames.packet]).tolist():
            yield int(frames.event[i]), i, partial(self._sent, frames, int(known[i])), i
        acked = np.flatnonzero(near[np.asarray(trace.acked, dtype=np.int64)])
        at_acked = at_feedback[np.searchsorted(trace.feedback.acked_end, acked, side="right")]
        for at, i in zip(at_acked.tolist(), acked.tolist(), strict=True):
            if at >= 0:
                yield at, i, self._acknowledged, trace.acked[i]
        for at, packets in lost:
            for i, p in enumerate(packets, len(trace.acked)):
                yield at, i, self._acknowledged if p in late else self._lose, p
        for at, stream in zip(*(x.tolist() for x in events.of(Kind.ABANDONED)), strict=True):
            yield at, 0, self._abandoned, stream

    def _sent(self, frames: Frames, known: int, which: int) -> None:
        stream, begin, end = (int(c[which]) for c in (frames.stream, frames.begin, frames.end))
        if begin < known:
            insort(self._again.setdefault(stream, []), (begin, end, int(frames.packet[which])))
        self._settle(stream, begin, end)

    def _acknowledged(self, packet: int) -> None:
        for stream, begin, end in self._frames(packet):
            self._acked.setdefault(stream, Spans()).add(begin, end)
            self._settle(stream, begin, end)

    def _lose(self, packet: int) -> None:
        """What has been acknowledged, or sent again by a probe since, does not wait."""
        for stream, begin, end in self._frames(packet):
            for a, b in self._acked.get(stream, Spans()).without(begin, end):
                self._lost.setdefault(stream, Spans()).add(a, b)
            again = self._again.get(stream, [])
            for a, b, later in again[bisect_left(again, (begin - LARGEST, 0, 0)) : bisect_left(again, (end, 0, 0))]:
                if later > packet:
                    self._settle(stream, a, b)

    def _abandoned(self, stream: int) -> None:
        self._gone.add(stream)
        self._lost.pop(stream, None)

    def _frames(self, packet: int) -> list[tuple[int, int, int]]:
        """Stream, begin and end of the data in a packet."""
        frames = self.trace.sent.frames
        return [
            (frames.stream[i], frames.offset[i], frames.offset[i] + frames.length[i])
            for i in self.trace.sent.frames_of(packet)
            if frames.length[i] and frames.stream[i] not in self._gone
        ]

    def _settle(self, stream: int, begin: int, end: int) -> None:
        """This no longer waits."""
        lost = self._lost.get(stream)
        if lost is not None:
            lost.cut(begin, end)
            if not lost:
                del self._lost[stream]


def _near(trace: Trace, lost: set[int]) -> Bools | None:
    """Of each packet whether any of its data is in one of these as well; None if none of these has data."""
    frames, first = trace.sent.frames, np.asarray(trace.sent.first_frame, dtype=np.int64)
    stream, offset, length = (np.asarray(c, dtype=np.int64) for c in (frames.stream, frames.offset, frames.length))
    packet = np.repeat(np.arange(len(first)), np.diff(first, append=len(stream)))
    counts = np.zeros(len(first), dtype=np.bool_)
    counts[list(lost)] = True
    of_lost = counts[packet] & (length > 0)
    if not of_lost.any():
        return None
    order = np.argsort(stream, kind="stable")
    in_order = stream[order]
    out = np.zeros(len(first), dtype=np.bool_)
    for s in np.unique(stream[of_lost]):
        rows = order[slice(*np.searchsorted(in_order, (s, s + 1)))]
        some = rows[of_lost[rows]]
        spans = Spans.of(offset[some], offset[some] + length[some])
        touched = spans.touch(offset[rows], offset[rows] + length[rows]) & (length[rows] > 0)
        out[packet[rows[touched]]] = True
    return out
