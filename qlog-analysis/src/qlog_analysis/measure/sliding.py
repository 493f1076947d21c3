"""The sliding minima of docs/papers/hybrid-measuring.md, by source and size class, and L."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from functools import cache

from .skew import TICKS, Skew
from .window_min import PARTS, SlidingMinimum

CLASSES = 4
SMALLEST = 1
"""The class whose minimum is that of all."""


@cache
def size_class(size: int, max_datagram_size: int) -> int:
    """`ceil(4 * size / max_datagram_size)`, clamped to 1..4."""
    return min(max(-(-CLASSES * size // max_datagram_size), 1), CLASSES)


class Source(str, Enum):
    """Where one-way delays come from; the values are those of `source` in traces."""

    ACK = "ack"
    TIMESTAMPS = "receive_timestamps"


class PathMinima:
    """OWD_min of every source and size class, and L. What is inserted belongs to the time of the latest `advance`."""

    def __init__(self, window: float, origin: float, *, skew: bool = False) -> None:
        self._owd = {source: [SlidingMinimum(window, origin) for _ in range(CLASSES)] for source in Source}
        self._rtt_full = SlidingMinimum(window, origin)
        self._rtt_any = SlidingMinimum(window, origin)
        self._skew = Skew(window / PARTS, origin) if skew else None
        self._paused: float | None = None
        self._missed = 0.0

    def pause(self, now: float, *, paused: bool) -> None:
        """The windows pause from now on, or go on as if no time had passed. The peer's clock goes on meanwhile."""
        if self._paused is not None and not paused:
            self._missed += now - self._paused
            self._paused = None
            self._restart_skew()
        elif self._paused is None and paused:
            self._paused = now

    def _at(self, now: float) -> float:
        """The time of the windows."""
        return (now if self._paused is None else min(now, self._paused)) - self._missed

    def advance(self, now: float) -> None:
        real, now = now, self._at(now)
        before = self._rtt_full.latest
        if self._rtt_full.part_at(now) <= before:  # all have the same parts
            self._follow_skew(real)
            return
        seen = self._seen()
        self._follow_skew(real)
        for m in (*self._owd[Source.ACK], *self._owd[Source.TIMESTAMPS], self._rtt_full, self._rtt_any):
            m.advance(now)
        if self._rtt_full.latest > before:
            self._update_skew(before, seen)

    @property
    def skew(self) -> float | None:
        """By how much the peer's clock is taken to be fast, in ppm, if the minima follow it."""
        return None if self._skew is None else self._skew.gain * TICKS / self._skew.part * 1e6

    def tell_skew(self, ppm: float | None) -> None:
        """The same by the report of the epoch under way."""
        if self._skew is not None:
            self._skew.told = None if ppm is None else ppm * 1e-6 * self._skew.part / TICKS

    def _seen(self) -> tuple[float | None, float | None]:
        """The least one-way delays of full packets in the part under way, by receive timestamps and by ACK arrivals."""
        return self._owd[Source.TIMESTAMPS][-1].of_part(), self._owd[Source.ACK][-1].of_part()

    def _follow_skew(self, now: float) -> None:
        gained = 0.0 if self._skew is None else self._skew.gained(now)
        if gained:
            self._age(lambda _: gained)

    def _update_skew(self, number: int, seen: tuple[float | None, float | None]) -> None:
        more = None if self._skew is None else self._skew.part_over(number, *seen)
        if more is not None:
            self._age(more.since)

    def _age(self, by: Callable[[int], float]) -> None:
        for m in self._owd[Source.TIMESTAMPS]:
            m.change(by)

    def insert_owd(self, source: Source, in_class: int, owd: float) -> float:
        """Returns it less the minimum of its class."""
        self._owd[source][in_class - 1].insert_now(owd)
        return owd - self.owd_minimum(source, in_class)

    def insert_rtt(self, in_class: int, rtt: float) -> None:
        self._rtt_any.insert_now(rtt)
        if in_class == CLASSES:
            self._rtt_full.insert_now(rtt)

    def clear_owd(self, *sources: Source) -> None:
        for source in sources:
            for m in self._owd[source]:
                m.clear()
        self._restart_skew()

    def _restart_skew(self) -> None:
        if self._skew is not None:
            self._skew.restart()

    def raise_by(self, by: dict[Source, float | None]) -> None:
        """What was a queue is none, by each source. Without ACK arrivals nothing is known of the RTT, which stays."""
        for source, minima in self._owd.items():
            for m in minima:
                m.raise_by(by[source])
        if by[Source.ACK] is not None:
            self._rtt_full.raise_by(by[Source.ACK])
            self._rtt_any.raise_by(by[Source.ACK])
        self._restart_skew()

    def length(self) -> float | None:
        """L: the smallest round-trip time of full-sized packets, while there is none that of all."""
        full = self._rtt_full.get()
        return self._rtt_any.get() if full is None else full

    def without_ack_delay(self, rtt: float, ack_delay: float) -> float:
        """The ACK delay takes no round trip below the smallest (RFC 9002, section 5.3)."""
        smallest = self.length()
        return max(rtt - ack_delay, rtt if smallest is None else min(smallest, rtt))

    def owd_minimum(self, source: Source, in_class: int) -> float:
        """OWD_min of one class, as in `owd_minima`."""
        least = math.inf
        for m in self._owd[source][in_class - 1 :]:
            own = m.get()
            if own is not None and own < least:
                least = own
        return least

    def owd_minima(self, source: Source) -> tuple[float, ...]:
        """OWD_min of classes 1 to 4, each with what the larger classes say; infinite where nothing was seen."""
        out = [math.inf] * CLASSES
        larger = math.inf
        for c in reversed(range(CLASSES)):
            own = self._owd[source][c].get()
            larger = larger if own is None else min(own, larger)
            out[c] = larger
        return tuple(out)
