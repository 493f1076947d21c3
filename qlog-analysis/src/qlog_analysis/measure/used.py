"""How much of a window is used: "What counts" in docs/papers/smallq.md (RFC 9002, section 7.8). Sizes in bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ..model import Feedback, Space, Trace
from .packets import Packets

DOUBLING = 2.0
"""In slow start a window of so many times of what is in flight is used."""
SHARE = 0.8
"""After it a window of which this share, less a packet, is in flight."""


@dataclass(slots=True)
class Used:
    """The most that was in flight before a feedback, of this round trip and the one before. Packets and ACKs bound it;
    between the bounds, which handshake packets whose keys are gone leave open, quiche's own number decides."""

    trace: Trace
    _packets: Packets = field(init=False)
    _any_probes: bool = field(init=False)
    _settled: list[int] = field(default_factory=lambda: [0, 0])
    """Bytes acknowledged or lost: of the application space, and of all."""
    _began: float = -math.inf
    _latest: tuple[float, float] = (0.0, 0.0)
    _before: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        self._packets = Packets(self.trace)
        self._any_probes = any(self.trace.sent.probe)

    def record(self, f: Feedback) -> None:
        """To be called for every feedback."""
        if any(self._packets.sent_at(p) > self._began for p in self._packets.acked(f)):
            self._began, self._before, self._latest = f.time, self._latest, (0.0, 0.0)
        self._latest = _larger(self._latest, self._in_flight(f))
        gone = sum(self._packets.size(p) for p in (*self._packets.acked(f), *f.lost))
        self._settled[0] += gone * (f.space is Space.APPLICATION)
        self._settled[1] += gone

    def _in_flight(self, f: Feedback) -> tuple[float, float]:
        low = self._packets.application_bytes_before(f.record) - self._settled[0]
        high = self._packets.bytes_before(f.record) - self._settled[1]
        i = self.trace.metrics.row_before(f.record)
        written = self.trace.metrics.bytes_in_flight[i] if i >= 0 else math.nan
        if math.isnan(written) or self._any_probes:
            return float(min(low, 0 if math.isnan(written) else written)), float(high)
        inside = min(max(written, float(low)), float(high))
        return inside, inside

    @property
    def most(self) -> tuple[float, float]:
        """U, as far as the trace leaves it open."""
        return _larger(self._latest, self._before)

    def may_grow(self, window: float, packet: int, slow_start: bool) -> set[bool]:
        """Whether a window, or what a rate puts into a round trip, is used enough to grow."""
        return {window < (DOUBLING * u if slow_start else u / SHARE + packet) for u in self.most}


def _larger(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return max(a[0], b[0]), max(a[1], b[1])
