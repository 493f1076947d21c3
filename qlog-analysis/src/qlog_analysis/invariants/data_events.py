"""What bears on the data of a sender, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ..arrays import Ints
from ..model import Trace


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
class Frames:
    """STREAM frames with data that were sent, in order, but of streams that had been abandoned."""

    event: Ints
    """By which of the events."""
    packet: Ints
    stream: Ints
    begin: Ints
    end: Ints


def frames_sent(trace: Trace, events: Events) -> Frames:
    all_frames = trace.sent.frames
    event, packet = events.of(Kind.SENT)
    first = np.append(np.asarray(trace.sent.first_frame, dtype=np.int64), len(all_frames))
    counts = first[packet + 1] - first[packet]
    at = np.arange(int(counts.sum())) + np.repeat(first[packet] - (np.cumsum(counts) - counts), counts)
    stream, offset, length = (
        np.asarray(c, dtype=np.int64)[at] for c in (all_frames.stream, all_frames.offset, all_frames.length)
    )
    event, packet = np.repeat(event, counts), np.repeat(packet, counts)
    some = (length > 0) & (event < _abandoned_at(events, stream))
    return Frames(event[some], packet[some], stream[some], offset[some], (offset + length)[some])


def _abandoned_at(events: Events, stream: Ints) -> Ints:
    """The event with which each of these streams was abandoned; after all others if it was not."""
    event, gone = events.of(Kind.ABANDONED)
    if not len(gone):
        return np.full(len(stream), len(events))
    order = np.argsort(gone)
    at = np.minimum(np.searchsorted(gone[order], stream), len(gone) - 1)
    return np.where(gone[order][at] == stream, event[order][at], len(events))
