"""The minimum over a sliding window: "Base delay" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

PARTS = 10
"""Sub-windows."""


@dataclass(slots=True)
class SlidingMinimum:
    """The minimum over `window` s in ten sub-windows, counted from `origin`: a value is forgotten between 0.9 and 1
    times the window after it was seen."""

    window: float
    origin: float
    _parts: deque[tuple[int, float]] = field(default_factory=deque)
    _latest: int = 0
    _least: float | None = None
    """Of all parts; asked for far more often than it changes."""

    def part_at(self, now: float) -> int:
        return math.floor((now - self.origin) / (self.window / PARTS))

    def advance(self, now: float) -> None:
        part = self.part_at(now)
        if part <= self._latest:
            return
        self._latest = part
        if self._parts and self._parts[0][0] + PARTS <= part:
            while self._parts and self._parts[0][0] + PARTS <= part:
                self._parts.popleft()
            self._find_least()

    def insert(self, now: float, value: float) -> None:
        self.advance(now)
        self.insert_now(value)

    def insert_now(self, value: float) -> None:
        """Into the latest part."""
        if self._parts and self._parts[-1][0] == self._latest:
            if value >= self._parts[-1][1]:
                return
            self._parts.pop()
        self._parts.append((self._latest, value))
        if self._least is None or value < self._least:
            self._least = value

    def get(self) -> float | None:
        return self._least

    def _find_least(self) -> None:
        self._least = min((v for _, v in self._parts), default=None)

    @property
    def latest(self) -> int:
        """The number of the latest part."""
        return self._latest

    def of_part(self) -> float | None:
        """The minimum of the latest part."""
        return self._parts[-1][1] if self._parts and self._parts[-1][0] == self._latest else None

    def change(self, by: Callable[[int], float]) -> None:
        """Adds to the minimum of each part what `by` says, told how many parts ago that began."""
        self._parts = deque((part, value + by(self._latest - part)) for part, value in self._parts)
        self._find_least()

    def clear(self) -> None:
        self._parts.clear()
        self._least = None

    def raise_by(self, by: float | None) -> None:
        """As if nothing had been seen but the minimum, now and larger by so much; nothing at all where that is not
        known."""
        least = self.get()
        self._parts.clear()
        if least is not None and by is not None:
            self._parts.append((self._latest, least + by))
        self._find_least()
