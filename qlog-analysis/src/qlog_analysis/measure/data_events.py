"""What bears on the data of a sender, as columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..model import SentPackets, Trace
from ..packed import Column, part, take


class Kind(IntEnum):
    """What happens, in the order in which it counts within a record, and what tells which of its kind it is."""

    FEEDBACK = 0
    """Position in `Trace.feedback`."""
    LIMIT = 1
    """In `Trace.signals`."""
    WRITTEN = 2
    """In `Trace.written`."""
    ABANDONED = 3
    """The stream."""
    METRICS = 4
    """Nothing that matters here."""
    SENT = 5
    """In `Trace.sent`."""


@dataclass(frozen=True, slots=True)
class Events:
    """All that bears on what waits, or a part of it, in the order of the trace."""

    kind: Ints
    which: Ints

    def __len__(self) -> int:
        return len(self.kind)

    def of(self, kind: Kind) -> tuple[Ints, Ints]:
        """Places of those of a kind, and which these are."""
        places = np.flatnonzero(self.kind == kind)
        return places, self.which[places]


@dataclass(frozen=True, slots=True)
class OfKind:
    """Events of one kind, in order."""

    kind: Kind
    record: Ints
    time: Floats
    which: Ints
    """Of its kind each is."""

    def only(self, some: Bools | slice) -> OfKind:
        return OfKind(self.kind, self.record[some], self.time[some], self.which[some])


def in_order(kinds: Sequence[OfKind]) -> tuple[Ints, Floats, Events]:
    """Records and times of the events of all of these kinds, and what they are, in the order of the trace."""
    kind = np.repeat([k.kind for k in kinds], [len(k.record) for k in kinds])
    record, which = np.concatenate([k.record for k in kinds]), np.concatenate([k.which for k in kinds])
    order = np.lexsort((which, kind, record))
    return record[order], np.concatenate([k.time for k in kinds])[order], Events(kind[order], which[order])


class Rows:
    """Events of a kind of which a trace has columns, taken in their order."""

    def __init__(self, kind: Kind, record: Column[int], time: Column[float]) -> None:
        self._kind, self._record, self._time = kind, record, time
        self._at = 0

    def until(self, record: int) -> OfKind:
        """Those after the last ones that were taken and before a record."""
        begin, self._at = self._at, self._record.left(record)
        place = begin, self._at
        return OfKind(self._kind, part(self._record, *place), part(self._time, *place), np.arange(*place))


class SendLimits:
    """What limits the data that may be sent, taken in order: the peer's limits, and that streams were abandoned."""

    def __init__(self, trace: Trace) -> None:
        kinds = ("max_data", "max_stream_data")
        limits = [(x.record, x.time, i) for i, x in enumerate(trace.signals) if x.kind in kinds and not x.sent]
        gone = [(*said, stream) for stream, said in trace.abandoned.items()]
        self._kinds = [_of_kind(Kind.LIMIT, limits), _of_kind(Kind.ABANDONED, gone)]
        self._begin = -1

    def until(self, record: int) -> list[OfKind]:
        """Those after the last ones that were taken and before a record."""
        begin, self._begin = self._begin, record
        return [k.only(slice(*np.searchsorted(k.record, (begin, record)).tolist())) for k in self._kinds]


def _of_kind(kind: Kind, rows: list[tuple[int, float, int]]) -> OfKind:
    record, time, which = zip(*sorted(rows), strict=True) if rows else ((), (), ())
    whole = [np.array(column, dtype=np.int64) for column in (record, which)]
    return OfKind(kind, whole[0], np.array(time, dtype=np.float64), whole[1])


@dataclass(frozen=True, slots=True)
class Frames:
    """STREAM frames with data that were sent, in order, but of streams that had been abandoned."""

    event: Ints
    """By which of the events."""
    packet: Ints
    stream: Ints
    begin: Ints
    end: Ints


def frames_sent(trace: Trace, events: Events, gone: Collection[int]) -> Frames:
    """`gone`: streams that were abandoned before the events."""
    event, packet = events.of(Kind.SENT)
    at, counts = frames_of(trace.sent, packet)
    frames = trace.sent.frames
    stream, offset, length = (take(column, at) for column in (frames.stream, frames.offset, frames.length))
    event, packet = np.repeat(event, counts), np.repeat(packet, counts)
    some = (length > 0) & (event < _abandoned_at(events, stream))
    if gone:
        some &= ~np.isin(stream, [*gone])
    return Frames(event[some], packet[some], stream[some], offset[some], (offset + length)[some])


def frames_of(sent: SentPackets, packets: Ints) -> tuple[Ints, Ints]:
    """Positions of the frames of these, which are in order; and how many each has."""
    first, last = take(sent.first_frame, packets), packets == len(sent) - 1
    end = take(sent.first_frame, packets + ~last)
    end[last] = len(sent.frames)
    counts = end - first
    return np.arange(int(counts.sum())) + np.repeat(first - (np.cumsum(counts) - counts), counts), counts


def _abandoned_at(events: Events, stream: Ints) -> Ints:
    """The event with which each of these streams was abandoned; after all others if it was not."""
    event, gone = events.of(Kind.ABANDONED)
    if not len(gone):
        return np.full(len(stream), len(events))
    order = np.argsort(gone)
    at = np.minimum(np.searchsorted(gone[order], stream), len(gone) - 1)
    return np.where(gone[order][at] == stream, event[order][at], len(events))
