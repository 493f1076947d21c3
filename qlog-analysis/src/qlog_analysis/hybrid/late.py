"""Whether epochs are overwhelmed: the packets lost and acknowledged of late, since the last decrease."""

from __future__ import annotations

from dataclasses import dataclass

from .parameters import Parameters

LEAST_LOSSES = 4
"""Without so many losses nothing is overwhelmed."""
MANY, KEPT = 128, 64
"""Packets with which an epoch begins that are too many, and to how many they are scaled down."""


@dataclass(slots=True)
class LatePackets:
    """Packets of the epochs since the last decrease."""

    lost: int = 0
    acked: int = 0

    def end_epoch(self, lost: int, acked: int, p: Parameters) -> bool:
        """Takes an epoch in; whether it is overwhelmed (DEVIATION: the paper ignores any loss without delay)."""
        total = self.lost + self.acked
        if total >= MANY:
            self.lost = self.lost * KEPT // total
            self.acked = KEPT - self.lost
        self.lost += lost
        self.acked += acked
        return self.lost >= LEAST_LOSSES and self.lost > p.losscap * (self.lost + self.acked)

    def forget(self) -> None:
        """There was a decrease."""
        self.lost = self.acked = 0
