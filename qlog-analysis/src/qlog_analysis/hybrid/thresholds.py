"""What the queueing delay of an epoch is held against: d0 to d3, d_full, and the end of start-up."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ..measure.window_min import SlidingMinimum
from .constants import FULL_SHARE, INSISTED
from .mechanism import Mechanism
from .parameters import Parameters

LEAST_D1 = 0.2e-3
USUAL_D1 = 12e-3
LARGEST_D1 = 100e-3
"""s. Bounds of a d1 that follows the flow; the second gives way to a packet at its rate."""

D0_OF_D1, D2_OF_D1, D3_OF_D1 = 1.0 / 8.0, 2.0, 4.0
SHORT_OF_D1 = 0.5
"""A queue has drained where it is no longer than so much of d1, and start-up goes on."""
LEAST_FULL = 0.25
"""d_full in d1."""
TRAIN_QUEUE = 1.5
"""The queue, in T, that three packets make which leave together."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """In s."""

    d0: float
    d1: float
    d2: float
    d3: float

    @property
    def short(self) -> float:
        """Up to here a queue has drained."""
        return SHORT_OF_D1 * self.d1


def thresholds(rate: float, packet_bytes: int, p: Parameters) -> Thresholds:
    """Those of a flow that sends at `rate` bit/s: "Thresholds that follow the flow"."""
    d1 = p.target_delay
    if d1 is None:
        per_packet = 8.0 * packet_bytes / rate if rate > 0.0 else math.inf  # a trace may claim an R of 0
        d1 = min(max(p.target_packets * per_packet, LEAST_D1), max(USUAL_D1, per_packet), LARGEST_D1)
    return Thresholds(D0_OF_D1 * d1, d1, D2_OF_D1 * d1, D3_OF_D1 * d1)


def full_delay(d1: float, longest: float, p: Parameters) -> float:
    """d_full: the delay beyond which a loss is one of a full queue; `longest` is the longest recent queue, s."""
    return min(max(FULL_SHARE * longest, LEAST_FULL * d1), d1) if p.has(Mechanism.FULL_BUFFER) else d1


def startup_end(rate: float, length: float, transmission: float, packet_bytes: int, p: Parameters) -> float:
    """The queueing delay above which start-up meets a queue, s; `transmission` is T as it counts, 0 while unknown."""
    end = max(thresholds(rate, packet_bytes, p).short, TRAIN_QUEUE * transmission)
    if p.has(Mechanism.INSIST) and insists(rate, transmission, packet_bytes):
        end = max(end, INSISTED * length)
    return end


def insists(rate: float, transmission: float, packet_bytes: int) -> bool:
    """Whether the flow sends less than half of what the slowest link can carry, as far as that is known."""
    return 0.0 < rate * 2.0 * transmission < 8.0 * packet_bytes


@dataclass(slots=True)
class LongestQueue:
    """The longest recent queue: the maximum of delta over the epochs whose ends lie in the sliding window."""

    window: float
    origin: float
    _smallest: SlidingMinimum = field(init=False)

    def __post_init__(self) -> None:
        self._smallest = SlidingMinimum(self.window, self.origin)

    def end_epoch(self, now: float, delta: float | None) -> float:
        """The maximum with the delay of an epoch; one without samples changes nothing.
        Infinite before the first."""
        if delta is not None:
            self._smallest.insert(now, -delta)
        smallest = self._smallest.get()
        return math.inf if smallest is None else -smallest
