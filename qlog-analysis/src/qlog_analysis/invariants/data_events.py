"""What bears on the data of a sender, as columns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ..arrays import Ints
from ..model import SentPackets, Signal, Trace
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


def peers_limits(trace: Trace) -> list[tuple[int, Signal]]:
    """Positions in `Trace.signals`, and what stands there."""
    kinds = ("max_data", "max_stream_data")
    return [(i, signal) for i, signal in enumerate(trace.signals) if signal.kind in kinds and not signal.sent]


class Rows:
    """Rows of a column of records, taken in their order."""

    def __init__(self, record: Column[int]) -> None:
        self._record = record
        self._at = 0

    def until(self, record: int) -> tuple[Ints, Ints]:
        """Those after the last ones that were taken and before a record: positions, and records."""
        begin, self._at = self._at, self._record.left(record)
        return np.arange(begin, self._at), part(self._record, begin, self._at)


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
