"""The minimum over a sliding window: "Sliding minimum" in docs/papers/hybrid.md."""

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

    def clear(self) -> None:
        self._parts.clear()

    def raise_by(self, by: float | None) -> None:
        """As if nothing had been seen but the minimum, now and larger by so much; nothing at all where that is not
        known."""
        least = self.get()
        self._parts.clear()
        if least is not None and by is not None:
            self._parts.append((self._latest, least + by))
