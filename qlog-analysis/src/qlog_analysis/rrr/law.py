"""Feedback functions and the rate after a measurement: docs/papers/rrr.md. In bit/s, bytes and s."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..events import RrrParameters
from ..newreno import floor_of

DEFAULT: dict[str, object] = {
    "feedback": "tcp",
    "pfix": 0.01,
    "ptlim": 0.01,
    "xtlim": 4e6,
    "cmax": 10e9,
    "xt": "auto",
    "initial_rate": "auto",
    "n": 32.0,
    "span": 10.0,
    "qmax": 100.0,
    "growth": 2.0,
    "startup": "on",
}
PROFILES: dict[str, dict[str, object]] = {
    "default": DEFAULT,
    "paper": {"xt": 0.6e6, "startup": "off", "qmax": 200.0, "initial_rate": 1.6e6},
}

RANGES: dict[str, tuple[float, float]] = {
    "pfix": (0.0, 0.5),
    "ptlim": (0.0, 0.5),
    "xtlim": (1e3, 1e10),
    "cmax": (1e3, 1e10),
    "xt": (1e3, 1e10),
    "initial_rate": (1e3, 1e10),
    "n": (4.0, 1e3),
    "span": (0.0, 1e3),
    "qmax": (1.0, 1e4),
    "growth": (1.1, 4.0),
}

STARTUP_SHARE = 4
"""A quarter of n packets is measured over in start-up."""
STARTUP_ENDS = 0.2
"""Share of the reduction aimed at in start-up that ends it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement between two marks."""

    input: float
    output: float
    allowed_first: float
    allowed_last: float

    @property
    def reduction(self) -> float:
        """(8)"""
        return (self.input - self.output) / self.input

    @property
    def allowed(self) -> float:
        return min(self.allowed_first, self.allowed_last)


def largest(p: RrrParameters) -> float:
    """The largest reduction that is aimed at."""
    return 1.0 - 1.0 / p.growth


def feedback(output: float, xt: float, p: RrrParameters) -> float:
    """pT(X_out): (15), (16) or (19)."""
    if p.feedback == "fixed":
        return p.pfix
    if p.feedback == "linear":
        return max(p.ptlim * (1.0 - output / p.xtlim), 0.0)
    return min((xt / output) ** 2, 1.0) if output > 0.0 else 1.0


def wanted(output: float, xt: float, startup: bool, p: RrrParameters) -> float:
    return largest(p) if startup else min(feedback(output, xt, p), largest(p))


def auto_xt(packet: int, smoothed_rtt: float) -> float:
    """XT = k P / T, k = sqrt(3/2)."""
    return math.sqrt(1.5) * 8.0 * packet / smoothed_rtt


def ceiling(p: RrrParameters) -> float:
    return min(p.cmax, p.xtlim) if p.feedback == "linear" else p.cmax


def bounded(rate: float, packet: int, min_rtt: float, p: RrrParameters) -> float:
    """C_max and P / (4 L)."""
    return max(min(rate, ceiling(p)), 8.0 * packet / (4.0 * min_rtt))


def rate(m: Measured, aim: float, p: RrrParameters) -> float:
    """(13), (11) and what holds where the rate was not used, before the bounds."""
    by_output = m.output / (1.0 - aim)
    if m.input >= m.allowed:
        out = by_output
    elif m.reduction > aim:
        out = m.allowed / m.input * by_output
    else:
        out = max(min(by_output, p.growth * m.input), m.allowed_last)
    return min(out, p.growth * max(m.input, m.allowed_last))


def initial_rate(packets: int, packet: int, min_rtt: float, p: RrrParameters) -> float:
    """`initial_rate`, or an initial window of so many packets per RTT."""
    given = 8.0 * packets * packet / min_rtt if isinstance(p.initial_rate, str) else p.initial_rate
    return bounded(given, packet, min_rtt, p)


def window(rate: float, min_rtt: float, packet: int, p: RrrParameters) -> tuple[int, int]:
    """W = R (L + qmax) in whole packets rounded up, two at least: what the rounding of R and L leaves open."""
    packets = rate * (min_rtt + p.qmax / 1e3) / 8.0 / packet
    ends = (math.ceil(packets * (1.0 - 1e-8)), math.ceil(packets * (1.0 + 1e-8)))
    return int(floor_of(ends[0] * packet, packet)), int(floor_of(ends[1] * packet, packet))
