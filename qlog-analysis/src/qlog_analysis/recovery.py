"""Replays ACKs on sent packets: what was newly acknowledged, what was measured, what was lost.

quiche writes no loss events, but a counter of lost packets (`cf_lost_packets`). Both of RFC 9002's thresholds
(section 6.1) are monotone in send order, so the packets that a detection declares lost are always the oldest
outstanding ones: the counter says how many, their order says which. A trace without the counter is replayed with
the packet threshold alone.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from . import wire
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

    @property
    def last_number(self) -> int:
        return self._numbers[-1] if self._numbers else -1

    def sent(self, number: int, position: int) -> None:
        """`number` must be larger than every earlier one."""
        self._numbers.append(number)
        self._position.append(position)
        self._next.append(len(self._next))

    def acked(self, ranges: Iterable[tuple[int, int]]) -> NewlyAcked:
        newly: list[int] = []
        spurious: list[int] = []
        for low, high in ranges:
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
