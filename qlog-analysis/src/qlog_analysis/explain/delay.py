"""Queueing delay over time: how long, for how much of the time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..metrics import Distribution
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
    time, above = 0.0, dict.fromkeys(BOUNDS, 0.0)
    for rowd, lasted in s.over_time(_valid):
        time += float(lasted.sum())
        for bound in BOUNDS:
            above[bound] += float(lasted[rowd > bound].sum())
    last = s.part(len(s) - 1, len(s))
    first = float(s.part(0, 1).time[0])
    known = time + min(o.end - float(last.time[0]), float(_valid(last.rtt)[0]))
    return Delay(
        base_rtt=o.base_rtt,
        rtt=rtt,
        over_time=Distribution.over_time(lambda: ((rowd * 1e3, lasted) for rowd, lasted in s.over_time(_valid))),
        known=known / max(o.end - first, 1e-9),
        above={bound: share / time for bound, share in above.items()} if time > 0.0 else {},
    )


def _valid(rtt: Floats) -> Floats:
    return np.maximum(VALID_ROUND_TRIPS * rtt, VALID)


def median_between(o: Observed, begin: float, end: float) -> float | None:
    """Of the queueing delays measured between, s. None where the trace has too few, as in `delay_of`."""
    if len(o.samples) < FEWEST_SAMPLES:
        return None
    first, last = o.samples.before(begin), o.samples.before(end)
    return Distribution.of_parts(lambda: (some.rowd for some in o.samples.parts(first, last))).p50
