"""Percentiles by nearest rank, as docs/glossary.md defines them; qlog-analysis and the lab have the same."""

from __future__ import annotations

import math
from collections.abc import Iterable


def percentile(values: Iterable[float], percent: float) -> float:
    """Of one value or more: the smallest that at least so many percent of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(percent * len(ordered) / 100), 1) - 1]
