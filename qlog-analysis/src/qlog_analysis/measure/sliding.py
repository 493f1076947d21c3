"""The sliding minima of docs/papers/hybrid.md: ten sub-windows, size classes, and L."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from enum import Enum

PARTS = 10
CLASSES = 4


def size_class(size: int, max_datagram_size: int) -> int:
    """`ceil(4 * size / max_datagram_size)`, clamped to 1..4."""
    return min(max(-(-CLASSES * size // max_datagram_size), 1), CLASSES)


@dataclass(slots=True)
class SlidingMinimum:
    """The minimum over `window` s in ten sub-windows, counted from `origin`: a value is forgotten between 0.9 and 1
    times the window after it was seen."""

    window: float
    origin: float
    _parts: deque[tuple[int, float]] = field(default_factory=deque)
    _latest: int = 0

    def advance(self, now: float) -> None:
        self._latest = max(self._latest, math.floor((now - self.origin) / (self.window / PARTS)))
        while self._parts and self._parts[0][0] + PARTS <= self._latest:
            self._parts.popleft()

    def insert(self, now: float, value: float) -> None:
        self.advance(now)
        if self._parts and self._parts[-1][0] == self._latest:
            value = min(value, self._parts.pop()[1])
        self._parts.append((self._latest, value))

    def get(self) -> float | None:
        return min((v for _, v in self._parts), default=None)

    def clear(self) -> None:
        self._parts.clear()

    def raise_by(self, by: float | None) -> None:
        """As if nothing had been seen but the minimum, now and larger by so much; nothing at all where that is not
        known."""
        least = self.get()
        self._parts.clear()
        if least is not None and by is not None:
            self._parts.append((self._latest, least + by))


class Source(str, Enum):
    """Where one-way delays come from; the values are those of `source` in traces."""

    ACK = "ack"
    TIMESTAMPS = "receive_timestamps"


class PathMinima:
    """OWD_min of every source and size class, and L."""

    def __init__(self, window: float, origin: float) -> None:
        self._owd = {source: [SlidingMinimum(window, origin) for _ in range(CLASSES)] for source in Source}
        self._rtt_full = SlidingMinimum(window, origin)
        self._rtt_any = SlidingMinimum(window, origin)

    def advance(self, now: float) -> None:
        for m in (*self._owd[Source.ACK], *self._owd[Source.TIMESTAMPS], self._rtt_full, self._rtt_any):
            m.advance(now)

    def insert_owd(self, now: float, source: Source, in_class: int, owd: float) -> None:
        self._owd[source][in_class - 1].insert(now, owd)

    def insert_rtt(self, now: float, in_class: int, rtt: float) -> None:
        self._rtt_any.insert(now, rtt)
        if in_class == CLASSES:
            self._rtt_full.insert(now, rtt)

    def clear_owd(self, *sources: Source) -> None:
        for source in sources:
            for m in self._owd[source]:
                m.clear()

    def raise_by(self, by: dict[Source, float | None]) -> None:
        """What was a queue is none, by each source. Without ACK arrivals nothing is known of the RTT, which stays."""
        for source, minima in self._owd.items():
            for m in minima:
                m.raise_by(by[source])
        if by[Source.ACK] is not None:
            self._rtt_full.raise_by(by[Source.ACK])
            self._rtt_any.raise_by(by[Source.ACK])

    def length(self) -> float | None:
        """L: the smallest round-trip time of full-sized packets, while there is none that of all."""
        full = self._rtt_full.get()
        return self._rtt_any.get() if full is None else full

    def owd_minima(self, source: Source) -> tuple[float, ...]:
        """OWD_min of classes 1 to 4, each with what the larger classes say; infinite where nothing was seen."""
        out = [math.inf] * CLASSES
        larger = math.inf
        for c in reversed(range(CLASSES)):
            own = self._owd[source][c].get()
            larger = larger if own is None else min(own, larger)
            out[c] = larger
        return tuple(out)
