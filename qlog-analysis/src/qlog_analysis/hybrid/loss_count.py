"""Losses that chance explains: "Attempts to drain a queue" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

import math
from dataclasses import dataclass

DEVIATIONS = 2.0
"""Standard deviations of a count of losses that chance explains."""
SLACK = 1e-6
"""Rounding of B in the report."""


@dataclass(frozen=True, slots=True)
class LossCount:
    """Packets: losses that count, and what was acknowledged."""

    lost: int = 0
    acked: int = 0

    def __add__(self, more: LossCount) -> LossCount:
        return LossCount(self.lost + more.lost, self.acked + more.acked)

    def is_chance(self, background: float, slack: float) -> bool:
        """Whether no more was lost than with the share that always is; B may be off to the side that `slack` has."""
        share = max(background + (math.copysign(SLACK, slack) if slack else 0.0), 0.0)
        usual = share * (self.lost + self.acked)
        return self.lost <= usual + DEVIATIONS * math.sqrt(usual)


NO_LOSSES = LossCount()
