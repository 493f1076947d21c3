"""Stretches of a stream, in order and apart."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Bools, Ints


@dataclass(slots=True)
class Spans:
    """Bytes from `begin` up to, and without, `end`."""

    _begins: list[int] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, begins: Ints, ends: Ints) -> Spans:
        out = cls()
        for begin, end in sorted(zip(begins.tolist(), ends.tolist(), strict=True)):
            out.add(begin, end)
        return out

    def __bool__(self) -> bool:
        return bool(self._begins)

    def add(self, begin: int, end: int) -> None:
        if begin >= end:
            return
        i, j = bisect_left(self._ends, begin), bisect_right(self._begins, end)
        if i < j:
            begin, end = min(begin, self._begins[i]), max(end, self._ends[j - 1])
        self._begins[i:j], self._ends[i:j] = [begin], [end]

    def cut(self, begin: int, end: int) -> None:
        """Takes a stretch away."""
        i, j = bisect_right(self._ends, begin), bisect_left(self._begins, end)
        if begin >= end or i >= j:
            return
        left = [(self._begins[i], begin), (end, self._ends[j - 1])]
        left = [(a, b) for a, b in left if a < b]
        self._begins[i:j], self._ends[i:j] = [a for a, _ in left], [b for _, b in left]

    def without(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """What of a stretch is not in here."""
        for i in range(bisect_right(self._ends, begin), bisect_left(self._begins, end)):
            if begin < self._begins[i]:
                yield begin, self._begins[i]
            begin = max(begin, self._ends[i])
        if begin < end:
            yield begin, end

    def touch(self, begins: Ints, ends: Ints) -> Bools:
        """Of each of these stretches whether a part of it is in here."""
        mine, until = (np.array(x, dtype=np.int64) for x in (self._begins, self._ends))
        at = np.searchsorted(until, begins, side="right")
        return np.append(mine, np.iinfo(np.int64).max)[at] < ends
