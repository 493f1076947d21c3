"""What arrives while a queue drains: "Delivery rate" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

import math
from typing import NamedTuple

from . import jitter

TELLING_PACKETS = 64
"""With fewer the mean says no more than one epoch."""


class Drain(NamedTuple):
    """The sums over the epochs since the decrease with which a queue began to drain that is not that of start-up."""

    lasted: float = 0.0
    """t, s."""
    bits: float = 0.0
    """b."""

    def add(self, delivery_rate: float, arriving: float) -> Drain:
        """With an epoch in which so much arrived, bit/s, in what of it counts, s."""
        # These are whole bits, and 64 packets of them may be the bound.
        return Drain(self.lasted + arriving, self.bits + round(delivery_rate * arriving))

    def most(self, its_jitter: float, packet_bytes: int) -> float:
        """What has arrived on the average, with what may have been held back, bit/s; unbounded where nothing is
        known. The longer it drains the less J, `its_jitter`, matters."""
        if self.bits < TELLING_PACKETS * 8.0 * packet_bytes:
            return math.inf
        return jitter.with_held_back(self.bits / self.lasted, jitter.uncertain(its_jitter, self.lasted))
