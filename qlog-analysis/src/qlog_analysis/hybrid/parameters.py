"""Parameters of `hybrid`, the default profile of docs/papers/hybrid.md.

Units inside this package are SI: seconds, bits per second, bytes; a trace and the vectors use milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass

STARTUP_SAMPLES = 3
"""Samples that show queueing in start-up."""

AMIN_PACKETS, AMAX_PACKETS = 0.01, 0.02
"""Increases at d1 and at d0, in packets per L, per epoch."""

SHORT_PATH = 2.5e-3
"""s. With a shorter L dispersion shows no capacity, and growth has a shorter period where packets are as close."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """One set of parameters; `None` stands for `auto`."""

    bmin: float
    bmax: float
    d1: float | None
    """Threshold of the queueing delay, s."""
    losscap: float
    """Share of lost packets that overwhelms an epoch."""
    startup: float
    """Bytes that an acknowledged byte adds to R L in start-up, plus one."""
    capacity: float
    """Share of what the slowest link carries, by packet dispersion, that ends start-up; 0 is off."""
    owdwin: float
    """Sliding window of the minima, s."""
    skew: bool
    """Whether the minima by receive times follow the peer's clock."""
    r0: float | None
    """Initial rate, bit/s."""
    insist: float
    """Queue in L that does not end the start-up beside others; 0 is off."""
    queue: float
    """d1 in packets at the flow's own rate, where it is auto."""
    drain: float
    """Epochs in which a decrease drains the queue."""
    grow: float
    """Growth of the increase per `period`."""
    period: float
    """Of that growth, on paths that are not short, s."""
    full: float
    """Share of the longest queue of late beyond which losses count below d1; 0 is off."""
    compete: float
    """How long a queue stands until others are known to fill it, s; 0 is off."""
    dip: float
    """Share of what arrived of late that the path is taken to carry at least; 0 is off."""
    catchup: float
    """Times the part of the slowest link that a flow leaves unused, the factor of its increase, if above 1."""

    @staticmethod
    def increase_bounds(packet_bytes: float, length: float) -> tuple[float, float]:
        """`(amin, amax)` in bit/s for packets of `packet_bytes` bytes and an epoch length of `length` s."""
        per_packet = 8.0 * packet_bytes / length
        return AMIN_PACKETS * per_packet, AMAX_PACKETS * per_packet

    def growth_period(self, packet_bytes: float, rate: float, length: float) -> float:
        """Q, the period of growth of a flow at `rate` bit/s, s."""
        spacing = max(length, 8.0 * packet_bytes / max(rate, 1.0))
        return max(self.period * min(spacing / SHORT_PATH, 1.0), length)


DEFAULT = Parameters(
    bmin=0.01,
    bmax=0.5,
    d1=None,
    losscap=0.1,
    startup=2.2,
    capacity=1.0,
    owdwin=10.0,
    skew=True,
    r0=None,
    insist=0.2,
    queue=2.0,
    drain=3.0,
    grow=1.5,
    period=0.04,
    full=0.75,
    compete=1.0,
    dip=0.7,
    catchup=4.0,
)
