"""Increase, decrease and bounds of S: docs/papers/raimd.md. Rates in packets/s, sizes in bytes, times in s."""

from __future__ import annotations

import math

from ..events import RaimdParameters
from ..measure.used import SHARE

DEFAULT: dict[str, object] = {
    "alpha": 2.0,
    "beta": 0.7,
    "target": "tcp",
    "history": 8.0,
    "startup": "on",
    "wgain": 2.0,
    "cmax": 10e9,
    "initial_rate": "auto",
}
PROFILES: dict[str, dict[str, object]] = {
    "default": DEFAULT,
    "paper": {"beta": 0.5, "target": "off", "startup": "off"},
}

RANGES: dict[str, tuple[float, float]] = {
    "alpha": (1e-3, 1e5),
    "beta": (0.1, 0.95),
    "target": (1e3, 1e10),
    "history": (1.0, 256.0),
    "wgain": (1.0, 8.0),
    "cmax": (1e3, 1e10),
    "initial_rate": (1e3, 1e10),
}

MOST_ROUNDS = 16
"""Round trips that one ACK may end."""
PACKETS_PER_ACK = 2.0
"""Packets after which an ACK comes at the latest where the path carries them."""
COLLAPSED_PACKETS = 2.0
"""Per round trip, after persistent congestion."""
MOST_LOSS = 0.999
"""The full model has no answer where nothing arrives."""


def increase_for(target: float, beta: float, rtt: float, loss: float) -> float:
    """alpha by (13)."""
    y = target + 1.0 / (rtt * loss)
    x = 8.0 * target**2 * (1.0 - beta) / (y * (1.0 + beta)) ** 2
    return (1.0 + beta) / 2.0 * y * x / (math.sqrt(1.0 + x) + 1.0)


def tcp_throughput(rtt: float, loss: float) -> float:
    """Padhye et al., ToN 8(2), 2000, equation (32), with b = 1, a timeout of 4 R and no limit by the receiver."""
    p = min(loss, MOST_LOSS)
    ok = 1.0 - p
    window = 1.0 + math.sqrt(8.0 * ok / (3.0 * p) + 1.0)  # (13), (2 + b) / (3 b) = 1
    timeouts = min(1.0, (1.0 - ok**3) * (1.0 + ok**3 * (1.0 - ok ** (window - 3.0))) / (1.0 - ok**window))  # (24)
    backoff = 1.0 + p + 2.0 * p**2 + 4.0 * p**3 + 8.0 * p**4 + 16.0 * p**5 + 32.0 * p**6  # (29)
    packets: float = ok / p + window + timeouts / ok
    time: float = rtt * (window / 2.0 + 1.0) + timeouts * 4.0 * rtt * backoff / ok
    return packets / time


def target(p: RaimdParameters, packet: int, rtt: float, loss: float, any_loss: bool) -> float | None:
    """B, if there is one to adapt alpha to."""
    if p.target == "tcp":
        return tcp_throughput(rtt, loss) if any_loss else None
    return None if isinstance(p.target, str) else p.target / (8.0 * packet)


def increase(p: RaimdParameters, rate: float, wanted: float | None, rtt: float, loss: float) -> float:
    """alpha of one round trip."""
    return p.alpha if wanted is None else min(increase_for(wanted, p.beta, rtt, loss), rate)


def held(rate: float, packet: int, rtt: float) -> float:
    """S R in bytes: what is in flight if S is used."""
    return rate * packet * rtt


def used_rate(most: float, packet: int, rtt: float) -> float:
    """The largest S that counts as used, of the most that was in flight."""
    return (most / SHARE + packet) / packet / rtt


def bounded(rate: float, packet: int, rtt: float, p: RaimdParameters) -> float:
    return min(max(rate, 1.0 / (8.0 * rtt)), p.cmax / (8.0 * packet))


def initial_rate(packets: int, packet: int, rtt: float, p: RaimdParameters) -> float:
    """`initial_rate`, or an initial window of so many packets per RTT."""
    given = packets / rtt if isinstance(p.initial_rate, str) else p.initial_rate / (8.0 * packet)
    return bounded(given, packet, rtt, p)


def window(rate: float, rtt: float, least: int, packet: int, p: RaimdParameters) -> tuple[int, int]:
    """wgain S R in whole packets rounded up, at least so many: what the rounding of S and R leaves open."""
    packets = p.wgain * rate * rtt
    low, high = (max(math.ceil(packets * s), least) * packet for s in (1.0 - 1e-7, 1.0 + 1e-7))
    return low, high


def loss_rate(closed: list[int], open_: int, history: int) -> float:
    """p: one over the average loss interval of RFC 5348, section 5.4; `closed` has the latest first."""
    if not closed:
        return 1.0 / (1.0 + open_)
    means = [_mean(intervals[:history], history) for intervals in (closed, [open_, *closed])]
    return 1.0 / max(*means, 1.0)


def _mean(intervals: list[int], history: int) -> float:
    weights = [min(1.0, 2.0 * (history - i) / (history + 2.0)) for i in range(len(intervals))]
    return sum(w * n for w, n in zip(weights, intervals, strict=True)) / sum(weights)
