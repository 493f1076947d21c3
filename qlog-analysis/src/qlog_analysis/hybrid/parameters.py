"""Parameters of `hybrid`, the default profile of docs/papers/hybrid.md.

Units inside this package are SI: seconds, bits per second, bytes; a trace and the vectors use milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass

from .constants import EVERYTHING, EXCESSIVE_BEYOND, EXCESSIVE_LOSS
from .mechanism import Mechanism

STARTUP_SAMPLES = 3
"""Samples that show queueing in start-up."""

AMIN_PACKETS, AMAX_PACKETS = 0.01, 0.02
"""Increases at d1 and at d0, in packets per L, per epoch."""

SHORT_PATH = 2.5e-3
"""s. With a shorter L dispersion shows no link rate, and growth has a shorter period where packets are as close."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """One set of parameters; `None` stands for `auto`."""

    target_delay: float | None = None
    """d1: the queueing delay up to which the rate increases, s."""
    target_packets: float = 2.0
    """The same in packets at the flow's own rate, where it is auto."""
    initial_rate: float | None = None
    """bit/s."""
    base_delay_window: float = 10.0
    """Sliding window of the minima, s."""
    growth: float = 1.5
    """Growth of the increase per `growth_period`."""
    growth_period: float = 0.04
    """Of that growth, on paths that are not short, s."""
    drain_epochs: float = 3.0
    """Epochs in which a decrease drains the queue."""
    min_decrease: float = 0.01
    """Share of R."""
    startup_gain: float = 2.2
    """Bytes that an acknowledged byte adds to R L in start-up, plus one."""
    without: frozenset[Mechanism] = frozenset()
    """Mechanisms that are left out."""

    def has(self, mechanism: Mechanism) -> bool:
        return mechanism not in self.without

    @property
    def most_loss(self) -> float:
        """Share of packets: more losses are excessive."""
        return EXCESSIVE_LOSS if self.has(Mechanism.EXCESSIVE_LOSS) else EVERYTHING

    @property
    def most_loss_beyond(self) -> float:
        """The same of the packets of a rate that the path has not been found to carry."""
        return EXCESSIVE_BEYOND if self.has(Mechanism.EXCESSIVE_LOSS) else EVERYTHING

    @staticmethod
    def increase_bounds(packet_bytes: float, length: float) -> tuple[float, float]:
        """`(amin, amax)` in bit/s for packets of `packet_bytes` bytes and an epoch length of `length` s."""
        per_packet = 8.0 * packet_bytes / length
        return AMIN_PACKETS * per_packet, AMAX_PACKETS * per_packet

    def period(self, packet_bytes: float, rate: float, length: float) -> float:
        """The period of growth of a flow at `rate` bit/s, s."""
        spacing = max(length, 8.0 * packet_bytes / max(rate, 1.0))
        return max(self.growth_period * min(spacing / SHORT_PATH, 1.0), length)


DEFAULT = Parameters()
