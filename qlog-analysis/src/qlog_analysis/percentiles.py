"""Percentiles by nearest rank, as docs/glossary.md defines them: a percentile is one of the values, never between two.

`quantile_disc` is the same in SQL. `numpy.quantile` with `inverted_cdf` is nearly: its ranks are products of fractions,
which round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .arrays import Floats, Ints


def rank(percent: float, count: int) -> int:
    """Place, from 1 on, of the percentile among `count` values in ascending order."""
    return min(max(math.ceil(percent * count / 100), 1), count)


def percentiles(values: Floats | Ints | Sequence[float], percents: Sequence[float]) -> list[float]:
    """Of one value or more: each is the smallest that at least so many percent of all do not exceed."""
    places = [rank(percent, len(values)) - 1 for percent in percents]
    ordered = np.partition(np.asarray(values), places)
    return [float(ordered[place]) for place in places]


def median(values: Floats | Ints | Sequence[float]) -> float:
    """The 50th percentile: of an even number of values the lower one of the two in the middle."""
    return percentiles(values, (50,))[0]
