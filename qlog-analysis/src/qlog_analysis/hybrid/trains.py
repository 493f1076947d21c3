"""The rate of packet trains: "Packet trains" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from ..check.numbers import RELATIVE, TIME_TOLERANCE
from ..zones.rate import MAX_RATE

SHOWS, TRIES = 4, 10
"""Packets of a train that shows a rate, and of one that tries R."""
SLOWER = 2.0
"""Packets that leave at less than R over this begin another train."""
CLOCK = 1e-3
"""s. What the sender's clock may delay them counts for nothing."""
TRIED_SHARE = 0.95
"""Of R: a train tries it if so much of it arrives."""
MOST_READINGS = 64
"""With more ways to read the times of a trace the rates are not judged."""


class Range(NamedTuple):
    """A rate, bit/s, or a time, s, as far as truncated times leave it open."""

    low: float = 0.0
    high: float = 0.0

    def or_more(self, other: Range) -> Range:
        """The larger of the two."""
        return Range(max(self.low, other.low), max(self.high, other.high))


ANY = Range(0.0, math.inf)


class TrainRates(NamedTuple):
    """The largest rates of the trains of an epoch; 0 where none shows one."""

    shown: Range = Range()
    tried: Range = Range()

    def shows(self, rate: float) -> bool:
        """Whether the largest rate may be this, bit/s."""
        return self.shown.low * (1.0 - RELATIVE) <= rate <= self.shown.high * (1.0 + RELATIVE)

    def tries(self, rate: float) -> set[bool]:
        """Whether R was tried by a train, as far as that is open."""
        needed = TRIED_SHARE * rate
        surely, perhaps = self.tried.low >= needed * (1.0 + RELATIVE), self.tried.high >= needed * (1.0 - RELATIVE)
        return {surely, perhaps}


UNKNOWN = TrainRates(ANY, ANY)
"""Where there are too many ways to read the times."""


class _Train(NamedTuple):
    left: float
    came: float
    """Of the newest packet of its first ACK: when it left, and when that came, s."""
    last_left: float
    last_came: float
    acked: int = 0
    """Bytes, after the first ACK."""
    before: int = 0
    """What of that was acknowledged in epochs that are over."""

    def goes_on(self, mark: tuple[float, float], together: Range, longest: Range) -> tuple[bool, bool]:
        """Whether an ACK that came, and whose newest packet left, at `mark` surely belongs to it, and whether it may.
        Packets of a train may leave so far apart, and it may last so long, s."""
        came, left = mark
        apart, lasts = max(left - self.last_left, 0.0), came - self.came
        surely = apart <= together.low and lasts <= longest.low
        return surely, apart <= together.high and lasts <= longest.high

    def add(self, came: float, left: float, acked: int) -> _Train:
        return _Train(self.left, self.came, left, came, self.acked + acked, self.before)

    def rate(self, tolerance: float) -> Range:
        lasted = max(self.last_left - self.left, self.last_came - self.came)
        ends = (max(lasted + tolerance, 1e-12), max(lasted - tolerance, 1e-12))
        return Range(*(min(8.0 * self.acked / end, MAX_RATE) for end in ends))


class _Reading(NamedTuple):
    """One way to read the times of a trace."""

    latest: _Train
    rates: TrainRates = TrainRates()

    def count_latest(self, packet_bytes: int, tolerance: float) -> TrainRates:
        """The rates with that of the latest train."""
        train, (shown, tried) = self.latest, self.rates
        if train.acked == train.before:
            return self.rates
        rate = train.rate(tolerance)
        if train.acked >= SHOWS * packet_bytes:
            shown = shown.or_more(rate)
        if train.acked >= TRIES * packet_bytes:
            tried = tried.or_more(rate)
        return TrainRates(shown, tried)


@dataclass(slots=True)
class Trains:
    """The packet trains of an epoch."""

    tolerance: float = TIME_TOLERANCE
    """Of differences of times, s."""

    _readings: dict[_Reading, None] = field(default_factory=dict)
    _lost: bool = False
    """Whether there were too many: which train goes on is known again when one surely begins."""
    _unknown: bool = False
    """Whether they were in this epoch."""

    def record(
        self, came: float, left: float, acked: int, rate: tuple[float, float], path: tuple[tuple[float, ...], int]
    ) -> None:
        """An ACK that came then acknowledges so many bytes, the newest packet of which left then. R was between these,
        bit/s; `path` has the values that L may have, s, and P, bytes."""
        (lengths, packet_bytes), slack = path, self.tolerance
        begins = _Train(left, came, left, came)
        if not self._readings:
            self._readings = {_Reading(begins): None}
            return
        low, high = rate
        bits = 8.0 * acked * SLOWER
        together = Range(bits / max(high, 1.0) + CLOCK - slack, bits / max(low, 1.0) + CLOCK + slack)
        longest = Range(min(lengths) - slack, max(lengths) + slack)
        found: dict[_Reading, None] = {}
        for reading in self._readings:
            surely, perhaps = reading.latest.goes_on((came, left), together, longest)
            if perhaps:
                found[_Reading(reading.latest.add(came, left, acked), reading.rates)] = None
            if not surely:
                found[_Reading(begins, reading.count_latest(packet_bytes, slack))] = None
        self._lost = self._lost and not all(left - r.latest.last_left > together.high for r in self._readings)
        if len(found) > MOST_READINGS:
            found, self._lost = {_Reading(begins): None}, True
        self._readings, self._unknown = found, self._unknown or self._lost

    def take(self, packet_bytes: int) -> list[TrainRates]:
        """An epoch is over: what the rates may be."""
        rates = dict.fromkeys(reading.count_latest(packet_bytes, self.tolerance) for reading in self._readings)
        self._readings = {_Reading(r.latest._replace(before=r.latest.acked)): None for r in self._readings}
        known, self._unknown = not self._unknown, self._lost
        return (list(rates) or [TrainRates()]) if known else [UNKNOWN]
