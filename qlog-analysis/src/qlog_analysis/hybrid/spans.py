"""The samples of an epoch, by the spans into which it is cut."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..check.numbers import TIME_TOLERANCE
from ..measure.sliding import Source
from ..measure.sources import Sample
from . import floor
from .floor import Taken


@dataclass(slots=True)
class Spans:
    """Of one source. `taken` holds the samples once per variant of the minima, in order of arrival."""

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


class EpochSpans:
    """Of both sources: of the samples that count, and with those while nothing counts yet, which show jitter, too."""

    def __init__(self, variants: int) -> None:
        self._variants = variants
        self.counting = self._none()
        self.all = self._none()

    def _none(self) -> dict[Source, Spans]:
        return {source: Spans(self._variants) for source in Source}

    def add(self, sample: Sample, at: float, lengths: tuple[float, ...], *, counts: bool) -> None:
        self.all[sample.source].add(sample, at, lengths)
        if counts:
            self.counting[sample.source].add(sample, at, lengths)

    def all_count(self, source: Source) -> bool:
        return self.all[source].taken == self.counting[source].taken

    def count_none(self) -> None:
        """What came so far does not count."""
        self.counting = self._none()

    def restart(self, source: Source) -> None:
        """What came so far by this source means nothing."""
        self.counting[source] = Spans(self._variants)
        self.all[source] = Spans(self._variants)
