"""What becomes of records that cannot be used: an error, or a note with the place of each while the others are used."""

from __future__ import annotations

from .errors import TraceError

NAMED = 10
"""So many are named one by one."""
FEW, MOST_SHARE = 10, 0.1
"""More than this many, and more than this share of all records: the trace is not what it is taken for."""


class Broken:
    def __init__(self, *, skip: bool) -> None:
        self.skips = skip
        self._first: TraceError | None = None
        self._named: list[str] = []
        self.records: set[int] = set()
        """Their numbers."""

    def __call__(self, error: TraceError) -> None:
        """Notes a record that cannot be used; raises its error if none may be skipped."""
        if not self.skips:
            raise error
        self._first = self._first or error
        self.records.add(error.record or 0)
        if len(self._named) < NAMED:
            self._named.append(f"not used: {error.where}: {error.what}")

    def notes(self, records: int, *, enough: bool) -> list[str]:
        """Of `records` in all; raises the first error if too many could not be used, or what is left is not
        `enough`."""
        records = max(records, *self.records, 0)  # the last ones may be among those that cannot be used
        if self._first is not None and (not enough or len(self.records) > max(FEW, MOST_SHARE * records)):
            self._first.what += f" ({len(self.records)} of {records} records cannot be used)"
            raise self._first
        more = len(self.records) - len(self._named)
        return [*self._named, *([f"not used: {more} more records"] if more else [])]
