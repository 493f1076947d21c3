"""The one-way delay trend of an epoch: the Pathload test (Jain & Dovrolis, IEEE/ACM ToN 11:537, 2003).

Trace times are rounded, so a comparison of two nearly equal medians has no certain outcome. The test is
therefore evaluated on intervals: `verdicts` gives every verdict that a rounding error of `noise` allows.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

MIN_SAMPLES = 25
MAX_SAMPLES = 128

PCT_INCREASING = 0.66
PCT_NOT = 0.54
PDT_INCREASING = 0.55
PDT_NOT = 0.45


class Trend(enum.Enum):
    INCREASING = "increasing"
    NON_INCREASING = "non_increasing"
    UNKNOWN = "unknown"


class _Says(enum.Enum):
    INCREASING = 1
    NEITHER = 0
    NOT = -1


@dataclass(frozen=True, slots=True)
class Metrics:
    """PCT, PDT and rise, each as the interval that the noise leaves open."""

    pct: tuple[float, float]
    pdt: tuple[float, float]
    rise: tuple[float, float]


def condense(rowd: Sequence[float]) -> list[float]:
    """At most 128 values, each the mean of 2^k neighbours with the smallest k for which n <= 128 * 2^k; a last
    incomplete mean is left out."""
    width = 1
    while len(rowd) > MAX_SAMPLES * width:
        width *= 2
    full = len(rowd) // width
    return [sum(rowd[i * width : (i + 1) * width]) / width for i in range(full)]


def group_medians(values: Sequence[float]) -> list[float]:
    """Medians of groups of floor(sqrt(n)) consecutive values; a remainder joins the last group."""
    size = math.isqrt(len(values))
    groups = len(values) // size
    bounds = [i * size for i in range(groups)] + [len(values)]
    return [median(values[a:b]) for a, b in pairwise(bounds)]


def metrics(medians: Sequence[float], noise: float = 0.0) -> Metrics:
    """PCT and PDT of the medians when each may be off by `noise` s."""
    steps = [b - a for a, b in pairwise(medians)]
    pairs = len(steps)
    blur = 2.0 * noise
    surely = sum(1 for s in steps if s > blur)
    maybe = sum(1 for s in steps if s > -blur) if noise > 0.0 else surely
    rise = medians[-1] - medians[0]
    path = sum(abs(s) for s in steps)
    return Metrics(
        pct=(surely / pairs, maybe / pairs),
        pdt=_ratio_interval((rise - blur, rise + blur), (max(path - pairs * blur, 0.0), path + pairs * blur)),
        rise=(rise - blur, rise + blur),
    )


def _ratio_interval(num: tuple[float, float], den: tuple[float, float]) -> tuple[float, float]:
    """Bounds of num / den within [-1, 1]; a path of length zero has no trend (0)."""
    if den[1] == 0.0:
        return 0.0, 0.0
    low = num[0] / (den[1] if num[0] > 0.0 else den[0] or den[1] * 1e-9)
    high = num[1] / (den[1] if num[1] < 0.0 else den[0] or den[1] * 1e-9)
    return max(low, -1.0), min(high, 1.0)


def _says(interval: tuple[float, float], increasing: float, not_increasing: float) -> set[_Says]:
    low, high = interval
    out = set()
    if high > increasing:
        out.add(_Says.INCREASING)
    if low < not_increasing:
        out.add(_Says.NOT)
    if low <= increasing and high >= not_increasing:
        out.add(_Says.NEITHER)
    return out


def verdicts(rowd: Sequence[float], d1: float, noise: float = 0.0) -> set[Trend]:
    """All verdicts on `rowd` (s, in order of arrival) that errors up to `noise` s per value allow."""
    if len(rowd) < MIN_SAMPLES:
        return {Trend.UNKNOWN}
    m = metrics(group_medians(condense(rowd)), noise)
    out = set()
    for pct in _says(m.pct, PCT_INCREASING, PCT_NOT):
        for pdt in _says(m.pdt, PDT_INCREASING, PDT_NOT):
            for big in {m.rise[0] > d1 / 4.0, m.rise[1] > d1 / 4.0}:
                out.add(_combine({pct, pdt}, big))
    return out


def trend(rowd: Sequence[float], d1: float) -> Trend:
    """The verdict on exact values."""
    (only,) = verdicts(rowd, d1)
    return only


def _combine(says: set[_Says], big_rise: bool) -> Trend:
    if _Says.INCREASING in says and _Says.NOT not in says:
        return Trend.INCREASING if big_rise else Trend.NON_INCREASING
    if _Says.NOT in says and _Says.INCREASING not in says:
        return Trend.NON_INCREASING
    return Trend.UNKNOWN if big_rise else Trend.NON_INCREASING
