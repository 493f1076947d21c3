"""Feedback events: ACKs that newly acknowledged something, and losses; as columns, because a trace has many."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple, overload

from .packed import Column, floats, ints

NEVER = 1 << 62
"""A record number after every other."""
TOGETHER = 4096
"""Made at once by an iteration."""


class Space(IntEnum):
    """Packet number spaces (RFC 9000 section 12.3)."""

    INITIAL = 0
    HANDSHAKE = 1
    APPLICATION = 2


_SPACES = tuple(Space)


@dataclass(slots=True)
class Feedback:
    """A feedback event: an ACK frame that newly acknowledged something, or a loss detection."""

    record: int
    time: float
    space: Space
    acked: range
    """Positions in `Trace.acked`."""
    sample: int
    """The packet whose round trip the ACK measures (RFC 9002 section 5.1), or -1."""
    ack_delay: float
    """As reported, in s, after the peer's exponent has been applied."""
    lost: list[int] = field(default_factory=list)
    received: list[tuple[int, float]] = field(default_factory=list)
    """Newly acknowledged packets whose receive timestamps came with the ACK, and these, in s on the peer's clock."""
    ecn: tuple[int, int] | None = None
    """ECT (0 and 1) and CE counts of the ACK frame, if it has them."""
    group_end: int = NEVER
    """Record number of the next packet event: what the controller wrote before it, it wrote at this feedback."""


class Newest(NamedTuple):
    """What is asked of the last feedback while a trace is built."""

    time: float
    space: Space
    lost: int
    """How many packets."""
    group_end: int


@dataclass(slots=True)
class Feedbacks(Sequence[Feedback]):
    """Feedback events in the order of the trace. One is made when it is asked for: changes of it change nothing here.
    Each acknowledges what stands in `Trace.acked` after what the one before it does."""

    record: Column[int] = field(default_factory=ints)
    time: Column[float] = field(default_factory=floats)
    space: bytearray = field(default_factory=bytearray)
    acked_end: Column[int] = field(default_factory=ints)
    sample: Column[int] = field(default_factory=ints)
    ack_delay: Column[float] = field(default_factory=floats)
    ect: Column[int] = field(default_factory=ints)
    ce: Column[int] = field(default_factory=ints)
    """-1 without counts."""
    group_end: Column[int] = field(default_factory=ints)
    lost: dict[int, list[int]] = field(default_factory=dict)
    """By place, in order."""
    received_end: Column[int] = field(default_factory=ints)
    """Where its receive timestamps end in these."""
    received_packet: Column[int] = field(default_factory=ints)
    received_time: Column[float] = field(default_factory=floats)

    def __len__(self) -> int:
        return len(self.record)

    def __iter__(self) -> Iterator[Feedback]:
        for first in range(0, len(self), TOGETHER):
            yield from self._made(first, min(first + TOGETHER, len(self)))

    @overload
    def __getitem__(self, at: int) -> Feedback: ...
    @overload
    def __getitem__(self, at: slice) -> list[Feedback]: ...
    def __getitem__(self, at: int | slice) -> Feedback | list[Feedback]:
        if isinstance(at, slice):
            return list(self._made(*at.indices(len(self))[:2]))
        return self._one(range(len(self))[at])

    def _one(self, at: int) -> Feedback:
        acked, received = self._begins(at)
        row = [column[at] for column in self._rows()]
        came = received, self.received_end[at]
        return self._of(
            at, acked, row, zip(self.received_packet.some(*came), self.received_time.some(*came), strict=True)
        )

    def _made(self, first: int, end: int) -> Iterator[Feedback]:
        acked, received = self._begins(first)
        came = received, self.received_end[end - 1] if end > first else received
        times = self._received(*came)
        for i, row in enumerate(zip(*(column[first:end] for column in self._rows()), strict=True), first):
            acked_end, received_end = row[3], row[8]
            yield self._of(i, acked, row, itertools.islice(times, received_end - received))
            acked, received = acked_end, received_end

    def _begins(self, at: int) -> tuple[int, int]:
        """Where acknowledged packets and receive timestamps of one begin."""
        return (self.acked_end[at - 1], self.received_end[at - 1]) if at else (0, 0)

    def _received(self, begin: int, end: int) -> Iterator[tuple[int, float]]:
        return zip(self.received_packet.some(begin, end), self.received_time.some(begin, end), strict=True)

    def _rows(self) -> tuple[Sequence[Any], ...]:
        columns = (self.record, self.time, self.space, self.acked_end, self.sample, self.ack_delay, self.ect, self.ce)
        return (*columns, self.received_end, self.group_end)

    def _of(self, at: int, acked: int, row: Sequence[Any], received: Iterable[tuple[int, float]]) -> Feedback:
        record, time, space, acked_end, sample, delay, ect, ce, _, group_end = row
        return Feedback(
            record=record,
            time=time,
            space=_SPACES[space],
            acked=range(acked, acked_end),
            sample=sample,
            ack_delay=delay,
            lost=self.lost.get(at, []),
            received=list(received),
            ecn=None if ce < 0 else (ect, ce),
            group_end=group_end,
        )

    def append(self, f: Feedback) -> None:
        self.record.append(f.record)
        self.time.append(f.time)
        self.space.append(f.space)
        self.acked_end.append((self.acked_end[-1] if self.acked_end else 0) + len(f.acked))
        self.sample.append(f.sample)
        self.ack_delay.append(f.ack_delay)
        self.ect.append(f.ecn[0] if f.ecn is not None else 0)
        self.ce.append(f.ecn[1] if f.ecn is not None else -1)
        self.group_end.append(f.group_end)
        for packet, time in f.received:
            self.received_packet.append(packet)
            self.received_time.append(time)
        self.received_end.append(len(self.received_packet))
        if f.lost:
            self.lost[len(self) - 1] = list(f.lost)

    @property
    def newest(self) -> Newest | None:
        if not self.time.open:
            return None
        lost = self.lost.get(len(self) - 1, ())
        return Newest(self.time.open[-1], _SPACES[self.space[-1]], len(lost), self.group_end.open[-1])

    def close(self, record: int) -> None:
        """What comes from this record on does not belong to the last one."""
        last = self.group_end.open
        if last and last[-1] > record:
            last[-1] = record

    def lose(self, packets: list[int]) -> None:
        """With the last one these are declared lost as well."""
        if packets:
            self.lost.setdefault(len(self) - 1, []).extend(packets)
