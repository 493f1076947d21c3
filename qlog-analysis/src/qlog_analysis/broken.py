"""What becomes of records that cannot be used: an error, or a note with the place of each while the others are used."""

from __future__ import annotations

from .errors import TraceError

NAMED = 10
"""So many are named one by one."""
FEW, MOST_SHARE = 10, 0.1
"""More than this many, and more than this share of all records: the trace is not what it is taken for."""

NO_MORE, NO_MORE_SHARE = 1_000, 0.5
"""More than this many, and more than this share of the records so far: nothing better is expected of the others."""


class Broken:
    def __init__(self, *, skip: bool) -> None:
        self.skips = skip
        self._first: TraceError | None = None
        self._named: list[str] = []
        self.records: set[int] = set()
        """Their numbers."""
        self._so_far = 0
        """The highest of them; records may be told in another order than that of the file."""

    def __call__(self, error: TraceError) -> None:
        """Notes a record that cannot be used; raises its error if none may be skipped, and the first one if
        so many cannot be used that going on is not worth it."""
        if not self.skips:
            raise error
        self._first = self._first or error
        self.records.add(error.record or 0)
        self._so_far = max(self._so_far, error.record or 0)
        if len(self._named) < NAMED:
            self._named.append(f"not used: {error.where}: {error.what}")
        count = len(self.records)
        if count > max(NO_MORE, NO_MORE_SHARE * self._so_far):
            share = f"{count} of the first {self._so_far} records"
            raise self._too_many(self._first, f"{share} cannot be used, the others were not read")

    def notes(self, records: int, *, enough: bool) -> list[str]:
        """Of `records` in all; raises the first error if too many could not be used, or what is left is not
        `enough`."""
        records = max(records, *self.records, 0)  # the last ones may be among those that cannot be used
        if self._first is not None and (not enough or len(self.records) > max(FEW, MOST_SHARE * records)):
            raise self._too_many(self._first, f"{len(self.records)} of {records} records cannot be used")
        more = len(self.records) - len(self._named)
        return [*self._named, *([f"not used: {more} more records"] if more else [])]

    @staticmethod
    def _too_many(first: TraceError, how_many: str) -> TraceError:
        first.what += f" ({how_many})"
        return first
