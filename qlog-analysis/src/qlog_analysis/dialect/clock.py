"""Times of events, whichever way a header says they are meant, as ms since the trace's time 0."""

from __future__ import annotations

import math

UNIX_MS = 1e11
"""A larger time counts from 1970; relative ones end after about three years."""

FIRST_MS = 10_000.0
"""No trace begins with so long a silence: if its first event is later, times count from the start of a machine or an
endpoint."""

REORDERED_MS = 1_000.0
"""An event may have been written before an earlier one, the first as well, but not by more than this."""
_DELTA = frozenset({"delta", "relative_to_previous_event"})


class Clock:
    def __init__(self, time_format: str | None, milliseconds: float, reference: float | None) -> None:
        self._delta = time_format in _DELTA
        self._absolute = time_format == "absolute"
        self._milliseconds = milliseconds
        self._reference = reference
        self._base: float | None = None
        self._now = 0.0

    @property
    def reference(self) -> float | None:
        """Unix time of the trace's time 0, in s."""
        if self._base is not None and self._base > UNIX_MS:
            return self._base / 1e3
        return None if self._reference is None else self._reference + (self._base or 0.0) / 1e3

    def at(self, time: float, *, delta: bool = False) -> float | None:
        """None for a time that makes no sense."""
        time *= self._milliseconds
        if not math.isfinite(time):
            return None
        if self._delta or delta:
            now = self._now + time
            if not 0.0 <= now <= UNIX_MS:
                return None
            self._now = now
            return now
        if self._base is None:
            self._base = time if self._absolute or not 0.0 <= time <= FIRST_MS else 0.0
        time -= self._base
        return max(time, 0.0) if -REORDERED_MS <= time <= UNIX_MS else None
