"""W as an interval: what the tolerance of times leaves open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from . import law
from .measured import Measured


@dataclass(frozen=True, slots=True)
class Windows:
    """Whole packets between two bounds."""

    low: int
    high: int
    packet: int

    def __contains__(self, window: float) -> bool:
        return self.low <= window <= self.high and window % self.packet == 0

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


def windows(
    rates: tuple[float, float],
    lengths: Iterable[float],
    transmission: float,
    tolerance: float,
    m: Measured,
    noises: tuple[float, float],
    gaps: tuple[float, float],
    queues: tuple[float, float],
) -> Windows:
    """`noises` are the least and the largest N, `gaps` of G, `queues` the same of what stands."""
    size, p = m.limits.max_datagram_size, m.limits.parameters
    ends = [
        law.window(rate * (1.0 + s * 1e-9), max(length + s * tolerance, 0.0), size, p, transmission, noise, gap, queue)
        for length in lengths
        for rate, noise, gap, queue, s in zip(rates, noises, gaps, queues, (-1.0, 1.0), strict=True)
    ]
    return Windows(min(ends), max(ends), size)
