"""ACKs that come together: "Delivery rate" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import TIME_RESOLUTION

COMPRESSION = 8.0
"""ACKs come together if their packets left so many times as far apart."""
TOLERANCE = (COMPRESSION + 1.0) * TIME_RESOLUTION
"""s. Both times between ACKs and between packets are differences of truncated ones."""


@dataclass(slots=True)
class Batch:
    """What the batch of the latest ACK has acknowledged, in bytes: at least and at most, where the times of a trace
    leave open what came together."""

    least: int = 0
    most: int = 0
    _surely_alone: bool = True
    _perhaps_alone: bool = True
    _came: float = 0.0
    _left: float = 0.0

    def record(self, came: float, left: float, acked: int) -> None:
        """An ACK that came then acknowledges so many bytes, the newest packet of which left then."""
        slack = max(left - self._left, 0.0) - COMPRESSION * (came - self._came)
        self._surely_alone, self._perhaps_alone = slack < -TOLERANCE, slack < TOLERANCE
        self.least = acked if self._perhaps_alone else self.least + acked
        self.most = acked if self._surely_alone else self.most + acked
        self._came, self._left = came, left

    def cut(self, *, acks: bool) -> tuple[int, int]:
        """An epoch ends with the latest ACK, or, if none `acks`, with something else. What of the batch belongs to the
        next epoch, at least and at most: all of it, unless that ACK is the first."""
        if not acks or self._perhaps_alone:
            self.least = 0
        if not acks or self._surely_alone:
            self.most = 0
        return self.least, self.most
