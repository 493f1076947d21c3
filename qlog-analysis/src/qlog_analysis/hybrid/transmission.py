"""T, the time that a full packet takes on the slowest link: "Slowest link" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..measure.sliding import CLASSES, Source
from ..model import TIME_RESOLUTION

ROW = 3
"""Full packets received in order that show a spacing."""
TOGETHER = 1.0 / 8.0
"""Of the time in which three packets left: if they arrive in less, they come together."""
SPOILT = 8
"""Times T: jitter that is longer could have made it."""
AGREE_DIVISOR = 16
"""Spacings agree that exceed the smallest by no more than this part of it."""
AGREEING = 2
"""So many that agree are of a link, and not of jitter."""
BATCHES, BLOCK = 16, 64
"""If more than so many of so many rows come together, packets come in batches."""


def believed(transmission: float, length: float, jitter: float, source: Source) -> float:
    """T as it counts, of J as it is in the epoch: L contains it, whatever the receiver says; without receive timestamps
    there is none, and so much jitter could have made it."""
    counts = min(transmission, length)
    return 0.0 if source is Source.ACK or jitter > SPOILT * counts else counts


def agrees(spacing: float, smallest: float) -> bool:
    """Whether it is about as short. Both are halves of whole nanoseconds."""
    arriving, least = round((ROW - 1) * 1e9 * spacing), round((ROW - 1) * 1e9 * smallest)
    return arriving <= least + least // AGREE_DIVISOR


@dataclass(slots=True)
class TransmissionTime:
    """The estimate, from samples by receive timestamps in the order in which they were taken."""

    smallest: float = 0.0
    """T in s; 0 while unknown."""
    _agreeing: tuple[int, int] = (0, 0)
    """How many rows have arrived in more than twice the time in which they left and about as close to each other as
    any: those that certainly have, and those that may have."""
    is_shown: set[bool] = field(default_factory=lambda: {False})
    """Whether any has arrived in more than twice the time in which it left, as far as rounding leaves that open."""
    _row: list[tuple[float, float]] = field(default_factory=list)
    """When each was received, and when it was sent."""
    _block: list[bool] = field(default_factory=list)
    """Of each row of the block under way, whether it came together."""
    _in_batches: bool = False
    """Whether packets came in batches in the last block."""

    def add(self, received: float, in_class: int, sent: float, *, restarts: bool = False) -> None:
        """`received` in s on the peer's clock, `sent` on the sender's; `restarts` if the former was set just before."""
        if restarts:
            self._row.clear()
        if in_class != CLASSES or (self._row and received <= self._row[-1][0]):
            self._row.clear()
            return
        self._row.append((received, sent))
        if len(self._row) < ROW:
            return
        first = self._row.pop(0)
        arriving, leaving = received - first[0], sent - first[1]
        self._look_for_batches(arriving, leaving)
        if self._in_batches:
            return
        spacing = arriving / (ROW - 1)
        before, self.smallest = self.smallest or spacing, min(self.smallest or spacing, spacing)
        self._agree(before, spacing, arriving / 2.0 - leaving)

    def _agree(self, before: float, spacing: float, dispersed_by: float) -> None:
        """With the smallest spacing before, and half of the time in which a row has arrived less that in which it
        left."""
        if self.is_shown != {True}:
            verdicts = {dispersed_by > shift for shift in (TIME_RESOLUTION, -TIME_RESOLUTION)}
            self.is_shown = verdicts if verdicts == {True} else self.is_shown | verdicts
        certain, possible = self._agreeing if agrees(before, self.smallest) else (0, 0)
        if agrees(spacing, self.smallest):
            certain += dispersed_by > TIME_RESOLUTION
            possible += dispersed_by > -TIME_RESOLUTION
        self._agreeing = min(certain, AGREEING), min(possible, AGREEING)

    @property
    def is_dispersed(self) -> set[bool]:
        """Whether enough rows have agreed, as far as rounding leaves that open."""
        return {count == AGREEING for count in self._agreeing}

    def _look_for_batches(self, came: float, left: float) -> None:
        self._block.append(came < TOGETHER * left)
        if len(self._block) < BLOCK:
            return
        self._in_batches = sum(self._block) > BATCHES
        self._block.clear()
        if self._in_batches:
            self.smallest, self._agreeing, self.is_shown = 0.0, (0, 0), {False}
