"""Whether start-up uses R: "Growth" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ..check.numbers import RELATIVE, TIME_TOLERANCE
from ..zones.limited import Limited
from .measured import HybridStep, Measured

FAR_BEYOND = 4.0
"""R puts so many times into L what was in flight, and an initial window, where it no longer counts as used."""


@dataclass(frozen=True, slots=True)
class Grown:
    """How R has grown in an epoch of start-up."""

    m: Measured
    limited: Limited

    @property
    def withheld(self) -> int | None:
        """The record of the first ACK that did not raise R."""
        return None if self.m.growing is None else self.m.growing.withheld

    @property
    def raised(self) -> int | None:
        """That of the last one that surely did."""
        return None if self.m.growing is None else self.m.growing.raised

    def may_be_unused(self, until: int) -> bool:
        """Whether R may have been far beyond its use at a feedback up to this record, as far as rounding leaves that
        open."""
        return any(
            (1.0 + RELATIVE) * step.rates[1] / 8.0 * (max(step.lengths) + TIME_TOLERANCE) >= self._most(step, 0)
            for step in self.m.steps
            if step.rates is not None and step.feedback.record <= until
        )

    def is_unused(self, until: int) -> bool:
        """Whether it surely was, with the R of before a feedback."""
        return any(
            (1.0 - RELATIVE) * before.rates[0] / 8.0 * (min(step.lengths) - TIME_TOLERANCE) >= self._most(step, 1)
            for before, step in pairwise(self.m.steps)
            if before.rates is not None and step.feedback.record <= until
        )

    def _most(self, step: HybridStep, end: int) -> float:
        """What R may put into L, bytes, where it still counts as used: at least (0) and at most (1)."""
        window = self.m.limits.initial_window * self.m.max_datagram_size
        return FAR_BEYOND * self.limited.most_in_flight(step.feedback)[end] + window
