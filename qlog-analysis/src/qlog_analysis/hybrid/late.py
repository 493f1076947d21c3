"""Whether losses are excessive: the packets lost and acknowledged since the last decrease, at most so many."""

from __future__ import annotations

from dataclasses import dataclass, field

from .beyond import LEAST_LOSSES, LEAST_REPORTS, LossesBeyond

MANY, KEPT = 128, 64
"""Packets with which an epoch begins that are too many, and to how many they are scaled down."""
MANY_ACKS, KEPT_ACKS = 2 * LEAST_REPORTS, LEAST_REPORTS
"""Likewise feedbacks that acknowledged packets: both have to be too many, and of both no fewer are kept."""


@dataclass(slots=True)
class LatePackets:
    """Packets of the epochs since the last decrease."""

    lost: int = 0
    acked: int = 0
    acks: int = 0
    """Feedbacks that acknowledged packets."""
    reports: int = 0
    """Feedbacks that told of the losses."""
    exceeded_before: bool = False
    """Whether too many were lost after the last epoch with samples."""
    beyond: LossesBeyond = field(default_factory=LossesBeyond)
    """Those of them that were lost of a rate that the path has not been found to carry."""

    def add(self, lost: int, acked: int, acks: int, reports: int) -> None:
        """Takes in those of an epoch, and how many feedbacks acknowledged packets and told of losses."""
        total = self.lost + self.acked
        if total >= MANY and self.acks >= MANY_ACKS:
            kept = max(KEPT, total * KEPT_ACKS // self.acks)
            self.lost = self.lost * kept // total
            self.acked = kept - self.lost
            self.acks, self.reports = self.acks * kept // total, self.reports * kept // total
        self.lost += lost
        self.acked += acked
        self.acks += acks
        self.reports += reports

    def are_excessive(self, share: float, *, competes: bool) -> bool:
        """At the end of an epoch with samples, whether losses are excessive: more than `share` of the recent packets
        (DEVIATION: the paper ignores any loss without delay). A flow that competes waits for a second such epoch."""
        exceeds = self.lost >= LEAST_LOSSES and self.lost > share * (self.lost + self.acked)
        before, self.exceeded_before = self.exceeded_before, exceeds
        return exceeds and self.reports >= LEAST_REPORTS and (before or not competes)

    def forget(self) -> None:
        """There was a decrease."""
        self.lost = self.acked = self.acks = self.reports = 0
        self.beyond = LossesBeyond()
