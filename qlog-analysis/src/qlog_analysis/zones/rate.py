"""R and W as both profiles have them: "The control step" and "Sending" in docs/papers/hybrid.md."""

from __future__ import annotations

import math

MIN_WINDOW_PACKETS = 2
"""Window floor in packets of the maximum datagram size ("W ... at least two packets")."""

MAX_RATE = 10e9
"""Upper bound of R in bit/s."""


def clamp_rate(rate: float, packet_bytes: float, length: float) -> float:
    """R stays within [P / (4 L), 10 Gbit/s]."""
    return min(max(rate, _packets_per(length, 0.25, packet_bytes)), MAX_RATE)


def _packets_per(length: float, packets: float, packet_bytes: float) -> float:
    """So many packets per L, bit/s; a trace may claim an L of 0."""
    return 8.0 * packets * packet_bytes / length if length > 0.0 else math.inf


def alpha(delta: float, amin: float, amax: float, d0: float, d1: float) -> float:
    """Equation (3): the increase of one epoch in zone 1, bit/s."""
    if delta <= d0:
        return amax
    return amin * amax * (d1 - d0) / (amax * (delta - d0) + amin * (d1 - delta))


def initial_rate(packets: int, packet_bytes: int, length: float, given: float | None) -> float:
    """What is given, or else an initial window of so many packets per L, bit/s."""
    rate = _packets_per(length, packets, packet_bytes) if given is None else given
    return clamp_rate(rate, packet_bytes, length)


def restarted(rate: float, length: float, packet_bytes: float) -> float:
    """R after an interruption: at most two packets per L, bit/s."""
    return clamp_rate(min(rate, _packets_per(length, MIN_WINDOW_PACKETS, packet_bytes)), packet_bytes, length)


def window(bits: float, packet_bytes: int) -> int:
    """W for so many bits in flight: bytes, rounded up to whole packets, at least two (section II-C)."""
    return max(math.ceil(bits / 8.0 / packet_bytes), MIN_WINDOW_PACKETS) * packet_bytes
