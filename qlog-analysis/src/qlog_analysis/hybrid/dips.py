"""Paths whose capacity varies: "Delivery rate" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

from typing import NamedTuple

from .constants import BELIEVED
from .mechanism import Mechanism
from .parameters import Parameters

EPOCHS = 8
"""Whose arrivals are compared."""
USUAL_PACKETS = 4.0
STALLS = 1.5
"""Times the time of so many packets, L and the queue, or G, after which the path has stalled."""
LEAST_DIP = 1e-6
"""The share by which less arrives at a dip at least: whole packets are often exactly `BELIEVED` of what arrived
before."""
WEIGHT = 1.0 / 8.0
PERIODS = 12.0
"""Of growth, with which the increase begins where every decrease is at a dip."""


class Dips(NamedTuple):
    """What arrived recently, and how often decreases were at dips."""

    recent: tuple[float, ...] = ()
    """A of the last epochs, bit/s."""
    variability: float = 0.0
    """V."""
    queue: float = 0.0
    """delta of the last epoch that had samples, s."""

    def add(self, delivery_rate: float) -> Dips:
        return self._replace(recent=(*self.recent, delivery_rate)[-EPOCHS:])

    def believed(self, p: Parameters) -> float:
        """What the path is taken to carry although less arrives, bit/s."""
        return BELIEVED * max(self.recent, default=0.0) if p.has(Mechanism.DIPS) else 0.0

    def learn(self, dipped: bool) -> Dips:
        return self._replace(variability=self.variability + WEIGHT * ((1.0 if dipped else 0.0) - self.variability))

    def head_start(self, period: float) -> float:
        """u after a decrease where growth has this period, s."""
        return PERIODS * self.variability * period

    def usual(self, length: float, rate: float, packet_bytes: int, ack_gap: float) -> float:
        """How long it takes at most, as a rule, until something comes back, s."""
        return max(length + self.queue, USUAL_PACKETS * 8.0 * packet_bytes / max(rate, 1.0), ack_gap)


def is_dip(delivery_rate: float, believed: float) -> bool:
    """Whether less arrived than the path is taken to carry."""
    return delivery_rate < believed * (1.0 - LEAST_DIP)


def stalls(duration: float, usual: float, p: Parameters) -> bool:
    """Whether what had been sent before the epoch came back so late that the path must have stalled."""
    return p.has(Mechanism.DIPS) and duration > STALLS * usual
