"""What is drawn of a controller's own events: its rate, and a panel of what it decides by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ..arrays import Floats
from ..events import RaimdUpdate, RrrUpdate, SmallqUpdate, VegasParameters, VegasUpdate, ZoneEpoch
from ..model import Trace, Update
from .panel import BLUE, GREEN, GREY, SKY, VERMILLION, ZONE_COLOUR, Band, Panel, Series, series

T = TypeVar("T")


def _points(updates: Sequence[Update[T]], of: Callable[[T], float | None]) -> tuple[Floats, Floats]:
    """Times and values of those that have one."""
    values = [(u.time, of(u.data)) for u in updates]
    known = [(t, v) for t, v in values if v is not None]
    return np.array([t for t, _ in known], dtype=np.float64), np.array([v for _, v in known], dtype=np.float64)


def rates(trace: Trace) -> list[Series]:
    """The rate that is controlled, in Mbit/s; none of controllers of a window."""
    if epochs := trace.updates_of(ZoneEpoch):
        return [series("R", *_points(epochs, lambda e: e.rate_after / 1e6), GREEN, style="step")]
    if rrr := trace.updates_of(RrrUpdate):
        return [
            series("X_out", *_points(rrr, lambda u: None if u.output is None else u.output / 1e6), GREY, faint=True),
            series("R", *_points(rrr, lambda u: u.rate_after / 1e6), GREEN, style="step"),
        ]
    if raimd := trace.updates_of(RaimdUpdate):
        size = trace.parameters[0].data.max_datagram_size if trace.parameters else 0
        return [series("S", *_points(raimd, lambda u: u.rate_after * size * 8e-6), GREEN, style="step")]
    return []


def thresholds(trace: Trace) -> list[Series]:
    """ssthresh in kB."""

    def kilobytes_of(u: SmallqUpdate | VegasUpdate) -> float | None:
        return None if u.ssthresh is None else u.ssthresh / 1e3

    smallq = _points(trace.updates_of(SmallqUpdate), kilobytes_of)
    kilobytes = smallq if len(smallq[0]) else _points(trace.updates_of(VegasUpdate), kilobytes_of)
    return [series("ssthresh", *kilobytes, GREY, style="step")] if len(kilobytes[0]) else []


def panels(trace: Trace) -> list[Panel]:
    """What the controller decides by, if it is not the queueing delay, which every trace shows."""
    return [*_marks(trace), *_waiting(trace), *_reduction(trace), *_losses(trace)]


def _marks(trace: Trace) -> list[Panel]:
    updates = trace.updates_of(SmallqUpdate)
    if not updates:
        return []
    total = np.cumsum([u.data.ce for u in updates], dtype=np.float64)
    counted = np.cumsum([u.data.marks for u in updates], dtype=np.float64)
    time = np.array([u.time for u in updates])
    shown = [
        series("CE reported", time, total, SKY, style="step"),
        series("marks that count", time, counted, BLUE, style="step"),
    ]
    return [Panel("Marks so far", "packets", shown)]


def _waiting(trace: Trace) -> list[Panel]:
    updates = trace.updates_of(VegasUpdate)
    if not updates:
        return []
    panel = Panel("Packets waiting (diff)", "packets")
    panel.series.append(series("diff", *_points(updates, lambda u: u.diff), BLUE, style="dots"))
    p = trace.parameters[0].parameters if trace.parameters else None
    if isinstance(p, VegasParameters):
        panel.bands = [Band(p.alpha, p.beta, ZONE_COLOUR[1], "alpha to beta")]
    return [panel]


def _reduction(trace: Trace) -> list[Panel]:
    updates = trace.updates_of(RrrUpdate)
    if not updates:
        return []
    percent = [
        series(name, *_points(updates, of), colour, style="dots", faint=faint)
        for name, of, colour, faint in (
            ("p", lambda u: None if u.reduction is None else 100.0 * u.reduction, GREY, True),
            ("wanted", lambda u: None if u.wanted is None else 100.0 * u.wanted, BLUE, False),
        )
    ]
    return [Panel("Relative rate reduction", "%", percent)]


def _losses(trace: Trace) -> list[Panel]:
    updates = trace.updates_of(RaimdUpdate)
    if not updates:
        return []
    alpha = series("alpha", *_points(updates, lambda u: u.alpha), BLUE, style="step")
    loss = series("p", *_points(updates, lambda u: 100.0 * u.loss), VERMILLION, style="step")
    return [Panel("Increase per round trip", "packets/s", [alpha]), Panel("Loss probability", "%", [loss])]
