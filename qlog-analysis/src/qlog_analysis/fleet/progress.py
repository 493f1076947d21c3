"""How far a long run is, on the standard error output, with what is left by the size of the traces."""

from __future__ import annotations

import sys
import time

EVERY = 10.0
"""s between two lines; on a terminal the line is replaced twice a second."""
ON_TERMINAL = 0.5


class Progress:
    def __init__(self, traces: int, size: int) -> None:
        self._traces, self._size = traces, size
        self._begin = self._told = time.monotonic()
        self._done = self._done_size = self._errors = 0
        self._terminal = sys.stderr.isatty()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begin

    def add(self, size: int, *, error: bool) -> None:
        self._done += 1
        self._done_size += size
        self._errors += error

    def tell(self) -> None:
        now = time.monotonic()
        if now - self._told >= (ON_TERMINAL if self._terminal else EVERY):
            self._told = now
            end = "\r" if self._terminal else "\n"
            print(f"{self.line():<78}" if self._terminal else self.line(), end=end, file=sys.stderr, flush=True)

    def finish(self) -> None:
        if self._terminal and self._done:
            print(f"{self.line():<78}", file=sys.stderr)

    def line(self) -> str:
        rate = self._done / self.seconds if self.seconds > 0.0 else 0.0
        errors = f", {self._errors:,} with an error" if self._errors else ""
        return f"fleet: {self._done:,} of {self._traces:,} traces{errors}, {rate:.1f} per second{self._left()}"

    def _left(self) -> str:
        if not self._done_size or self._done == self._traces:
            return ""
        left = self.seconds * (self._size - self._done_size) / self._done_size
        for unit, name in ((86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
            if left >= 2 * unit:
                return f", about {left / unit:.0f} {name} left"
        return f", about {max(left, 1.0):.0f} seconds left"
