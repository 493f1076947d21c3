"""Which events of a trace an export has where qvis would be too slow for all of them. A packet that is kept is shown
with its true times: the ACK that acknowledged it first, or its loss, is kept with it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Ints
from ..errors import AnalysisError, UnsuitableTraceError
from ..model import Space, Trace
from .convert import Json

METRICS_SHARE = 0.2
"""Of the events, which metrics get in any case: without them there are no lines of window and round trips."""
HALVINGS = 30


class Kind(str, Enum):
    """The values stand in the description of an export."""

    SENT = "packets sent"
    ACK = "ACKs received"
    RECEIVED = "other packets received"
    METRICS = "reports of metrics"
    MOVED = "movements of stream data"
    """No view draws them but that of the sequence."""
    OTHER = "others"
    """Losses, states, parameters, what our controllers tell."""


class Tagged(NamedTuple):
    event: Json
    kind: Kind
    place: int = -1
    """Of a packet sent in `Trace.sent`, of an ACK in `Trace.feedback`."""


@dataclass(frozen=True, slots=True)
class Part:
    """What of a trace is wanted: so many events at most, between two times in s since it began."""

    events: int | None = None
    begin: float = -math.inf
    end: float = math.inf

    def __post_init__(self) -> None:
        if self.begin >= self.end:
            raise AnalysisError(f"--from {self.begin:g} is not before --to {self.end:g}")
        if self.events is not None and self.events < 1:
            raise AnalysisError(f"--events {self.events}: at least one")

    @property
    def whole(self) -> bool:
        return self == WHOLE

    def has(self, event: Json) -> bool:
        return self.begin * 1e3 <= float(event["time"]) <= self.end * 1e3


WHOLE = Part()


class Thinner:
    """Goes through the tagged events twice: to count them (`__init__`), and to choose among them (`chosen`)."""

    def __init__(self, trace: Trace, part: Part, tagged: Iterable[Tagged]) -> None:
        self._part = part
        self._acks = _Acks(trace)
        self._sent, self._ack = _none(len(trace.sent)), _none(len(trace.feedback))
        """Which of them are within the part."""
        self._of: Counter[Kind] = Counter()
        self.all_events = 0
        for one in tagged:
            self.all_events += 1
            if part.has(one.event):
                self._count(one)
        self._kept = self._of.copy()
        most = part.events
        if most is not None and most < self._of.total():
            self._choose(trace, most)

    def _count(self, one: Tagged) -> None:
        self._of[one.kind] += 1
        if one.kind is Kind.SENT:
            self._sent[one.place] = True
        elif one.kind is Kind.ACK:
            self._ack[one.place] = True

    def _choose(self, trace: Trace, most: int) -> None:
        must = self._sent & _must(trace)
        metrics = min(self._of[Kind.METRICS], int(METRICS_SHARE * most))
        room = most - self._of[Kind.OTHER] - metrics
        others = np.flatnonzero(self._sent & ~must)

        def packets(share: float) -> tuple[Bools, Bools, int]:
            sent = must.copy()
            sent[others[_evenly(len(others), int(share * len(others)))]] = True
            return sent, self._ack & self._acks.of(sent), int(share * self._of[Kind.RECEIVED])

        def size(share: float) -> int:
            sent, ack, received = packets(share)
            return int(sent.sum()) + int(ack.sum()) + received

        least = size(0.0)
        if least > room:
            raise UnsuitableTraceError(
                f"{most} events are too few: losses, lost packets, states and what the controller tells are "
                f"{least + most - room} events with the least of metrics. Give a larger --events, or a shorter time by "
                "--from and --to"
            )
        share = _largest(size, room)
        self._sent, self._ack, received = packets(share)
        room -= size(share)
        more = min(self._of[Kind.METRICS] - metrics, room)
        for kind, kept in (
            (Kind.SENT, int(self._sent.sum())),
            (Kind.ACK, int(self._ack.sum())),
            (Kind.RECEIVED, received),
            (Kind.METRICS, metrics + more),
            (Kind.MOVED, min(self._of[Kind.MOVED], room - more)),
        ):
            self._kept[kind] = kept

    @property
    def events(self) -> int:
        return self._kept.total()

    def chosen(self, tagged: Iterable[Tagged]) -> Iterator[Json]:
        at: Counter[Kind] = Counter()
        skipped: Json = {}
        """Metrics that were not kept: an event has only those that changed, so that the next one must tell of them."""
        for one in tagged:
            event, kind, within = one.event, one.kind, self._part.has(one.event)
            kept = within and self._keeps(one, at[kind])
            at[kind] += within
            if kind is Kind.METRICS:
                skipped |= event["data"]
                event = {**event, "data": skipped}
                if kept:
                    skipped = {}
            if kept:
                yield event

    def _keeps(self, one: Tagged, at: int) -> bool:
        """`at`: how many of its kind came before."""
        if one.kind is Kind.SENT:
            return bool(self._sent[one.place])
        if one.kind is Kind.ACK:
            return bool(self._ack[one.place])
        of, kept = self._of[one.kind], self._kept[one.kind]
        return (at + 1) * kept // of > at * kept // of

    def told(self) -> str | None:
        """What is left out, for who looks at the export; None if nothing is."""
        if self.events == self.all_events:
            return None
        out = f"{self.events:,} of {self.all_events:,} events"
        if not math.isinf(self._part.begin) or not math.isinf(self._part.end):
            begin, end = max(self._part.begin, 0.0), self._part.end
            out += f", of {begin:g} s " + ("on" if math.isinf(end) else f"to {end:g} s")
        less = [f"{self._kept[k]:,} of {self._of[k]:,} {k.value}" for k in Kind if self._kept[k] < self._of[k]]
        out += f"; thinned: {', '.join(less)}" if less else ""
        if self._kept[Kind.SENT] < self._of[Kind.SENT]:
            out += "; all lost packets are there, and sums of bytes are those of the packets that are there"
        return out


class _Acks:
    """Which ACKs acknowledged a packet first."""

    def __init__(self, trace: Trace) -> None:
        self._packet = np.asarray(trace.acked)
        self._count = len(trace.feedback)
        self._by = np.repeat(np.arange(len(trace.feedback)), np.diff(np.asarray(trace.feedback.acked_end), prepend=0))

    def of(self, sent: Bools) -> Bools:
        out = _none(self._count)
        out[self._by[sent[self._packet]]] = True
        return out


def ack_places(trace: Trace) -> dict[int, int]:
    """By the record of an ACK that acknowledged something first, its place in `Trace.feedback`."""
    ends = np.asarray(trace.feedback.acked_end)
    some = np.flatnonzero(np.diff(ends, prepend=0) > 0)
    return dict(zip(np.asarray(trace.feedback.record)[some].tolist(), some.tolist(), strict=True))


def _must(trace: Trace) -> Bools:
    """Packets of the handshake, and those that were lost."""
    out: Bools = np.frombuffer(bytes(trace.sent.space), dtype=np.uint8) != Space.APPLICATION
    lost = [packet for some in trace.feedback.lost.values() for packet in some]
    out[lost] = True
    return out


def _none(count: int) -> Bools:
    return np.zeros(count, dtype=np.bool_)


def _evenly(count: int, kept: int) -> Ints:
    """Places of so many among others."""
    return np.arange(kept, dtype=np.int64) * count // max(kept, 1)


def _largest(size: Callable[[float], int], room: int) -> float:
    """The largest share with which it is no more than `room`."""
    if size(1.0) <= room:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if size(middle) <= room else (low, middle)
    return low
