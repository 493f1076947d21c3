"""Pauses: times in which nothing was in flight, which say nothing of what the path carries. As in
cc/src/measure/pause.rs."""

from __future__ import annotations

import math

from ..check.numbers import TIME_TOLERANCE
from ..model import Feedback
from .packets import Packets


class Pauses:
    """Sees pauses end."""

    def __init__(self, packets: Packets) -> None:
        self._packets = packets
        self._latest = -math.inf
        """When the last feedback came."""

    def resumed(self, f: Feedback) -> set[float | None]:
        """To be asked at every feedback. When the first packet after a pause left, if this feedback is the first one
        since: all that it acknowledges left after the feedback before it. None stands for no pause, beside a time where
        rounding decides."""
        before, self._latest = self._latest, f.time
        oldest = min((self._packets.sent_at(p) for p in self._packets.acked(f)), default=None)
        if oldest is None or oldest < before - TIME_TOLERANCE:
            return {None}
        return {oldest} if oldest > before + TIME_TOLERANCE else {oldest, None}
