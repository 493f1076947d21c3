"""R in start-up, where every ACK raises it: "Start-up" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from ..check.numbers import RELATIVE, REPORT_ROUNDING, TIME_TOLERANCE
from ..zones.rate import MAX_RATE
from ..zones.surroundings import PACING_ROUNDING
from .mechanism import Mechanism
from .parameters import Parameters

LASTS = 0.25
"""In L: a queue that start-up meets for so long, and G, ends it."""


def increase(acked_bytes: float, length: float, p: Parameters) -> float:
    """What an ACK adds to R in start-up, bit/s."""
    return (p.startup_gain - 1.0) * 8.0 * acked_bytes / length


def link_rate(packet_bytes: float, transmission: float, p: Parameters) -> float:
    """R with which start-up fills the slowest link, where T is known from packets that left closer together than they
    arrived, bit/s."""
    known = p.has(Mechanism.LINK_RATE) and transmission > 0.0
    return 8.0 * packet_bytes / transmission if known else math.inf


@dataclass(frozen=True, slots=True)
class Told:
    """What the trace says of R after an ACK, bit/s."""

    rate: float
    slack: float

    @staticmethod
    def by_pacing(written: float) -> Told | None:
        """From the pacing rate that quiche wrote, in bit/s, if it did."""
        return Told(written, PACING_ROUNDING + RELATIVE * written) if written > 0.0 else None

    @staticmethod
    def by_report(rate: float) -> Told:
        return Told(rate, RELATIVE * rate + REPORT_ROUNDING)


@dataclass(frozen=True, slots=True)
class Bound:
    """What the slowest link carries, bit/s, at least and at most: R does not go beyond it in start-up."""

    low: float
    high: float
    known: set[bool]
    """Whether it is, as far as rounding leaves that open."""

    def hold(self, low: float, high: float) -> tuple[float, float]:
        """R between these, held."""
        if True in self.known:
            low = min(low, self.low)
        return low, high if False in self.known else min(high, self.high)

    def filled(self, low: float, high: float) -> set[bool]:
        """Whether R, between these, is what it carries."""
        return {known and fills for known in self.known for fills in (low >= self.high, high >= self.low)}


class Ack(NamedTuple):
    """What raises R."""

    record: int
    acked_bytes: int


@dataclass(slots=True)
class GrowingRate:
    """R, as the interval that rounding leaves open. Whether the application limits an epoch, which ends the growth
    until the epoch is over, the packets do not tell; it is read off what the controller did."""

    low: float
    high: float
    withheld: int | None = None
    """The record of the first ACK of this epoch that did not raise R."""
    raised: int | None = None
    """That of the last one that surely did."""
    fills: set[bool] = field(default_factory=lambda: {False})
    """Whether R is what the slowest link carries."""

    def on_ack(self, ack: Ack, lengths: tuple[float, ...], told: Told | None, p: Parameters, bound: Bound) -> None:
        if self.withheld is None:
            self._grow(ack, lengths, told, p, bound)
        self.fills = bound.filled(self.low, self.high)

    def _grow(self, ack: Ack, lengths: tuple[float, ...], told: Told | None, p: Parameters, bound: Bound) -> None:
        ends = [max(x + shift, 1e-9) for x in lengths for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)]
        low = min(self.low + increase(ack.acked_bytes, max(ends), p), MAX_RATE)
        high = min(self.high + increase(ack.acked_bytes, min(ends), p), MAX_RATE)
        low, high = bound.hold(low, high)
        stays = told is None or self._allows(self.low, self.high, told)
        grows = told is None or self._allows(low, high, told) or not stays
        if not grows:
            self.withheld = ack.record
        elif told is not None and told.rate > self.high + told.slack:
            self.raised = ack.record
        if grows:
            self.low, self.high = (min(self.low, low) if stays else low), high

    @staticmethod
    def _allows(low: float, high: float, told: Told) -> bool:
        return low - told.slack <= told.rate <= high + told.slack

    def next_epoch(self, rate: float) -> None:
        self.low = self.high = rate
        self.withheld = self.raised = None


@dataclass(slots=True)
class QueueMet:
    """Since when start-up has met a queue, as far as rounding leaves that open."""

    first: float | None = None
    """The earliest time that it may be; None if it surely meets none."""
    last: float | None = None
    """The latest."""
    perhaps_none: bool = True

    def see(self, now: float, verdicts: set[bool]) -> None:
        """The last sample of a feedback has met a queue, or not."""
        if verdicts == {False}:
            self.first = self.last = None
            self.perhaps_none = True
            return
        if self.perhaps_none:
            self.first = now if self.first is None else self.first
            self.last = now
        self.perhaps_none = False in verdicts

    def lasts(self, now: float, lengths: tuple[float, ...], ack_gap: float = 0.0) -> set[bool]:
        """Whether it has been met for a quarter of L, and `ack_gap`, s."""
        verdicts = set()
        if self.first is not None and now - self.first >= LASTS * min(lengths) + ack_gap - TIME_TOLERANCE:
            verdicts.add(True)
        if self.perhaps_none or self.last is None or now - self.last < LASTS * max(lengths) + ack_gap + TIME_TOLERANCE:
            verdicts.add(False)
        return verdicts
