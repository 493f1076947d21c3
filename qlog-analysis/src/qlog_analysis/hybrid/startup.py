"""R in start-up, where every ACK raises it: "Start-up" in docs/papers/hybrid.md."""

from __future__ import annotations

from dataclasses import dataclass

from ..check.numbers import RELATIVE, REPORT_ROUNDING, TIME_TOLERANCE
from . import law
from .parameters import MAX_RATE, Parameters

PACING_ROUNDING = 8.0
"""bit/s. quiche writes pacing rates in whole bytes per second."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the trace says of R after an ACK, bit/s."""

    rate: float
    slack: float

    @staticmethod
    def by_pacing(written: float, gamma: float) -> Told | None:
        """From the pacing rate that quiche wrote, in bit/s, if it paces."""
        return (
            Told(written * gamma, gamma * (PACING_ROUNDING + RELATIVE * written))
            if gamma > 0.0 and written > 0.0
            else None
        )

    @staticmethod
    def by_report(rate: float) -> Told:
        return Told(rate, RELATIVE * rate + REPORT_ROUNDING)


@dataclass(slots=True)
class GrowingRate:
    """R, as the interval that rounding leaves open. Whether the application limits an epoch, which ends the growth
    until the epoch is over, the packets do not tell; it is read off what the controller did."""

    low: float
    high: float
    withheld: bool = False
    """Whether an ACK of this epoch did not raise R."""

    def on_ack(self, acked_bytes: int, lengths: tuple[float, ...], told: Told | None, p: Parameters) -> None:
        if acked_bytes == 0 or self.withheld:
            return
        ends = [max(x + shift, 1e-9) for x in lengths for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)]
        low = min(self.low + law.startup_increase(acked_bytes, max(ends), p), MAX_RATE)
        high = min(self.high + law.startup_increase(acked_bytes, min(ends), p), MAX_RATE)
        stays = told is None or self._allows(self.low, self.high, told)
        grows = told is None or self._allows(low, high, told) or not stays
        self.withheld = not grows
        if grows:
            self.low, self.high = (self.low if stays else low), high

    @staticmethod
    def _allows(low: float, high: float, told: Told) -> bool:
        return low - told.slack <= told.rate <= high + told.slack

    def next_epoch(self, rate: float) -> None:
        self.low = self.high = rate
        self.withheld = False
