"""Parameters of `hybrid:paper`.

Units inside this package are SI: seconds, bits per second, bytes; a trace and option strings use milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..events import SMALLEST, PaperParameters
from ..model import ParametersEvent
from ..zones.limits import Limits, auto, limits_of, refusal

PROFILES: dict[str, dict[str, Any]] = {
    "paper": {
        "amin": 800.0,
        "amax": 40_000.0,
        "bmin": 0.25,
        "bmid": 0.33,
        "bmax": 0.5,
        "d0": 0.0,
        "d1": 12.0,
        "d2": 24.0,
        "d3": 48.0,
        "gamma": 1.0,
        "base_delay_window": 10_000.0,
        "initial_rate": "auto",
    }
}
"""Section III of the paper, as traces have it."""


@dataclass(frozen=True, slots=True)
class Parameters:
    amin: float
    """Increase at d1, bit/s per epoch."""
    amax: float
    """Increase at d0, bit/s per epoch."""
    bmin: float
    bmid: float
    bmax: float
    d0: float
    d1: float
    d2: float
    d3: float
    """Thresholds of the queueing delay, s."""
    gamma: float
    base_delay_window: float
    """Sliding window of the minima, s."""
    initial_rate: float | None
    """Initial rate, bit/s; None stands for `auto`."""


def parameters_of(event: ParametersEvent) -> Limits[Parameters]:
    """What the controller reported, made usable. Raises UnsuitableTraceError if it makes no sense."""
    p = event.parameters
    assert isinstance(p, PaperParameters)
    if not p.bmin <= p.bmid <= p.bmax < 1.0:
        raise refusal(event, f"decreases {p.bmin}, {p.bmid}, {p.bmax}, expected bmin <= bmid <= bmax < 1")
    if not p.d0 <= p.d1 < p.d2 < p.d3:
        raise refusal(event, f"thresholds {p.d0}, {p.d1}, {p.d2}, {p.d3} ms, expected d0 <= d1 < d2 < d3")
    if p.base_delay_window < SMALLEST:
        raise refusal(event, f"base_delay_window is {p.base_delay_window} ms, expected at least {SMALLEST:g} ms")
    if p.amin == 0.0 or p.amax == 0.0:
        raise refusal(event, "amin and amax must not be 0")
    parameters = Parameters(
        amin=p.amin,
        amax=p.amax,
        bmin=p.bmin,
        bmid=p.bmid,
        bmax=p.bmax,
        d0=p.d0 / 1e3,
        d1=p.d1 / 1e3,
        d2=p.d2 / 1e3,
        d3=p.d3 / 1e3,
        gamma=p.gamma,
        base_delay_window=p.base_delay_window / 1e3,
        initial_rate=auto(event, "initial_rate"),
    )
    return limits_of(event, parameters)
