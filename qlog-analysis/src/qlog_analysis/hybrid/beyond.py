"""Losses of a rate that the path has not been found to carry, which are excessive sooner than others."""

from __future__ import annotations

from dataclasses import dataclass

from .loss_count import NO_LOSSES, LossCount

LEAST_LOSSES = 4
"""Without so many losses nothing is excessive."""
LEAST_REPORTS = 8
"""Nor where fewer feedbacks told of them: those are a burst or two."""
MOST = 1 << 10
"""Packets: more are scaled down to half of so many."""


@dataclass(slots=True)
class LossesBeyond:
    """Those of the epochs since the last decrease in which R was beyond C, which are none of start-up."""

    losses: LossCount = NO_LOSSES
    reports: int = 0
    """Feedbacks that told of the losses."""

    def add(self, losses: LossCount, reports: int) -> None:
        """Takes in those of such an epoch."""
        self.losses, self.reports = self.losses + losses, self.reports + reports
        if self.losses.packets > MOST:
            self.reports = self.reports * (MOST // 2) // self.losses.packets
            self.losses = self.losses.within(MOST)

    def are_excessive(self, share: float, usual: LossCount, slack: float = 0.0) -> bool:
        """Whether they are more than `share` of the packets, and more than chance makes of the `usual` ones. Losses
        come in bursts, and vary by the square of how many a feedback told of. Rounding may be to the side that `slack`
        has."""
        lost = self.losses.lost
        if lost < LEAST_LOSSES or self.reports < LEAST_REPORTS or lost <= share * self.losses.packets:
            return False
        return not self.losses.is_usual(usual, slack, burst=max(1.0, lost / self.reports) ** 2)
