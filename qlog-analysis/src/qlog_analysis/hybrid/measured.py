"""What is taken from the packets and ACKs of one epoch beyond what the paper takes."""

from __future__ import annotations

from dataclasses import dataclass

from ..measure.sliding import Source
from ..zones.limits import Limits
from ..zones.measured import Shown, Step
from .parameters import Parameters
from .spans import Spans
from .startup import GrowingRate
from .trains import TrainRates


@dataclass(slots=True)
class HybridStep(Step):
    rates: tuple[float, float] | None
    """R in start-up, before what the end of an epoch does to it; None where it is that of the epoch before."""


@dataclass(slots=True)
class Measured(Shown):
    """One epoch as packets and ACKs show it."""

    limits: Limits[Parameters]
    loss_reports: tuple[int, int]
    """Feedbacks that told of losses that count, at least and at most."""
    acks: int
    """Feedbacks that acknowledged packets."""
    arrived_bits: tuple[float, float]
    """What came back, at least and at most."""
    trains: list[TrainRates]
    """What its packet trains may show."""
    skews: list[float | None]
    """By how much the peer's clock may be taken to be fast, ppm; nothing where minima do not follow it."""
    transmission: float
    """T, s."""
    dispersed: set[bool]
    """Whether it is dispersed, as far as rounding leaves that open."""
    longest: list[float]
    """The longest recent queue, s; one per entry of `lengths`."""
    queues: set[bool]
    """Whether start-up has met a queue for long enough."""
    fills: set[bool]
    """Whether start-up has come to what the slowest link carries."""
    overlaps: set[bool]
    """Whether its end acknowledges a packet that was sent before it began, as far as rounding leaves that open."""
    shows_decrease: bool
    """Whether its end acknowledges the first packet sent after a decrease."""
    growing: GrowingRate | None
    """R at the end of an epoch of start-up, before the update."""
    steps: list[HybridStep]
    spans: dict[Source, Spans]
    longest_gap: float
    """The longest time in which nothing was acknowledged, s."""
    jitters: list[float]
    ack_jitters: list[float]
    """What J may be after it, unless the path was interrupted, s."""

    def least(self, source: Source) -> list[float]:
        """What the delay under the jitter may be by a source, s; nothing without samples."""
        return self.spans[source].least()
