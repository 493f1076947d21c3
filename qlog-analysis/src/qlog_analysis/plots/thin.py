"""Fewer points, same picture."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..arrays import Floats

MAX_POINTS = 4000
OF_A_STRETCH = 4
"""Points that are kept of it: the first, the smallest, the largest and the last, so that no peak is lost."""

Points = tuple[Floats, Floats]


def thin(x: Floats, y: Floats, most: int = MAX_POINTS) -> Points:
    """At most about so many of these points."""
    return thinned([(x, y)], most)


def thinned(parts: Iterable[Points], most: int) -> Points:
    """Likewise of points that come in parts. What is unknown is left out."""
    kept = _Kept(most)
    for x, y in parts:
        known = ~(np.isnan(x) | np.isnan(y))
        kept.add(x[known], y[known])
    return kept.points()


class _Kept:
    """All points until there are too many, and then some of each stretch; stretches become longer as points come."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._length = 1
        """Points of a stretch."""
        self._x = self._y = np.empty((0, OF_A_STRETCH))
        """Of stretches, a row each."""
        self._rest: list[Points] = []
        """What comes after them, as it is."""
        self._waiting = 0

    def add(self, x: Floats, y: Floats) -> None:
        self._rest.append((x, y))
        self._waiting += len(x)
        if self._waiting + self._x.size <= self._most:
            return
        while self._waiting // self._length * OF_A_STRETCH + self._x.size > self._most:
            self._lengthen()
        self._close()

    def _lengthen(self) -> None:
        """Two stretches become one; the last may be left over."""
        self._length = max(2 * self._length, 2 * OF_A_STRETCH)
        even = len(self._x) // 2 * 2
        x, y = _rows(self._x[:even].ravel(), self._y[:even].ravel(), 2 * OF_A_STRETCH)
        self._x, self._y = np.concatenate((x, self._x[even:])), np.concatenate((y, self._y[even:]))

    def _close(self) -> None:
        """The stretches that are whole."""
        x, y = self._all_of_the_rest()
        whole = len(x) // self._length * self._length
        self._add_rows(x[:whole], y[:whole], self._length)
        self._rest, self._waiting = [(x[whole:].copy(), y[whole:].copy())], len(x) - whole

    def _add_rows(self, x: Floats, y: Floats, length: int) -> None:
        more_x, more_y = _rows(x, y, length)
        self._x, self._y = np.concatenate((self._x, more_x)), np.concatenate((self._y, more_y))

    def _all_of_the_rest(self) -> Points:
        x, y = (np.concatenate([*(some[axis] for some in self._rest), np.empty(0)]) for axis in (0, 1))
        return x, y

    def points(self) -> Points:
        x, y = self._all_of_the_rest()
        if not len(self._x):
            return x, y
        if len(x):
            self._add_rows(x, y, len(x))
        x, y = self._x.ravel(), self._y.ravel()
        new = np.ones(len(x), dtype=np.bool_)  # one point may be the first of a stretch, and its smallest as well
        new[1:] = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
        return x[new], y[new]


def _rows(x: Floats, y: Floats, length: int) -> Points:
    """What is kept of stretches of so many points."""
    x, y = x.reshape(-1, length), y.reshape(-1, length)
    ends = np.zeros(len(y), dtype=np.int64), np.full(len(y), length - 1)
    chosen = np.sort(np.stack((ends[0], y.argmin(axis=1), y.argmax(axis=1), ends[1]), axis=1), axis=1)
    return np.take_along_axis(x, chosen, axis=1), np.take_along_axis(y, chosen, axis=1)
