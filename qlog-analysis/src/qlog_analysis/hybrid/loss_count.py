"""Losses without a queue, and losses that chance explains: "Losses" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

import math
from dataclasses import dataclass

DEVIATIONS = 2.0
"""Standard deviations of a count of losses that chance explains."""
SLACK = 1e-9
"""Rounding of a deviation, as a part of it."""
WEIGHT = 1.0 / 8.0
"""Of an epoch, in B."""
LEAST_KNOWN = 1 << 10
"""Packets: before so many are known, those that are not were not lost."""
MOST_KNOWN = 1 << 14
"""More than so many are scaled down to half."""


@dataclass(frozen=True, slots=True)
class LossCount:
    """Packets: losses that count, and what was acknowledged."""

    lost: int = 0
    acked: int = 0

    def __add__(self, more: LossCount) -> LossCount:
        return LossCount(self.lost + more.lost, self.acked + more.acked)

    @property
    def packets(self) -> int:
        return self.lost + self.acked

    def is_usual(self, usual: LossCount, slack: float, burst: float = 1.0) -> bool:
        """Whether chance explains that so many more were lost than of the `usual`, if so many are lost at a time;
        rounding may be to the side that `slack` has."""
        part = self.packets / max(self.packets + usual.packets, 1)
        mean = part * (self.lost + usual.lost)
        return self._is_within(mean, mean * (1.0 - part) * burst, slack)

    def is_chance(self, share: float, slack: float) -> bool:
        """Whether no more was lost than if this share always is."""
        return self._is_within(share * self.packets, share * self.packets, slack)

    def _is_within(self, mean: float, variance: float, slack: float) -> bool:
        most = mean + DEVIATIONS * math.sqrt(variance)
        return self.lost <= most + (math.copysign(SLACK, slack) * most if slack else 0.0)

    def within(self, most: int) -> LossCount:
        """The same, scaled down to half of so many packets if it is of more."""
        if self.packets <= most:
            return self
        kept = most // 2
        lost = self.lost * kept // self.packets
        return LossCount(lost, kept - lost)


NO_LOSSES = LossCount()
NOTHING_KNOWN = LossCount(0, LEAST_KNOWN)
"""Of the losses without a queue, before the first epoch."""


@dataclass(frozen=True, slots=True)
class Background:
    """Losses without a queue."""

    share: float = 0.0
    """B."""
    count: LossCount = NOTHING_KNOWN

    def learn(self, losses: LossCount) -> Background:
        """With those of an epoch with hardly a queue."""
        share = self.share + WEIGHT * (losses.lost / max(losses.packets, 1) - self.share)
        return Background(share, (self.count + losses).within(MOST_KNOWN))
