"""What the packets say of one round trip: samples of the RTT, and bytes that came back."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from ..measure.packets import Packets
from ..measure.rtt import Bounds
from ..model import Feedback, Space

FULL = 0.75
"""Only packets larger than this share of the maximum datagram size give samples."""
SHORTEST = 0.9
"""A minimum is forgotten between 0.9 and 1 times the window after it was seen."""


def gives_sample(packets: Packets, newest: int, f: Feedback, full_size: int) -> bool:
    return f.space is Space.APPLICATION and packets.size(newest) > FULL * full_size


@dataclass(slots=True)
class Base:
    """The smallest RTT in a window, s."""

    window: float
    _seen: deque[tuple[float, Bounds]] = field(default_factory=deque)

    def add(self, now: float, sample: Bounds) -> None:
        while self._seen and self._seen[-1][1].low >= sample.low and self._seen[-1][1].high >= sample.high:
            self._seen.pop()
        self._seen.append((now, sample))

    def get(self, now: float) -> Bounds | None:
        while self._seen and self._seen[0][0] < now - self.window:
            self._seen.popleft()
        if not self._seen:
            return None
        sure = [b.high for t, b in self._seen if t >= now - SHORTEST * self.window] or [self._seen[-1][1].high]
        return Bounds(min(b.low for _, b in self._seen), min(sure))

    def clear(self) -> None:
        self._seen.clear()


@dataclass(slots=True)
class Trip:
    """A round trip, or what is left of one since the last update."""

    began: float
    settling: bool
    """Its packets were sent under another window: it is not judged."""
    samples: list[Bounds] = field(default_factory=list)
    acked: set[tuple[float, int]] = field(init=False)
    """Since when bytes newly acknowledged are counted, and how many: more than one where rounding of times decides."""
    counted: list[int] = field(default_factory=lambda: [0, 0])
    """Bytes that count for growth, at least and at most: that the application limits the trace does not tell."""

    def __post_init__(self) -> None:
        self.acked = {(self.began, 0)}

    def count(self, now: float, resumed: set[float | None], size: int) -> None:
        """An ACK of so many bytes; after a pause the count begins anew."""
        counted = {(since, acked + size) for since, acked in self.acked} if None in resumed else set()
        self.acked = counted | ({(now, 0)} if resumed != {None} else set())

    def rtt(self, mean: bool) -> Bounds | None:
        if not self.samples:
            return None
        lows, highs = [s.low for s in self.samples], [s.high for s in self.samples]
        if mean:
            return Bounds(sum(lows) / len(lows), sum(highs) / len(highs))
        return Bounds(min(lows), min(highs))
