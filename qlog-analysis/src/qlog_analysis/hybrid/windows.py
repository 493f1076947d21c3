"""W as an interval, with what is known of N, G and a queue that stands."""

from __future__ import annotations

from collections.abc import Iterable

from ..zones.windows import Windows
from . import law
from .measured import Measured


def windows(
    rates: tuple[float, float],
    lengths: Iterable[float],
    tolerance: float,
    m: Measured,
    noises: tuple[float, float],
    gaps: tuple[float, float],
    queues: tuple[float, float],
) -> Windows:
    """`noises` are the least and the largest N, `gaps` of G, `queues` the same of what stands."""
    size, p = m.max_datagram_size, m.limits.parameters
    ends = [
        law.window(rate * (1.0 + s * 1e-9), max(length + s * tolerance, 0.0), size, p, noise, gap, queue)
        for length in lengths
        for rate, noise, gap, queue, s in zip(rates, noises, gaps, queues, (-1.0, 1.0), strict=True)
    ]
    return Windows(min(ends), max(ends), size)
