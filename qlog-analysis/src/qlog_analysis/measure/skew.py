"""The skew of the peer's clock: "Clock skew" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from .window_min import PARTS

ENOUGH = 3
MOST = 1e-3
"""s per s. A clock is not off by more."""
RESOLUTION = 4e-6
"""s. What times in whole microseconds leave open of what a clock gains in a part."""
TICKS = 10
"""Steps per part in which the minima follow."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What was least in a part of the window, s."""

    number: int
    forward: float
    back: float


@dataclass(frozen=True, slots=True)
class Step:
    """The clock was set forwards, before the part that is over."""

    by: float
    """s."""

    def since(self, ago: int) -> float:
        """What a minimum lacks whose part began `ago` parts ago."""
        return self.by if ago > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Speed:
    """The clock gains `now` s in a part, and not what it was taken to gain `before`."""

    before: float
    now: float

    def since(self, ago: int) -> float:
        """What a minimum lacks whose part began `ago` parts ago and is over."""
        return _gained_since(self.now, ago) - _gained_since(self.before, ago)


def _gained_since(gain: float, ago: int) -> float:
    """A minimum is seen at the begin of its part if the clock is fast, else at its end."""
    return gain * (ago if gain >= 0.0 else ago - 1)


@dataclass(slots=True)
class Skew:
    part: float
    """s."""
    origin: float
    gain: float = 0.0
    """What the clock gains in a tick, s."""
    told: float | None = None
    """Of the same what is reported. Where it is what the packets say it stands, for it is more exact."""
    _ticks: int = 0
    _parts: list[_Part] = field(default_factory=list)
    """The oldest first."""
    _disturbed: bool = False
    _learned: int = 0
    """The part after which it was last told what the clock gains."""

    def gained(self, now: float) -> float:
        """What the clock has gained in the ticks that are over since this was last asked."""
        ticks = math.floor((now - self.origin) / (self.part / TICKS))
        if ticks <= self._ticks:
            return 0.0
        gained = self.gain * min(ticks - self._ticks, TICKS * PARTS)
        self._ticks = ticks
        return gained

    def restart(self) -> None:
        """Delays of before do not compare with what comes. What the clock gains stays until more is known."""
        self._parts.clear()
        self._disturbed = True

    def part_over(self, number: int, forward: float | None, both: float | None) -> Speed | Step | None:
        """With the least one-way delays of full packets in part `number`, by receive timestamps and by ACK arrivals."""
        correction = self._take_in(number, forward, both)
        if number > self._learned + PARTS:
            self.gain = 0.0
        return correction

    def _take_in(self, number: int, forward: float | None, both: float | None) -> Speed | Step | None:
        if forward is None or both is None:
            return None
        if self._disturbed:
            self._disturbed = False
            return None
        part = _Part(number, forward, both - forward)
        self._parts = [before for before in self._parts if before.number > number - PARTS]
        step = self._step(part)
        if abs(step) > MOST * self.part:
            self._parts = [part]
            return Step(step) if step > 0.0 else None
        self._parts.append(part)
        if len(self._parts) < ENOUGH:
            return None
        self._learned = number
        return self._learn()

    def _step(self, part: _Part) -> float:
        """What has come at least between the part and each of the last before it, beside what the clock gains."""
        common = []
        for before in self._parts[-ENOUGH:]:
            gain = self.gain * TICKS * (part.number - before.number)
            common.append(_nearest_to_zero(part.forward - before.forward - gain, before.back - part.back - gain))
        return _nearest_to_zero(min(common), max(common)) if common else 0.0

    def _learn(self) -> Speed:
        forward = _slope(self._parts, lambda part: part.forward)
        back = _slope(self._parts, lambda part: part.back)
        most = MOST * self.part
        gain = min(max(_nearest_to_zero(2.0 * forward, -back), -most), most) / TICKS
        if self.told is not None and abs(self.told - gain) * TICKS <= RESOLUTION:
            gain = self.told
        before, self.gain = self.gain, gain
        return Speed(before * TICKS, self.gain * TICKS)


def _slope(parts: list[_Part], delay: Callable[[_Part], float]) -> float:
    """What a delay gains per part at least, by three quarters of the pairs that are half of the time apart; nothing if
    they do not agree on the sign."""
    span = parts[-1].number - parts[0].number
    pairs = ((a, b, b.number - a.number) for a, b in itertools.combinations(parts, 2))
    slopes = sorted((delay(b) - delay(a)) / apart for a, b, apart in pairs if 2 * apart >= span)
    quarter = len(slopes) // 4
    return _nearest_to_zero(slopes[quarter], slopes[-1 - quarter])


def _nearest_to_zero(a: float, b: float) -> float:
    """Of the values between two."""
    return min(max(0.0, min(a, b)), max(a, b))
