"""Samples of a figure in a few numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..percentiles import percentiles, rank
from .selection import FEW, Interval, Parts, Weighted, reached

SHOWN = (50, 95)
"""Percentiles."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """In the unit that the name of the figure has. Percentiles are by nearest rank; over time each value counts as many
    times as it lasts."""

    samples: int
    min: float | None = None
    mean: float | None = None
    p50: float | None = None
    p95: float | None = None
    max: float | None = None

    @classmethod
    def of(cls, seconds: Floats) -> Distribution:
        """In ms."""
        return cls.of_values(seconds * 1e3)

    @classmethod
    def of_values(cls, values: Floats | Ints) -> Distribution:
        """In the unit of the values."""
        if len(values) == 0:
            return cls(0)
        p50, p95 = percentiles(values, SHOWN)
        return cls(len(values), float(values.min()), float(values.mean()), p50, p95, float(values.max()))

    @classmethod
    def of_parts(cls, parts: Callable[[], Iterable[Floats | Ints]]) -> Distribution:
        """Of values that come in parts, as often as they are asked for, and may be too many to be kept."""
        kept = _Kept.of(lambda: ((values.astype(np.float64), np.ones(len(values))) for values in parts()))
        if kept.values is not None:
            return cls.of_values(kept.values)
        n = kept.whole.count
        p50, p95 = reached(kept.parts, [rank(percent, n) for percent in SHOWN], kept.whole)
        return cls(n, kept.whole.low, kept.sum / n, p50, p95, kept.whole.high)

    @classmethod
    def over_time(cls, parts: Parts) -> Distribution:
        """Of values with the time (s) for which each holds; they come as those of `of_parts`."""
        kept = _Kept.of(parts)
        if kept.weight <= 0.0:
            return cls(0)
        p50, p95 = reached(kept.parts, [percent * kept.weight / 100 for percent in SHOWN], kept.whole)
        return cls(kept.whole.count, kept.whole.low, kept.sum / kept.weight, p50, p95, kept.whole.high)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What one look at all values tells, and the values themselves if they are few."""

    parts: Parts
    whole: Interval
    weight: float
    sum: float
    """Of what values and weights make."""
    values: Floats | None

    @classmethod
    def of(cls, parts: Parts) -> _Kept:
        kept: list[Weighted] = []
        low, high, count, weight, total = math.inf, -math.inf, 0, 0.0, 0.0
        for values, weights in parts():
            low, high = min(low, float(values.min(initial=low))), max(high, float(values.max(initial=high)))
            count, weight = count + len(values), weight + float(weights.sum())
            total += float((values * weights).sum())  # `@` of long arrays keeps other processors busy
            if count <= FEW:
                kept.append((values, weights))
        if count > FEW:
            return cls(parts, Interval(low, high, count), weight, total, None)
        values, weights = (np.concatenate([*(some[i] for some in kept), np.empty(0)]) for i in (0, 1))
        return cls(lambda: [(values, weights)], Interval(low, high, count), weight, total, values)
