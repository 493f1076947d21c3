"""Whether what a flow sends beside others comes back: "Slower link" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

from typing import NamedTuple

from ..check.numbers import TIME_TOLERANCE

LEAST_BACK = 0.5
"""Of what was sent: what comes back at least if the queue is that of others."""
TELLING_PACKETS = 16.0
LEAST_TIME = 0.2
"""s. For so long at least it is counted."""


class Back(NamedTuple):
    """What an epoch has brought back, with samples or without; times in s."""

    now: float
    duration: float
    rate: float
    """R in it, bit/s."""
    bits: float
    """Acknowledged or lost."""
    sent_little: bool
    """Whether the application limits."""


class Arriving(NamedTuple):
    """What was sent and what came back, over a round trip or more; times in s, sizes in bits."""

    since: float
    round_trip: float
    lasted: float = 0.0
    sent: float = 0.0
    came_back: float = 0.0

    @staticmethod
    def after_raise(now: float, round_trip: float) -> Arriving:
        """R is higher from now on, and what comes back within a round trip was sent before."""
        return Arriving(now + round_trip, round_trip)

    def add(self, b: Back) -> Arriving:
        begins = b.now - b.duration + TIME_TOLERANCE
        if begins < self.since or b.sent_little:
            return self
        return self._replace(
            lasted=self.lasted + b.duration,
            sent=self.sent + b.rate * b.duration,
            came_back=self.came_back + b.bits,
        )

    def tells(self, packet_bytes: int, slack: float) -> bool:
        """Whether it has lasted for long enough, with `slack` of the times, s."""
        return (
            self.lasted + slack >= max(self.round_trip, LEAST_TIME)
            and self.sent >= TELLING_PACKETS * 8.0 * packet_bytes
        )

    @property
    def is_little(self) -> bool:
        """Whether so little came back that the queue is the flow's own."""
        return self.came_back < LEAST_BACK * self.sent
