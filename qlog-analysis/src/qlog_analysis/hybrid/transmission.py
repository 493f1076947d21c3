"""T, the time that a full packet takes on the slowest link: "Rate update", `packet`, in docs/papers/hybrid.md."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..measure.sliding import CLASSES, Source

ROW = 3
"""Full packets received in order that show a spacing."""


def believed(transmission: float, length: float, source: Source) -> float:
    """T as it counts: L contains it, whatever the receiver says, and without receive times there is none."""
    return 0.0 if source is Source.ACK else min(transmission, length)


@dataclass(slots=True)
class TransmissionTime:
    """The estimate, from samples by receive times in the order in which they were taken."""

    smallest: float = 0.0
    """T in s; 0 while unknown."""
    _row: list[float] = field(default_factory=list)

    def add(self, received: float, in_class: int, *, restarts: bool = False) -> None:
        """`received` in s on the peer's clock, `restarts` if that clock was set just before."""
        if restarts:
            self._row.clear()
        if in_class != CLASSES or (self._row and received <= self._row[-1]):
            self._row.clear()
            return
        self._row.append(received)
        if len(self._row) < ROW:
            return
        spacing = (self._row[-1] - self._row.pop(0)) / (ROW - 1)
        self.smallest = min(self.smallest or spacing, spacing)
