"""Whether receive timestamps can be believed: "Checks of receive timestamps" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

SLACK = 5e-3
STEP_SAMPLES = 3
MAX_STEPS = 8
HIDDEN = 10e-3
MAX_CONTRADICTIONS = 3.0
MIN_LOSS_SHARE = 0.02
DECAY = 7.0 / 8.0


class Plausibility(Enum):
    """What one sample is worth."""

    PLAUSIBLE = "plausible"
    IMPLAUSIBLE = "implausible"
    CLOCK_STEP = "clock step"


@dataclass(slots=True)
class Trust:
    """The standing of a peer's receive timestamps."""

    lost: bool = False
    _implausible: int = 0
    _steps: int = 0
    _packets: float = 0.0
    _contradictions: float = 0.0

    def check(self, owd: float, minimum: float, lowest: float, excess: float, fall: float) -> Plausibility:
        """`minimum` is that of the packet's class, `lowest` that of all (infinite: none); `excess` is the packet's RTT
        beyond the minimum by ACK arrivals, `fall` by how much the ACK's is below it."""
        too_long = math.isfinite(minimum) and owd - minimum > max(excess, 0.0) + SLACK
        too_short = math.isfinite(lowest) and lowest - owd > max(fall, 0.0) + SLACK
        if not too_long and not too_short:
            self._implausible = 0
            return Plausibility.PLAUSIBLE
        self._implausible += 1
        if self._implausible < STEP_SAMPLES:
            return Plausibility.IMPLAUSIBLE
        self._implausible = 0
        self._steps += 1
        self.lost = self.lost or self._steps > MAX_STEPS
        return Plausibility.CLOCK_STEP

    def end_epoch(self, acked: int, lost: int, by_timestamp: float | None, by_ack: float | None) -> None:
        """Losses beside a queue that only ACK arrivals show contradict the receive timestamps."""
        hidden = by_timestamp is not None and by_ack is not None and by_ack - by_timestamp > HIDDEN
        self._contradictions = self._contradictions * DECAY + (lost if hidden else 0)
        self._packets = self._packets * DECAY + acked + lost
        enough = self._contradictions >= MAX_CONTRADICTIONS
        self.lost = self.lost or (enough and self._contradictions >= MIN_LOSS_SHARE * self._packets)
