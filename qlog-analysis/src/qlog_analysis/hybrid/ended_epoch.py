"""An epoch that has ended, as the law sees it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from . import jitter
from .arriving import Back
from .constants import CATCH_UP
from .loss_count import LossCount
from .mechanism import Mechanism
from .parameters import Parameters
from .standing import Standing
from .thresholds import Thresholds

LEAST_LEFT = 0.1
"""Of `min_decrease`, what a flow leaves to others that uses all of the slowest link."""
QUEUE_PACKETS = 4
"""With fewer an epoch keeps no queue."""


@dataclass(slots=True)
class Epoch:
    """What one ended epoch offers to the update. Not frozen, for one is made for every way to read a report."""

    delta: float
    """What stands for its relative one-way delays, less what `queueing` takes off, s."""
    lost: bool
    """Whether more than what is always lost."""
    excessive_loss: bool
    rate: float
    """R before the update, bit/s."""
    length: float
    """L, s."""
    packet_bytes: int
    app_limited: bool
    startup: bool
    queues: bool
    """Whether start-up has met a queue for long enough."""
    delivery_rate: float
    """A: acknowledged bits of the epoch over its duration, bit/s."""
    uncertain: float
    """u_J."""
    background: float
    """B, this epoch's included."""
    usual_losses: LossCount
    """Losses without a queue, this epoch's included."""
    thresholds: Thresholds
    full: float
    """d_full, s."""
    now: float = 0.0
    """Its end, s."""
    losses: int = 0
    acked: int = 0
    """Packets: losses that count, be they always so or not, and what was acknowledged."""
    transmission: float = 0.0
    """T as it counts, s."""
    dispersed: bool = True
    """Whether it is that of the link, and not longer."""
    standing: Standing = field(default_factory=Standing)
    """The queue that stands, as the epochs before leave it."""
    largest: float = 0.0
    """The largest rate that was recently used while nothing was held, bit/s."""
    stalled: bool = False
    believed: float = 0.0
    """What it is taken to carry although less arrived, bit/s; `update` sets it."""
    limited_before: bool = False
    """Whether the application limited the epoch before."""
    by_train: bool = False
    """Whether a train tried R."""
    train_rate: float = 0.0
    """D: the largest rate of its packet trains, 0 if none shows one, bit/s."""
    fills: bool = False
    """Whether start-up has come to what the slowest link carries."""
    duration: float = 0.0
    arriving: float = 0.0
    """How long it lasted, and what of that counts for A, s."""
    jitter: float = 0.0
    ack_jitter: float = 0.0
    """J as it was before, and that of ACK arrivals, s."""
    most: float = math.inf
    """What has arrived on the average while a queue drains, bit/s; `update` sets it."""
    interrupted: bool = False
    meets_path: bool = False
    """Whether it is the first since then: nothing is in flight that could be a queue."""
    lost_total: int = 0
    length_fell: bool = False
    """Whether L was longer before: a queue was taken for a part of the path."""

    @property
    def back(self) -> Back:
        """What it has brought back."""
        bits = self.delivery_rate * self.arriving + 8.0 * self.packet_bytes * self.lost_total
        return Back(self.now, self.duration, self.rate, bits, self.sent_little)

    @property
    def sent_little(self) -> bool:
        """Whether what arrived may be what the application had: it was sent up to an epoch before."""
        return self.app_limited or self.limited_before

    @property
    def tried(self) -> bool:
        """Whether R was, by all of it or by a train."""
        return self.by_train or not self.app_limited

    @property
    def unusual_loss(self) -> bool:
        """Whether more was lost than is always lost, of a flow that holds nothing beside others."""
        return self.lost and not self.standing.holds

    @property
    def may_increase(self) -> bool:
        """Whether R was tried, and did not lose more than usual."""
        return self.tried and not self.unusual_loss

    @property
    def known(self) -> float:
        """Up to which rate packets are known to arrive, bit/s; infinite where the source sends hardly anything."""
        if self.hardly_sends:
            return math.inf
        return self.largest if self.sent_little else self.reached

    @property
    def may_queue(self) -> bool:
        """Whether so much came back that some of it may have been in a queue."""
        return round(self.delivery_rate * self.arriving) >= QUEUE_PACKETS * 8 * self.packet_bytes

    @property
    def hardly_sends(self) -> bool:
        """Whether the source sends hardly anything, so that a queue is not its own."""
        return self.sent_little and not self.may_queue

    @property
    def dispersed_transmission(self) -> float:
        """T as it counts, s; 0 while it is unknown or not dispersed."""
        return self.transmission if self.dispersed else 0.0

    def _room(self, rate: float, p: Parameters) -> float:
        """`CATCH_UP` times the part of the slowest link that a flow with this rate leaves to others; 1 if unknown."""
        if self.transmission == 0.0 or not p.has(Mechanism.CATCH_UP):
            return 1.0
        return CATCH_UP * (1.0 - rate * self.transmission / (8.0 * self.packet_bytes))

    def catch_up(self, p: Parameters) -> float:
        """How many times as much as others it may increase that uses little of the slowest link."""
        return max(self._room(self.rate, p), 1.0)

    def returns_to(self, return_rate: float, p: Parameters) -> float:
        """R once a queue has drained: less than S by what is left to others, bit/s."""
        return (1.0 - p.min_decrease * min(max(self._room(return_rate, p), LEAST_LEFT), 1.0)) * return_rate

    @property
    def lost_to_a_full_queue(self) -> bool:
        return self.unusual_loss and self.delta > self.full

    @property
    def losing(self) -> bool:
        """Whether losses are congestion."""
        return self.lost_to_a_full_queue or self.excessive_loss

    @property
    def arrived_in_full(self) -> float:
        """A_full: A, or what the path is taken to carry, with what may have been held back at its end; or D, where that
        is what the application had."""
        carried = max(self.delivery_rate, self.believed)
        return jitter.in_full(carried, self.uncertain, self.train_rate if self.sent_little else 0.0)

    @property
    def reached(self) -> float:
        """A_link, bit/s."""
        if self.losing:
            return self.let_through
        borne_out = min(self.arrived_in_full, max(self.delivery_rate, self.believed, self.most))
        return jitter.made_up(borne_out, self.background)

    @property
    def let_through(self) -> float:
        """A_link if losses are congestion: A, and what was held back as far as the mean of a drain bears it out."""
        known = self.most if math.isfinite(self.most) and not self.excessive_loss else 0.0
        return max(self.delivery_rate, min(jitter.with_held_back(self.delivery_rate, self.uncertain), known))
