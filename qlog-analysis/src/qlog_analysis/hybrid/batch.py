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
    """What ACKs of the batch of the latest one acknowledged before it, in bytes: at least and at most, where the times
    of a trace leave open what came together."""

    least: int = 0
    most: int = 0
    _newest: int = 0
    _came: float = 0.0
    _left: float = 0.0

    def record(self, came: float, left: float, acked: int) -> None:
        """An ACK that came then acknowledges so many bytes, the newest packet of which left then."""
        slack = max(left - self._left, 0.0) - COMPRESSION * (came - self._came)
        self.least = self.least + self._newest if slack >= TOLERANCE else 0
        self.most = self.most + self._newest if slack >= -TOLERANCE else 0
        self._newest, self._came, self._left = acked, came, left

    def cut(self, *, acks: bool) -> tuple[int, int]:
        """An epoch ends with the latest ACK, or, if none `acks`, with something else. What of the batch belongs to the
        next epoch, at least and at most: what came before that ACK."""
        if not acks:
            self.least = self.most = 0
        self._newest = 0
        return self.least, self.most
