"""The delay under the jitter: "The delay under the jitter", `delay=least`, in docs/papers/hybrid.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SPAN = 0.01
"""s. An epoch is cut into equal spans as near to this as they come."""
MOST_READINGS = 256
"""Where rounding leaves more than so many ways to cut an epoch, some are passed over, but not the extremes."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A sample that counts, in s."""

    at: float
    """When its feedback came, since the start of the epoch."""
    length: float
    """L as it stood then."""
    above: float
    """Its ROWD against the minima of that time."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """Spans as far as samples have been read."""

    span: int
    least: float
    total: float
    """Sum of the minima of the spans before."""
    closed: int

    def add(self, span: int, above: float) -> _Reading:
        if span == self.span:
            return self if above >= self.least else _Reading(span, above, self.total, self.closed)
        return _Reading(span, above, self.total + self.least, self.closed + 1)

    @property
    def mean(self) -> float:
        return (self.total + self.least) / (self.closed + 1)


def least(samples: Sequence[Taken], slack: float = 0.0) -> list[float]:
    """The mean of the smallest ROWDs of the spans that have samples; several values where times that may be off by
    `slack` leave open to which span a sample belongs. Nothing without samples."""
    if not samples:
        return []
    counts = [tuple(_spans(s.length + shift) for s in samples) for shift in (-slack, slack)]
    return sorted({mean for count in set(counts) for mean in _means(samples, count, slack)})


def _spans(length: float) -> int:
    return max(math.floor(length / SPAN + 0.5), 1)


def _span(at: float, length: float, count: int) -> int:
    return min(max(math.floor(at * count / length), 0), count - 1) if length > 0.0 else 0


def _means(samples: Sequence[Taken], counts: tuple[int, ...], slack: float) -> set[float]:
    readings: set[_Reading] = set()
    for s, count in zip(samples, counts, strict=True):
        spans = {_span(s.at + shift, s.length, count) for shift in (-slack, slack)}
        if not readings:
            readings = {_Reading(span, s.above, 0.0, 0) for span in spans}
            continue
        readings = {r.add(span, s.above) for r in readings for span in _reachable(r, spans)}
        if len(readings) > MOST_READINGS:
            ordered = sorted(readings, key=lambda r: r.mean)
            readings = {*ordered[:: 2 * len(ordered) // MOST_READINGS + 1], ordered[-1]}
    return {r.mean for r in readings}


def _reachable(reading: _Reading, spans: set[int]) -> set[int]:
    """Samples come in their order; only another L leads back."""
    onwards = {span for span in spans if span >= reading.span}
    return onwards or spans
