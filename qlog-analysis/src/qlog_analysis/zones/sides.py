"""The report of an epoch and what the packets show, side by side, with what is found when they are compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from ..check.numbers import RELATIVE, REPORT_ROUNDING, close
from ..check.verdict import Finding
from ..events import ZoneEpoch
from ..model import Update
from .measured import Shown

R = TypeVar("R", bound=ZoneEpoch)
M = TypeVar("M", bound=Shown)


class Sides(Generic[R, M]):
    """`previous` is the report of the epoch before."""

    def __init__(self, event: Update[R], measured: M, previous: R | None) -> None:
        self.event = event
        self.r = event.data
        self.m = measured
        self.previous = previous
        self.duration = measured.duration
        self.findings: list[Finding] = []

    def find(self, law: str, message: str) -> None:
        self.findings.append(Finding(self.r.epoch, self.event.time, law, message))

    def lengths(self) -> list[float]:
        """Values that L may have in the epoch."""
        return [self.r.length / 1e3]

    def nearest_delta(self) -> float | None:
        """Of what the packets leave open, the delta nearest to the reported one, s."""
        reported = self.r.delta or 0.0
        return min(self.m.deltas, key=lambda d: abs(d * 1e3 - reported), default=None)

    def rate_after(self, rates: Sequence[float], source: str) -> None:
        """R after the update against the values that `source` leads to."""
        reported, nearest = self.r.rate_after, _outside(self.r.rate_after, rates)
        if nearest is not None:
            apart = f"{reported - nearest:+.1f} apart"
            self.find("rate", f"R after is {reported:.1f} bit/s, {source} {nearest:.1f} bit/s, {apart}")

    def rate_before(self, rates: Sequence[float], source: str) -> None:
        """R before it, likewise."""
        nearest = _outside(self.r.rate_before, rates)
        if nearest is not None:
            self.find("rate", f"R before is {self.r.rate_before:.1f} bit/s, {source} {nearest:.1f}")


def allows(reported: float | None, allowed: Iterable[float | None]) -> bool:
    """`allowed` are values at both ends and in the middle of what rounding leaves open; any between will do."""
    allowed = list(allowed)
    numbers = [a for a in allowed if a is not None]
    if reported is None:
        return None in allowed
    if not numbers:
        return False
    low, high = min(numbers), max(numbers)
    return low <= reported <= high or close(reported, low) or close(reported, high)


def _outside(reported: float, rates: Sequence[float]) -> float | None:
    """The nearest of these, if the reported rate is not among them."""
    low, high = min(rates), max(rates)
    slack = RELATIVE * high + REPORT_ROUNDING
    if low - slack <= reported <= high + slack:
        return None
    return low if reported < low else high
