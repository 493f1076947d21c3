"""Whether losses are excessive: the packets lost and acknowledged since the last decrease, at most so many."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_LOSSES = 4
"""Without so many losses nothing is excessive."""
LEAST_REPORTS = 8
"""Nor where fewer feedbacks told of them: those are a burst or two."""
MANY, KEPT = 128, 64
"""Packets with which an epoch begins that are too many, and to how many they are scaled down."""


@dataclass(slots=True)
class LatePackets:
    """Packets of the epochs since the last decrease."""

    lost: int = 0
    acked: int = 0
    reports: int = 0
    """Feedbacks that told of the losses."""
    exceeded_before: bool = False
    """Whether too many were lost after the last epoch with samples."""

    def add(self, lost: int, acked: int, reports: int) -> None:
        """Takes in those of an epoch, and how many feedbacks told of its losses."""
        total = self.lost + self.acked
        if total >= MANY:
            self.lost, self.reports = self.lost * KEPT // total, self.reports * KEPT // total
            self.acked = KEPT - self.lost
        self.lost += lost
        self.acked += acked
        self.reports += reports

    def are_excessive(self, share: float, *, competes: bool) -> bool:
        """At the end of an epoch with samples, whether losses are excessive: more than `share` of the recent packets
        (DEVIATION: the paper ignores any loss without delay). A flow that competes waits for a second such epoch."""
        exceeds = self.lost >= LEAST_LOSSES and self.lost > share * (self.lost + self.acked)
        before, self.exceeded_before = self.exceeded_before, exceeds
        return exceeds and self.reports >= LEAST_REPORTS and (before or not competes)

    def forget(self) -> None:
        """There was a decrease."""
        self.lost = self.acked = self.reports = 0
