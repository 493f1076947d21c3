"""Numbers at given places of the order of many, of which few are in memory at a time: they are gone through again and
again, each time counted in narrower steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints

FEW = 1 << 17
"""Values that are sorted at once."""
STEPS = 1 << 12

Weighted = tuple[Floats, Floats]
"""Values, and what each of them weighs."""
Parts = Callable[[], Iterable[Weighted]]


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends are values."""

    low: float
    high: float
    count: int
    below: float = 0.0
    """What all smaller values weigh."""

    def holds(self, values: Floats) -> Bools:
        return np.asarray((values >= self.low) & (values <= self.high))


def reached(parts: Parts, targets: Sequence[float], whole: Interval) -> list[float]:
    """For each target the smallest value that weighs so much together with all smaller ones; the largest if none does.
    `whole` has all values."""
    found = [whole.high] * len(targets)
    searched = dict.fromkeys(range(len(targets)), whole) if whole.low < whole.high else {}
    while searched:
        looks = {
            interval: _Sorted(interval) if interval.count <= FEW else _Steps(interval) for interval in searched.values()
        }
        for values, weights in parts():
            for interval, look in looks.items():
                inside = interval.holds(values)
                look.add(values[inside], weights[inside])
        for i, interval in list(searched.items()):
            narrower = looks[interval].find(targets[i])
            if narrower.low < narrower.high:
                searched[i] = narrower
            else:
                found[i] = narrower.low
                del searched[i]
    return found


class _Sorted:
    """The values of an interval, if they are few."""

    def __init__(self, interval: Interval) -> None:
        self._below = interval.below
        self._values: list[Floats] = []
        self._weights: list[Floats] = []

    def add(self, values: Floats, weights: Floats) -> None:
        self._values.append(values)
        self._weights.append(weights)

    def find(self, target: float) -> Interval:
        values = np.concatenate(self._values)
        order = np.argsort(values, kind="stable")
        sums = self._below + np.cumsum(np.concatenate(self._weights)[order])
        value = float(values[order[min(int(np.searchsorted(sums, target)), len(order) - 1)]])
        return Interval(value, value, 1)


class _Steps:
    """What the values of an interval weigh, in steps of it."""

    def __init__(self, interval: Interval) -> None:
        self._interval = interval
        self._weight = np.zeros(STEPS)
        self._count: Ints = np.zeros(STEPS, dtype=np.int64)
        self._low, self._high = np.full(STEPS, np.inf), np.full(STEPS, -np.inf)

    def add(self, values: Floats, weights: Floats) -> None:
        low, high = self._interval.low, self._interval.high
        step = np.minimum((values - low) * (STEPS / (high - low)), STEPS - 1).astype(np.int64)
        self._weight += np.bincount(step, weights, minlength=STEPS)
        self._count += np.bincount(step, minlength=STEPS)
        np.minimum.at(self._low, step, values)
        np.maximum.at(self._high, step, values)

    def find(self, target: float) -> Interval:
        sums = self._interval.below + np.cumsum(self._weight)
        some = np.flatnonzero(self._count)
        k = int(some[min(int(np.searchsorted(sums[some], target)), len(some) - 1)])
        below = float(sums[k - 1]) if k else self._interval.below
        return Interval(float(self._low[k]), float(self._high[k]), int(self._count[k]), below)
