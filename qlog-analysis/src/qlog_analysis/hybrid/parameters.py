"""Parameters of `hybrid` and the two profiles of docs/papers/hybrid.md.

Units inside this package are SI: seconds, bits per second, bytes; a trace and the vectors use milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

MIN_WINDOW_PACKETS = 2
"""Window floor in packets of the maximum datagram size ("W ... at least two packets")."""

MAX_RATE = 10e9
"""Upper bound of R in bit/s."""

STARTUP_SAMPLES = 3
"""Samples that show queueing in start-up."""

HANDSHAKE_EPOCHS = 5
"""Epochs after which nothing of the handshake is in flight any more."""

AUTO_AMIN_PACKETS = 0.01
AUTO_AMAX_PACKETS = 0.02
"""`auto` increases in packets per L, per epoch."""

SHORT_PATH = 2.5e-3
"""s. With a shorter L dispersion shows no capacity, and growth has a shorter period where packets are as close."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """One set of parameters; `None` stands for `auto`."""

    amin: float | None
    """Increase at d1, bit/s per epoch."""
    amax: float | None
    """Increase at d0, bit/s per epoch."""
    bmin: float
    bmid: float
    bmax: float
    d0: float | None
    d1: float | None
    d2: float | None
    d3: float | None
    """Thresholds of the queueing delay, s."""
    gamma: float
    wextra: float | None
    """Time that the window covers beyond L, s."""
    losscap: float
    """Share of lost packets that overwhelms an epoch."""
    startup: float
    """Bytes that an acknowledged byte adds to R L in start-up, plus one; 1 means no start-up."""
    capacity: float
    """Share of what the slowest link carries, by packet dispersion, that ends start-up; 0 is off."""
    react_once: bool
    trend: bool
    least: bool
    """Whether the least ROWDs of spans stand for an epoch, and not the mean."""
    packet: float
    """Share of T that is no queueing."""
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
    """Epochs in which a decrease drains the queue; 0 is off."""
    grow: float
    """Growth of the increase per `period`; 1 is off."""
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

    def increase_bounds(self, packet_bytes: float, length: float) -> tuple[float, float]:
        """`(amin, amax)` in bit/s for packets of `packet_bytes` bytes and an epoch length of `length` s."""
        per_packet = 8.0 * packet_bytes / length
        amin = AUTO_AMIN_PACKETS * per_packet if self.amin is None else self.amin
        amax = AUTO_AMAX_PACKETS * per_packet if self.amax is None else self.amax
        return amin, amax

    def growth_period(self, packet_bytes: float, rate: float, length: float) -> float:
        """Q, the period of growth of a flow at `rate` bit/s, s."""
        spacing = max(length, 8.0 * packet_bytes / max(rate, 1.0))
        return max(self.period * min(spacing / SHORT_PATH, 1.0), length)


DEFAULT = Parameters(
    amin=None,
    amax=None,
    bmin=0.01,
    bmid=0.25,
    bmax=0.5,
    d0=None,
    d1=None,
    d2=None,
    d3=None,
    gamma=1.0,
    wextra=None,
    losscap=0.1,
    startup=2.2,
    capacity=1.0,
    react_once=True,
    trend=False,
    least=True,
    packet=0.0,
    owdwin=10.0,
    skew=True,
    r0=None,
    insist=0.2,
    queue=2.0,
    drain=3.0,
    grow=1.5,
    period=0.04,
    full=0.75,
    compete=1.5,
    dip=0.7,
    catchup=4.0,
)

PAPER = replace(
    DEFAULT,
    amin=800.0,
    amax=40_000.0,
    bmin=0.25,
    bmid=0.33,
    d0=0.0,
    d1=0.012,
    d2=0.024,
    d3=0.048,
    wextra=0.0,
    losscap=1.0,
    startup=1.0,
    capacity=0.0,
    skew=False,
    react_once=False,
    trend=True,
    least=False,
    insist=0.0,
    drain=0.0,
    grow=1.0,
    full=0.0,
    compete=0.0,
    dip=0.0,
    catchup=0.0,
)
"""Section III of the paper."""

PROFILES: dict[Literal["paper", "default"], Parameters] = {"paper": PAPER, "default": DEFAULT}
