"""Data that was lost, and neither acknowledged nor sent again since."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ..arrays import Bools, Ints
from ..model import Trace
from ..packed import part, take
from .data_events import Events, Frames, Kind, frames_of
from .spans import Spans

Step = tuple[int, int, Callable[[int], None], int]
"""Event, order within it, and what takes what in."""

LARGEST = 65535
"""Bytes that a packet may hold."""
PART = 1 << 14
"""Packets."""


class LostData:
    """Told of packets in the order of the trace. Those that have nothing in common with lost ones need not be told."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._late = frozenset(trace.came_late)
        self._losing = list(trace.feedback.lost)
        self._near = _near(trace, [p for lost in trace.feedback.lost.values() for p in lost if p not in self._late])
        self._lost: dict[int, Spans] = {}
        self._acked: dict[int, Spans] = {}
        self._again: dict[int, list[tuple[int, int, int]]] = {}
        """By stream what was sent more than once, in order: begin, end, and the packet that did."""
        self._gone: set[int] = set()

    def waits_after(self, events: Events, frames: Frames, known: Ints) -> Bools:
        """Whether there is any after each of the events that come next; `known` is up to which byte the stream of each
        frame was sent before it."""
        out = np.zeros(len(events), dtype=np.bool_)
        before, waits = 0, bool(self._lost)
        if self._near is not None:
            for event, _, takes_in, which in sorted(self._steps(events, frames, known), key=lambda step: step[:2]):
                out[before:event] = waits
                takes_in(which)
                before, waits = event, bool(self._lost)
        out[before:] = waits
        return out

    def _steps(self, events: Events, frames: Frames, known: Ints) -> Iterator[Step]:
        assert self._near is not None
        for i in np.flatnonzero(self._near[frames.packet]).tolist():
            yield int(frames.event[i]), i, partial(self._sent, frames, int(known[i])), i
        told, which = events.of(Kind.FEEDBACK)
        if len(which):
            first, end = int(which[0]), int(which[-1]) + 1
            at_feedback = np.full(end - first, -1)
            at_feedback[which - first] = told
            yield from self._acks(first, end, at_feedback)
            yield from self._losses(first, end, at_feedback)
        for at, stream in zip(*(x.tolist() for x in events.of(Kind.ABANDONED)), strict=True):
            yield at, 0, self._abandoned, stream

    def _acks(self, first: int, end: int, at_feedback: Ints) -> Iterator[Step]:
        """`at_feedback`: the event of each feedback from `first` up to `end`, or -1."""
        assert self._near is not None
        feedback = self.trace.feedback
        begin = feedback.acked_end[first - 1] if first else 0
        ends = part(feedback.acked_end, first, end)
        packets = part(self.trace.acked, begin, int(ends[-1]))
        places = np.flatnonzero(self._near[packets])
        at_acked = at_feedback[np.searchsorted(ends, begin + places, side="right")]
        for at, i, packet in zip(at_acked.tolist(), (begin + places).tolist(), packets[places].tolist(), strict=True):
            if at >= 0:
                yield at, i, self._acknowledged, packet

    def _losses(self, first: int, end: int, at_feedback: Ints) -> Iterator[Step]:
        for at in self._losing[bisect_left(self._losing, first) : bisect_left(self._losing, end)]:
            if at_feedback[at - first] >= 0:
                for i, p in enumerate(self.trace.feedback.lost[at], len(self.trace.acked)):
                    yield int(at_feedback[at - first]), i, self._acknowledged if p in self._late else self._lose, p

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


def _near(trace: Trace, lost: list[int]) -> Bools | None:
    """Of each packet whether any of its data is in one of these as well; None if none of these has data."""
    sent = trace.sent
    some = {s: Spans.of(offset, offset + length) for s, _, offset, length in _by_stream(trace, np.unique(lost))}
    if not some:
        return None
    out = np.zeros(len(sent), dtype=np.bool_)
    for begin in range(0, len(sent), PART):
        for s, packet, offset, length in _by_stream(trace, np.arange(begin, min(begin + PART, len(sent)))):
            if s in some:
                out[packet[some[s].touch(offset, offset + length)]] = True
    return out


def _by_stream(trace: Trace, packets: Ints) -> Iterator[tuple[int, Ints, Ints, Ints]]:
    """By stream, the frames with data of some packets: packet, offset and length."""
    frames = trace.sent.frames
    at, counts = frames_of(trace.sent, packets)
    length = take(frames.length, at)
    some = length > 0
    at, length, packet = at[some], length[some], np.repeat(packets, counts)[some]
    stream, offset = take(frames.stream, at), take(frames.offset, at)
    order = np.argsort(stream, kind="stable")
    starts = np.flatnonzero(np.diff(stream[order], prepend=-1))
    for rows in np.split(order, starts[1:]) if len(order) else []:
        yield int(stream[rows[0]]), packet[rows], offset[rows], length[rows]
