"""The samples of one source in one epoch, by the spans into which it is cut."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..check.numbers import TIME_TOLERANCE
from ..measure.sources import Sample
from . import floor
from .floor import Taken


@dataclass(slots=True)
class Spans:
    """`taken` holds the samples once per variant of the minima, in order of arrival."""

    variants: int
    taken: list[list[Taken]] = field(default_factory=list)
    _minima: frozenset[tuple[float, ...]] | None = None
    """Once they have been asked for."""

    def __post_init__(self) -> None:
        self.taken = [[] for _ in range(self.variants)]

    def add(self, sample: Sample, at: float, lengths: tuple[float, ...]) -> None:
        """`at` since the start of the epoch, with the values that L had when the feedback came."""
        self._minima = None
        for taken, length, above in zip(self.taken, lengths, sample.above, strict=True):
            taken.append(Taken(at, length, above))

    def minima(self) -> frozenset[tuple[float, ...]]:
        """What the smallest ROWDs of the spans may be, in their order."""
        if self._minima is None:
            self._minima = frozenset().union(*(floor.minima(taken, TIME_TOLERANCE) for taken in self._different()))
        return self._minima

    def steady(self) -> frozenset[tuple[float, ...]]:
        """Those of `minima` in which rounding has gone the same way with all samples."""
        return frozenset().union(*(floor.steady(taken, TIME_TOLERANCE) for taken in self._different()))

    def least(self) -> list[float]:
        """What delta may be."""
        return sorted({floor.mean(row) for row in self.minima()})

    def _different(self) -> list[list[Taken]]:
        """The variants, each once."""
        return [taken for i, taken in enumerate(self.taken) if taken not in self.taken[:i]]
