"""What the checker says of a hybrid sender: also of its start-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..zones.verdict import EpochRow, ZonesVerdict
from .state import State


@dataclass(frozen=True, slots=True)
class HybridRow(EpochRow):
    """One epoch, with what goes beyond zones."""

    state: str
    delivery_rate_bps: float
    return_rate_bps: float | None


@dataclass(slots=True)
class HybridVerdict(ZonesVerdict):
    @property
    def starting(self) -> int:
        """Epochs in start-up."""
        return sum(isinstance(e, HybridRow) and e.state == State.STARTUP for e in self.epochs)

    def counted(self) -> str:
        return f"{ZonesVerdict.counted(self)}, {self.starting} in start-up"

    def details(self) -> dict[str, Any]:
        return {"epochs_in_startup": self.starting, **ZonesVerdict.details(self)}
