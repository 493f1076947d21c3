"""Queueing delay over time: how long, for how much of the time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..metrics import Distribution, share_of_time_above
from ..metrics.observed import FEWEST_SAMPLES, Observed

VALID, VALID_ROUND_TRIPS = 0.05, 2.0
"""s and round trips: a sample tells of the queue for so long at most. What it is while nothing is sent is unknown."""
BOUNDS = (0.005, 0.02, 0.05, 0.1, 0.2)
"""s"""


@dataclass(frozen=True, slots=True)
class Delay:
    base_rtt: float
    """The smallest round trip, s."""
    rtt: Distribution
    over_time: Distribution
    """Over the time in which it is known."""
    known: float
    """Share of the time from the first sample to the end of the trace in which it is."""
    above: dict[float, float]
    """Share of the time with more queueing delay than so many seconds, for `BOUNDS`."""


def delay_of(o: Observed, rtt: Distribution) -> Delay | None:
    """None with too few samples to say anything. `rtt`: that of the samples."""
    s = o.samples
    if o.base_rtt is None or len(s) < FEWEST_SAMPLES:
        return None
    time, rowd = s.time, s.rowd
    valid = np.maximum(VALID_ROUND_TRIPS * s.rtt, VALID)
    shares = {b: share_of_time_above(time, rowd, b, valid) for b in BOUNDS}
    known = np.minimum(np.diff(np.append(time, o.end)), valid).sum()
    return Delay(
        base_rtt=o.base_rtt,
        rtt=rtt,
        over_time=Distribution.over_time(time, rowd, valid),
        known=float(known / max(o.end - time[0], 1e-9)),
        above={b: share for b, share in shares.items() if share is not None},
    )


def median_between(o: Observed, begin: float, end: float) -> float | None:
    """Of the queueing delays measured between, s."""
    first, last = o.samples.before(begin), o.samples.before(end)
    return float(np.median(o.samples.part(first, last).rowd)) if last > first else None
