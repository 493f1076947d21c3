"""The delay under the jitter: "Delay" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

SPAN = 0.01
"""s. An epoch is cut into equal spans as near to this as they come."""
MOST_READINGS = 256
"""Where rounding leaves more than so many ways to cut an epoch, some are passed over, but not the extremes."""


class Taken(NamedTuple):
    """A sample that counts, in s."""

    at: float
    """When its feedback came, since the start of the epoch."""
    length: float
    """L as it stood then."""
    above: float
    """Its ROWD against the minima of that time."""


class _Reading(NamedTuple):
    """Spans as far as samples have been read."""

    span: int
    least: float
    before: tuple[float, ...] = ()
    """Minima of the spans before."""

    def add(self, span: int, above: float) -> _Reading:
        if span == self.span:
            return self if above >= self.least else _Reading(span, above, self.before)
        return _Reading(span, above, self.minima)

    @property
    def minima(self) -> tuple[float, ...]:
        return (*self.before, self.least)


def least(samples: Sequence[Taken], slack: float = 0.0) -> list[float]:
    """The mean of the smallest ROWDs of the spans that have samples; several values where times that may be off by
    `slack` leave open to which span a sample belongs. Nothing without samples."""
    return sorted({mean(row) for row in minima(samples, slack)})


def mean(row: Sequence[float]) -> float:
    """Of the minima of the spans of an epoch."""
    return sum(row) / len(row)


def minima(samples: Sequence[Taken], slack: float = 0.0) -> set[tuple[float, ...]]:
    """These minima, in the order of the spans; several rows likewise."""
    if not samples:
        return set()
    rows = (row for count in _counts(samples, slack) for row in _rows(samples, count, slack))
    return steady(samples, slack).union(rows)


def steady(samples: Sequence[Taken], slack: float) -> set[tuple[float, ...]]:
    """Those of `minima` in which rounding has gone the same way with all samples: where packets keep time with the
    spans, it does."""
    return {_steady(samples, count, shift) for count in _counts(samples, slack) for shift in (-slack, slack) if samples}


def _counts(samples: Sequence[Taken], slack: float) -> set[tuple[int, ...]]:
    """Into how many spans the epoch is cut when each of the samples comes."""
    lengths = {s.length for s in samples}
    spans = [{length: _spans(length + shift) for length in lengths} for shift in (-slack, slack)]
    return {tuple([of_length[s.length] for s in samples]) for of_length in spans}


def _spans(length: float) -> int:
    return max(math.floor(length / SPAN + 0.5), 1)


def _span(at: float, length: float, count: int) -> int:
    return min(max(math.floor(at * count / length), 0), count - 1) if length > 0.0 else 0


def _rows(samples: Sequence[Taken], counts: tuple[int, ...], slack: float) -> set[tuple[float, ...]]:
    readings: set[_Reading] = set()
    for s, count in zip(samples, counts, strict=True):
        spans = {_span(s.at - slack, s.length, count), _span(s.at + slack, s.length, count)}
        if readings:
            readings = {r.add(span, s.above) for r in readings for span in _reachable(r, spans)}
        else:
            readings = {_Reading(span, s.above) for span in spans}
        if len(readings) > MOST_READINGS:
            ordered = sorted(readings, key=lambda r: mean(r.minima))
            readings = {*ordered[:: 2 * len(ordered) // MOST_READINGS + 1], ordered[-1]}
    return {r.minima for r in readings}


def _steady(samples: Sequence[Taken], counts: tuple[int, ...], shift: float) -> tuple[float, ...]:
    reading = _Reading(-1, math.inf)
    for s, count in zip(samples, counts, strict=True):
        span = _span(s.at + shift, s.length, count)
        reading = _Reading(span, s.above) if reading.span < 0 else reading.add(span, s.above)
    return reading.minima


def _reachable(reading: _Reading, spans: set[int]) -> set[int]:
    """Samples come in their order; only another L leads back."""
    onwards = {span for span in spans if span >= reading.span}
    return onwards or spans
