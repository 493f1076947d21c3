"""The sliding minima of docs/papers/hybrid-measuring.md, by source and size class, and L."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from functools import cache, partial

from .skew import TICKS, Skew
from .window_min import PARTS, SlidingMinimum

CLASSES = 4


@cache
def size_class(size: int, max_datagram_size: int) -> int:
    """`ceil(4 * size / max_datagram_size)`, clamped to 1..4."""
    return min(max(-(-CLASSES * size // max_datagram_size), 1), CLASSES)


class Source(str, Enum):
    """Where one-way delays come from; the values are those of `source` in traces."""

    ACK = "ack"
    TIMESTAMPS = "receive_timestamps"


class DelayMinima:
    """OWD_min of every size class, by one source."""

    def __init__(self, window: float, origin: float) -> None:
        self._windows = [SlidingMinimum(window, origin) for _ in range(CLASSES)]
        self.least = (math.inf,) * CLASSES
        """Of classes 1 to 4, each with what the larger classes say, so that the first is that of all; infinite where
        nothing was seen."""

    def insert(self, in_class: int, owd: float) -> None:
        self._windows[in_class - 1].insert_now(owd)
        if owd < self.least[in_class - 1]:
            self._find_least()

    def of_part(self) -> float | None:
        """The minimum of full packets in the part under way."""
        return self._windows[-1].of_part()

    def each(self, change: Callable[[SlidingMinimum], None]) -> None:
        """Changes the window of each class."""
        for window in self._windows:
            change(window)
        self._find_least()

    def _find_least(self) -> None:
        out, larger = [], math.inf
        for window in reversed(self._windows):
            own = window.get()
            larger = larger if own is None else min(own, larger)
            out.append(larger)
        self.least = tuple(reversed(out))


class PathMinima:
    """OWD_min of every source and size class, and L. What is inserted belongs to the time of the latest `advance`."""

    def __init__(self, window: float, origin: float, *, skew: bool = False) -> None:
        self._owd = {source: DelayMinima(window, origin) for source in Source}
        self._rtt_full = SlidingMinimum(window, origin)
        self._rtt_any = SlidingMinimum(window, origin)
        self._length: float | None = None
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
        for minima in self._owd.values():
            minima.each(lambda m: m.advance(now))
        for m in (self._rtt_full, self._rtt_any):
            m.advance(now)
        self._find_length()
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
        return self._owd[Source.TIMESTAMPS].of_part(), self._owd[Source.ACK].of_part()

    def _follow_skew(self, now: float) -> None:
        gained = 0.0 if self._skew is None else self._skew.gained(now)
        if gained:
            self._age(lambda _: gained)

    def _update_skew(self, number: int, seen: tuple[float | None, float | None]) -> None:
        more = None if self._skew is None else self._skew.part_over(number, *seen)
        if more is not None:
            self._age(more.since)

    def _age(self, by: Callable[[int], float]) -> None:
        self._owd[Source.TIMESTAMPS].each(lambda m: m.change(by))

    def insert_owd(self, source: Source, in_class: int, owd: float) -> float:
        """Returns it less the minimum of its class."""
        minima = self._owd[source]
        minima.insert(in_class, owd)
        return owd - minima.least[in_class - 1]

    def insert_rtt(self, in_class: int, rtt: float) -> None:
        self._rtt_any.insert_now(rtt)
        if in_class == CLASSES:
            self._rtt_full.insert_now(rtt)
        self._find_length()

    def clock_was_set(self) -> None:
        """Earlier receive timestamps mean nothing."""
        self._owd[Source.TIMESTAMPS].each(SlidingMinimum.clear)
        self._restart_skew()

    def _restart_skew(self) -> None:
        if self._skew is not None:
            self._skew.restart()

    def raise_by(self, by: dict[Source, float | None]) -> None:
        """What was a queue is none, by each source. Without ACK arrivals nothing is known of the RTT, which stays."""
        for source, minima in self._owd.items():
            minima.each(partial(SlidingMinimum.raise_by, by=by[source]))
        if by[Source.ACK] is not None:
            self._rtt_full.raise_by(by[Source.ACK])
            self._rtt_any.raise_by(by[Source.ACK])
            self._find_length()
        self._restart_skew()

    def length(self) -> float | None:
        """L: the smallest round-trip time of full-sized packets, while there is none that of all."""
        return self._length

    def _find_length(self) -> None:
        full = self._rtt_full.get()
        self._length = self._rtt_any.get() if full is None else full

    def without_ack_delay(self, rtt: float, ack_delay: float) -> float:
        """The ACK delay takes no round trip below the smallest (RFC 9002, section 5.3)."""
        smallest = self.length()
        return max(rtt - ack_delay, rtt if smallest is None else min(smallest, rtt))

    def owd_minimum(self, source: Source, in_class: int) -> float:
        """OWD_min of one class, as in `owd_minima`."""
        return self._owd[source].least[in_class - 1]

    def owd_minima(self, source: Source) -> tuple[float, ...]:
        """OWD_min of classes 1 to 4, as in `DelayMinima.least`."""
        return self._owd[source].least
