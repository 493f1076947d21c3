"""How far a long run is, on the standard error output, and about how long the rest of it takes."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod

EVERY = 10.0
"""s between two lines; on a terminal the line is replaced twice a second."""
ON_TERMINAL = 0.5


class Telling(ABC):
    def __init__(self) -> None:
        self._begin = self._told = time.monotonic()
        self._terminal = sys.stderr.isatty()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begin

    @abstractmethod
    def line(self) -> str: ...

    def tell(self) -> None:
        now = time.monotonic()
        if now - self._told >= (ON_TERMINAL if self._terminal else EVERY):
            self._told = now
            end = "\r" if self._terminal else "\n"
            print(f"{self.line():<78}" if self._terminal else self.line(), end=end, file=sys.stderr, flush=True)

    def _left(self, done: float, whole: float) -> str:
        """By the size of what is done and of the whole."""
        left = self.seconds * (whole - done) / done
        for unit, name in ((86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
            if left >= 2 * unit:
                return f", about {left / unit:.0f} {name} left"
        return f", about {max(left, 1.0):.0f} seconds left"
