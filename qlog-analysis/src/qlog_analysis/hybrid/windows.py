"""W as an interval, with what is known of J, G and a queue that stands."""

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
    jitters: tuple[float, float],
    ack_gaps: tuple[float, float],
    queues: tuple[float, float],
) -> Windows:
    """`jitters` are the least and the largest J, `ack_gaps` of G, `queues` the same of what stands."""
    size, p = m.max_datagram_size, m.limits.parameters
    ends = [
        law.window(rate * (1.0 + s * 1e-9), max(length + s * tolerance, 0.0), size, p, jitter, ack_gap, queue)
        for length in lengths
        for rate, jitter, ack_gap, queue, s in zip(rates, jitters, ack_gaps, queues, (-1.0, 1.0), strict=True)
    ]
    return Windows(min(ends), max(ends), size)
