"""How far a fleet is, with what is left by the size of the traces."""

from __future__ import annotations

import sys

from ..telling import Telling


class Progress(Telling):
    def __init__(self, traces: int, size: int) -> None:
        super().__init__()
        self._traces, self._size = traces, size
        self._done = self._done_size = self._errors = 0

    def add(self, size: int, *, error: bool) -> None:
        self._done += 1
        self._done_size += size
        self._errors += error

    def finish(self) -> None:
        if self._terminal and self._done:
            print(f"{self.line():<78}", file=sys.stderr)

    def line(self) -> str:
        rate = self._done / self.seconds if self.seconds > 0.0 else 0.0
        errors = f", {self._errors:,} with an error" if self._errors else ""
        known = self._done_size and self._done != self._traces
        left = self._left(self._done_size, self._size) if known else ""
        return f"fleet: {self._done:,} of {self._traces:,} traces{errors}, {rate:.1f} per second{left}"
