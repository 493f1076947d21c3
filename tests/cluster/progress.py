"""How far it is, with what is left by the size of the runs."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from qlog_analysis.telling import Telling

from .lab import Job
from .shards import size


class Progress(Telling):
    def __init__(self, jobs: Iterable[Job]) -> None:
        super().__init__()
        sizes = [size(job) for job in jobs]
        self._runs, self._size = len(sizes), sum(sizes)
        self._over = self._over_size = self._made = 0

    def add(self, jobs: Iterable[Job], made: int) -> None:
        """These are over, and so many of them have a result."""
        sizes = [size(job) for job in jobs]
        self._over += len(sizes)
        self._over_size += sum(sizes)
        self._made += made

    def finish(self) -> None:
        print(f"{self.line():<78}".rstrip(), file=sys.stderr, flush=True)

    def line(self) -> str:
        rate = self._over / self.seconds if self.seconds > 0.0 else 0.0
        without = f", {self._over - self._made:,} without a result" if self._made < self._over else ""
        known = self._over_size and self._over != self._runs
        left = self._left(self._over_size, self._size) if known else ""
        return f"cluster: {self._over:,} of {self._runs:,} runs{without}, {rate:.1f} per second{left}"
