"""W as an interval: what the tolerance of times leaves open."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Windows:
    """Whole packets between two bounds."""

    low: int
    high: int
    packet: int

    def __contains__(self, window: float) -> bool:
        return self.low <= window <= self.high and window % self.packet == 0

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"
