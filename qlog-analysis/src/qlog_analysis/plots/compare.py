"""Several traces over one another, on one time axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..explain import words
from ..explain.explanation import Explanation, Role
from ..explain.limits import Limit
from ..linklog import LinkLog
from . import panels, ribbons
from .panel import OF_SEVERAL, Panel, Ribbon, Style, series

Points = tuple[Floats, Floats]
LONGEST_NAME = 24


@dataclass(frozen=True, slots=True)
class Compared:
    e: Explanation
    link: LinkLog | None = None
    later: float = 0.0
    """s that it began after the first of them, where they share a clock."""


def overlaid(traces: Sequence[Compared]) -> list[Panel]:
    """A colour for each trace, the same in all panels; without panels that none of them fills."""
    truth = all(t.link is not None for t in traces)
    out = [
        _limits(traces),
        _panel("Rate acknowledged", "Mbit/s", traces, lambda t: panels.acknowledged(t.e)),
        _panel("Queueing delay at the bottleneck", "ms", traces, _queue)
        if truth
        else _panel("Queueing delay, per packet", "ms", traces, _delay, style="dots"),
        _panel("Bytes in flight", "kB", traces, _in_flight),
        _panel("Acknowledged so far", "MB", traces, _progress),
    ]
    return [p for p in out if p.drawn]


def name_of(number: int, e: Explanation) -> str:
    """Short enough to stand beside a panel; options tell traces of one controller apart."""
    name = e.metrics.controller
    return f"{number}: {name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + '…'}"


def _panel(
    title: str, unit: str, traces: Sequence[Compared], points: Callable[[Compared], Points], style: Style = "line"
) -> Panel:
    panel = Panel(title, unit, from_zero=points is not _progress)
    for number, t in enumerate(traces, start=1):
        x, y = points(t)
        colour = OF_SEVERAL[(number - 1) % len(OF_SEVERAL)]
        panel.series.append(series(name_of(number, t.e), x + t.later, y, colour, style))
    return panel


def _limits(traces: Sequence[Compared]) -> Panel:
    """A row per trace, coloured by what limited it."""
    panel = Panel("What limited the sender", "")
    for number, t in enumerate(traces, start=1):
        spans = ribbons.limit_spans(t.e)
        for limit in Limit:
            own = [s for s in spans if s.name == limit.value]
            if own:
                begin, end = (np.array([getattr(s, side) for s in own]) + t.later for side in ("begin", "end"))
                colour, meaning = ribbons.LIMIT_COLOURS[limit], words.LIMIT_NAMES[limit]
                panel.ribbons.append(Ribbon(name_of(number, t.e), begin, end, colour, meaning))
    return panel


def _queue(t: Compared) -> Points:
    return (np.empty(0), np.empty(0)) if t.link is None else (t.link.time, t.link.queue_delay * 1e3)


def _delay(t: Compared) -> Points:
    samples = t.e.observed.samples
    return samples.time, samples.rowd * 1e3


def _in_flight(t: Compared) -> Points:
    s = t.e.observed.sends
    return s.time, (s.in_flight + s.size) / 1e3


def _progress(t: Compared) -> Points:
    if t.e.role is Role.RECEIVER:
        r = t.e.trace.received
        return np.array(r.time), np.cumsum(np.array(r.length, dtype=np.float64)) / 1e6
    gone = t.e.observed.removals
    return gone.time[~gone.lost], np.cumsum(gone.size[~gone.lost]) / 1e6
