"""Replays ACKs on sent packets: what was newly acknowledged, what was measured, what was lost.

quiche writes no loss events, but a counter of lost packets (`cf_lost_packets`). Both of RFC 9002's thresholds
(section 6.1) are monotone in send order, so the packets that a detection declares lost are always the oldest
outstanding ones: the counter says how many, their order says which. A trace without the counter is replayed with
the packet threshold alone.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from . import wire
from .arrays import Ints
from .model import SentPackets

PACKET_THRESHOLD = 3
"""RFC 9002 section 6.1.1."""


class LossCounters:
    """quiche's counters of lost packets: every path of a connection has one, which starts at 0, and the trace does not
    say which is which."""

    def __init__(self) -> None:
        self._totals = [0]

    def advance(self, counter: wire.Counter) -> int:
        """How many packets were lost since the path's last event; negative if no path can have counted so."""
        total = counter.total or 0
        before = self._totals[-1] if counter.delta is None else total - counter.delta
        if before not in self._totals and before != 0:
            before = self._totals[-1]
        if before in self._totals:
            self._totals.remove(before)
        self._totals.append(total)
        return total - before


@dataclass(slots=True)
class NewlyAcked:
    packets: list[int]
    """Positions of the packets, in ascending packet number."""
    sample: int
    """Position of the largest, if it is the largest so far and something ack-eliciting was acknowledged; else -1."""
    spurious: list[int]
    """Positions of packets that had been declared lost."""


@dataclass(frozen=True, slots=True)
class AckRanges:
    """Of ACK frames one after the other."""

    ack: Ints
    """Which ACK a range belongs to, in order."""
    low: Ints
    high: Ints

    def first_for(self, numbers: Ints) -> Ints:
        """For each of these packet numbers, which increase, the first ACK that has it; -1 if none has."""
        never = np.iinfo(np.int64).max
        first = np.full(len(numbers), never)
        begin, end = np.searchsorted(numbers, self.low), np.searchsorted(numbers, self.high, side="right")
        some = begin < end
        begin, end, ack = begin[some], end[some], self.ack[some]
        if not len(ack):
            return np.full(len(numbers), -1, dtype=np.int64)
        # A range is two pieces of 2^k numbers, which may overlap; each level's pieces are handed on in halves to the
        # next. So a block costs little, whatever its ranges are.
        level = np.frexp(end - begin)[1] - 1
        for k in range(int(level.max()), -1, -1):
            own = level == k
            np.minimum.at(first, begin[own], ack[own])
            np.minimum.at(first, end[own] - (1 << k), ack[own])
            if k:
                half = 1 << (k - 1)
                first[half:] = np.minimum(first[half:], first[:-half])
        return np.where(first == never, -1, first)


@dataclass(frozen=True, slots=True)
class AckedTogether:
    """What each ACK newly acknowledged, of ACKs that acknowledged anything."""

    ack: Ints
    """Which ACK."""
    begin: Ints
    """Where its packets begin in `packets`."""
    packets: Ints
    """Positions, by ACK and packet number."""
    sample: Ints
    """As in `NewlyAcked`."""
    spurious: list[int]
    spurious_ack: list[int]
    """Which ACK each of these came with."""


@dataclass(slots=True)
class SpaceReplay:
    """One packet number space. `_next` is a union-find over send order that skips what is no longer outstanding, so
    that a hostile ACK range costs nothing beyond the packets that it newly acknowledges."""

    packets: SentPackets
    largest_acked: int = -1
    _numbers: array[int] = field(default_factory=lambda: array("q"))
    _position: array[int] = field(default_factory=lambda: array("q"))
    _next: array[int] = field(default_factory=lambda: array("q"))
    _lost_numbers: list[int] = field(default_factory=list)
    _open: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Of the first `_looked_at` packets those that were outstanding when ACKs were last replayed together."""
    _looked_at: int = 0
    _told: set[tuple[int, int]] = field(default_factory=set)
    """Ranges of the ACK before."""

    @property
    def last_number(self) -> int:
        return self._numbers[-1] if self._numbers else -1

    def sent(self, number: int, position: int) -> None:
        """`number` must be larger than every earlier one."""
        self._numbers.append(number)
        self._position.append(position)
        self._next.append(len(self._next))

    def acked(self, ranges: list[tuple[int, int]]) -> NewlyAcked:
        newly: list[int] = []
        spurious: list[int] = []
        told = set(ranges)
        fresh = [r for r in ranges if r not in self._told]
        # Nothing is left of the others, unless packets are sent afterwards that they were for.
        self._told = told if all(high <= self.last_number for _, high in told) else set()
        for low, high in fresh:
            spurious += self._forget_lost(low, high)
            start = bisect_left(self._numbers, low)
            for i in self._outstanding(start, high):
                newly.append(i)
                self._next[i] = i + 1
        if not newly:
            return NewlyAcked([], -1, spurious)
        newly.sort()
        largest = self._numbers[newly[-1]]
        self.largest_acked = max(self.largest_acked, largest)
        positions = [self._position[i] for i in newly]
        measures = largest == self.largest_acked and any(self.packets.ack_eliciting[p] for p in positions)
        return NewlyAcked(positions, positions[-1] if measures else -1, spurious)

    def sent_together(self, numbers: Ints, positions: Ints) -> None:
        """The same as `sent` for one after the other."""
        known = len(self._next)
        self._numbers.frombytes(numbers.tobytes())
        self._position.frombytes(positions.tobytes())
        self._next.frombytes(np.arange(known, known + len(numbers), dtype=np.int64).tobytes())

    def acked_together(self, acks: AckRanges) -> AckedTogether:
        """The same as `acked` for one after the other. Each must be for packets that were sent before it."""
        numbers = np.frombuffer(self._numbers, dtype=np.int64)
        following = np.frombuffer(self._next, dtype=np.int64)
        outstanding = self._outstanding_now(following)
        first = acks.first_for(numbers[outstanding])
        newly = np.flatnonzero(first >= 0)
        newly = newly[np.argsort(first[newly], kind="stable")]
        place, ack = outstanding[newly], first[newly]
        following[place] = place + 1
        del following  # the array cannot grow while it is looked at
        self._open, self._looked_at = outstanding[first < 0], len(numbers)
        return self._together(numbers, place, ack, *self._spurious(acks))

    def _outstanding_now(self, following: Ints) -> Ints:
        some: Ints = np.concatenate((self._open, np.arange(self._looked_at, len(following), dtype=np.int64)))
        outstanding: Ints = some[following[some] == some]
        return outstanding

    def _spurious(self, acks: AckRanges) -> tuple[list[int], list[int]]:
        """Packets that had been declared lost, in the order of the ACKs, and these."""
        if not self._lost_numbers:
            return [], []
        lost = np.array(self._lost_numbers, dtype=np.int64)
        some = np.searchsorted(lost, acks.low) < np.searchsorted(lost, acks.high, side="right")
        ranges = zip(acks.ack[some].tolist(), acks.low[some].tolist(), acks.high[some].tolist(), strict=True)
        found = [(p, ack) for ack, low, high in ranges for p in self._forget_lost(low, high)]
        return [p for p, _ in found], [ack for _, ack in found]

    def _together(self, numbers: Ints, place: Ints, ack: Ints, spurious: list[int], late: list[int]) -> AckedTogether:
        position = np.frombuffer(self._position, dtype=np.int64)[place]
        if not len(ack):
            return AckedTogether(ack, ack, position, position, spurious, late)
        begin = np.flatnonzero(np.diff(ack, prepend=-1))
        last = np.append(begin[1:], len(ack)) - 1
        largest = numbers[place[last]]
        so_far = np.maximum(np.maximum.accumulate(largest), self.largest_acked)
        eliciting = np.frombuffer(self.packets.ack_eliciting, dtype=np.uint8)[position]
        measures = (largest == so_far) & (np.maximum.reduceat(eliciting, begin) > 0)
        self.largest_acked = int(so_far[-1])
        return AckedTogether(ack[begin], begin, position, np.where(measures, position[last], -1), spurious, late)

    def lose_oldest(self, count: int) -> list[int]:
        """Declares the `count` oldest outstanding packets below the largest acknowledged lost; fewer if there are no
        more. Path MTU probes are lost silently."""
        lost: list[int] = []
        for i in self._outstanding(0, self.largest_acked):
            if len(lost) >= count:
                break
            if not self._lose(i):
                lost.append(self._position[i])
        return lost

    def lose_by_packet_threshold(self) -> list[int]:
        threshold = self.largest_acked - PACKET_THRESHOLD
        return [self._position[i] for i in self._outstanding(0, threshold) if not self._lose(i)]

    def lose(self, number: int) -> int | None:
        """Declares one packet lost; its position, or None if it is not outstanding."""
        i = bisect_left(self._numbers, number)
        if i >= len(self._numbers) or self._numbers[i] != number or self._next[i] != i:
            return None
        self._lose(i)
        return self._position[i]

    def _lose(self, i: int) -> bool:
        """Returns whether the packet is a path MTU probe."""
        self._next[i] = i + 1
        insort(self._lost_numbers, self._numbers[i])
        return bool(self.packets.probe[self._position[i]])

    def _outstanding(self, start: int, highest: int) -> Iterator[int]:
        i = self._find(start)
        while i < len(self._numbers) and self._numbers[i] <= highest:
            yield i
            i = self._find(i + 1)

    def _find(self, i: int) -> int:
        root = i
        end = len(self._next)
        while root < end and self._next[root] != root:
            root = self._next[root]
        while i < end and self._next[i] != i:
            self._next[i], i = root, self._next[i]
        return root

    def _forget_lost(self, low: int, high: int) -> list[int]:
        """The positions of packets that were declared lost and now are not."""
        a, b = bisect_left(self._lost_numbers, low), bisect_right(self._lost_numbers, high)
        found = [self._position[bisect_left(self._numbers, n)] for n in self._lost_numbers[a:b]]
        del self._lost_numbers[a:b]
        return found
