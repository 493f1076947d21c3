"""T, the time that a full packet takes on the slowest link: "Rate update", `packet`, in docs/papers/hybrid.md."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..measure.sliding import CLASSES, Source
from ..model import TIME_RESOLUTION

ROW = 3
"""Full packets received in order that show a spacing."""
TOGETHER = 1.0 / 8.0
"""Of the time between departures: a packet that arrives in less comes together with the one before it."""
WEIGHT, BATCHES = 1.0 / 64.0, 0.25
"""Of each packet in the share of those that do, and the share beyond which they come in batches."""


def believed(transmission: float, length: float, source: Source) -> float:
    """T as it counts: L contains it, whatever the receiver says, and without receive times there is none."""
    return 0.0 if source is Source.ACK else min(transmission, length)


@dataclass(slots=True)
class TransmissionTime:
    """The estimate, from samples by receive times in the order in which they were taken."""

    smallest: float = 0.0
    """T in s; 0 while unknown."""
    is_dispersed: set[bool] = field(default_factory=lambda: {False})
    """Whether a row has arrived in more than twice the time in which it left, as far as rounding leaves that open."""
    _row: list[tuple[float, float]] = field(default_factory=list)
    """When each was received, and when it was sent."""
    _together: float = 0.0
    """The share of packets that come together with the one before."""

    def add(self, received: float, in_class: int, sent: float, *, restarts: bool = False) -> None:
        """`received` in s on the peer's clock, `sent` on the sender's; `restarts` if the former was set just before."""
        if restarts:
            self._row.clear()
        if in_class == CLASSES and self._row:
            self._look_for_batches(received - self._row[-1][0], sent - self._row[-1][1])
        if in_class != CLASSES or (self._row and received <= self._row[-1][0]):
            self._row.clear()
            return
        self._row.append((received, sent))
        if len(self._row) < ROW:
            return
        first = self._row.pop(0)
        if self._together > BATCHES:
            return
        arriving, leaving = received - first[0], sent - first[1]
        spacing = arriving / (ROW - 1)
        self.smallest = min(self.smallest or spacing, spacing)
        if self.is_dispersed != {True}:
            verdicts = {2.0 * (leaving + shift) < arriving for shift in (-TIME_RESOLUTION, TIME_RESOLUTION)}
            self.is_dispersed = verdicts if verdicts == {True} else self.is_dispersed | verdicts

    def _look_for_batches(self, came: float, left: float) -> None:
        self._together += (float(came < TOGETHER * left) - self._together) * WEIGHT
        if self._together > BATCHES:
            self.smallest, self.is_dispersed = 0.0, {False}
