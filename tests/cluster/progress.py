"""How far it is, on the standard error output, with what is left by the size of the runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable

from .lab import Job
from .shards import size

EVERY = 10.0
"""s between two lines; on a terminal the line is replaced twice a second."""
ON_TERMINAL = 0.5


class Progress:
    def __init__(self, jobs: Iterable[Job]) -> None:
        sizes = [size(job) for job in jobs]
        self._runs, self._size = len(sizes), sum(sizes)
        self._begin = self._told = time.monotonic()
        self._over = self._over_size = self._made = 0
        self._terminal = sys.stderr.isatty()

    def add(self, jobs: Iterable[Job], made: int) -> None:
        """These are over, and so many of them have a result."""
        sizes = [size(job) for job in jobs]
        self._over += len(sizes)
        self._over_size += sum(sizes)
        self._made += made

    def tell(self) -> None:
        now = time.monotonic()
        if now - self._told >= (ON_TERMINAL if self._terminal else EVERY):
            self._told = now
            end = "\r" if self._terminal else "\n"
            print(f"{self.line():<78}" if self._terminal else self.line(), end=end, file=sys.stderr, flush=True)

    def finish(self) -> None:
        print(f"{self.line():<78}".rstrip(), file=sys.stderr, flush=True)

    def line(self) -> str:
        seconds = time.monotonic() - self._begin
        rate = self._over / seconds if seconds > 0.0 else 0.0
        without = f", {self._over - self._made:,} without a result" if self._made < self._over else ""
        return f"cluster: {self._over:,} of {self._runs:,} runs{without}, {rate:.1f} per second{self._left(seconds)}"

    def _left(self, seconds: float) -> str:
        if not self._over_size or self._over == self._runs:
            return ""
        left = seconds * (self._size - self._over_size) / self._over_size
        for unit, name in ((86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
            if left >= 2 * unit:
                return f", about {left / unit:.0f} {name} left"
        return f", about {max(left, 1.0):.0f} seconds left"
