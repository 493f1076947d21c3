"""Samples of a figure in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Distribution:
    """In the unit that the name of the figure has."""

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
        p50, p95 = np.percentile(values, (50, 95))
        return cls(len(values), float(values.min()), float(values.mean()), float(p50), float(p95), float(values.max()))

    @classmethod
    def over_time(cls, time: Floats, seconds: Floats, valid: Floats | None = None) -> Distribution:
        """In ms. Each value weighs as long as it is the newest, and no longer than it is `valid` (s); the last does not
        weigh."""
        if len(seconds) < 2 or time[-1] <= time[0]:
            return cls(0)
        ms = seconds[:-1] * 1e3
        order = np.argsort(ms, kind="stable").astype(np.uint32 if len(ms) < 1 << 32 else np.int64)
        weight = _weights(time, valid)
        least, mean, most = float(ms.min()), float(np.average(ms, weights=weight)), float(ms.max())
        del ms  # columns of a long trace are what takes the memory: few are there at a time
        share = weight[order]
        np.cumsum(share, out=share)
        share /= weight.sum()
        p50, p95 = (
            float(seconds[order[min(int(np.searchsorted(share, q)), len(share) - 1)]] * 1e3) for q in (0.5, 0.95)
        )
        return cls(len(share), least, mean, p50, p95, most)


def _weights(time: Floats, valid: Floats | None) -> Floats:
    gaps = np.diff(time)
    return gaps if valid is None else np.minimum(gaps, valid[:-1])


def share_of_time_above(time: Floats, seconds: Floats, bound: float, valid: Floats | None = None) -> float | None:
    """Of the time in which `over_time` weighs; None where it has no samples."""
    if len(seconds) < 2 or time[-1] <= time[0]:
        return None
    weight = _weights(time, valid)
    return float(weight[seconds[:-1] > bound].sum() / weight.sum())
