"""Several traces over one another, on one time axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..explain import words
from ..explain.explanation import Explanation, Role
from ..explain.limits import Limit
from ..linklog import LinkLog
from ..packed import parts
from . import panels, ribbons
from .panel import OF_SEVERAL, Panel, Ribbon, Style, series_of
from .thin import Points

LONGEST_NAME = 24


@dataclass(frozen=True, slots=True)
class Compared:
    e: Explanation
    link: LinkLog | None = None
    later: float = 0.0
    """s that it began after the first of them, where they share a clock."""


Of = Callable[[Compared], Iterable[Points]]
"""What is drawn of a trace."""


def overlaid(traces: Sequence[Compared]) -> list[Panel]:
    """A colour for each trace, the same in all panels; without panels that none of them fills."""
    truth = all(t.link is not None for t in traces)
    out = [
        _limits(traces),
        _panel("Rate acknowledged", "Mbit/s", traces, lambda t: [panels.acknowledged(t.e)]),
        _panel("Queueing delay at the bottleneck", "ms", traces, _queue)
        if truth
        else _panel("Queueing delay, per packet", "ms", traces, lambda t: panels.delays(t.e), style="dots"),
        _panel("Bytes in flight", "kB", traces, lambda t: panels.in_flight(t.e)),
        _panel("Acknowledged so far", "MB", traces, _progress),
    ]
    return [p for p in out if p.drawn]


def name_of(number: int, e: Explanation) -> str:
    """Short enough to stand beside a panel; options tell traces of one controller apart. Where a trace does not name
    its controller, its title says more."""
    name = e.trace.controller_name or e.trace.title
    return f"{number}: {name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + '…'}"


def _panel(
    title: str,
    unit: str,
    traces: Sequence[Compared],
    points: Callable[[Compared], Iterable[Points]],
    style: Style = "line",
) -> Panel:
    panel = Panel(title, unit, from_zero=points is not _progress)
    for number, t in enumerate(traces, start=1):
        colour = OF_SEVERAL[(number - 1) % len(OF_SEVERAL)]
        panel.series.append(series_of(name_of(number, t.e), _later(points(t), t.later), colour, style))
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


def _later(points: Iterable[Points], by: float) -> Iterator[Points]:
    return ((x + by, y) for x, y in points)


def _queue(t: Compared) -> list[Points]:
    return [] if t.link is None else [(t.link.time, t.link.queue_delay * 1e3)]


def _progress(t: Compared) -> Iterator[Points]:
    if t.e.role is Role.RECEIVER:
        r = t.e.trace.received
        return _summed(zip(parts(r.time), parts(r.length), strict=True))
    removals = (w.removals for w in t.e.observed.windows())
    return _summed((r.time[~r.lost], r.size[~r.lost]) for r in removals)


def _summed(some: Iterable[tuple[Floats, Floats | Ints]]) -> Iterator[Points]:
    """Times and bytes, as MB so far."""
    total = 0.0
    for time, size in some:
        so_far = total + np.cumsum(size, dtype=np.float64)
        total = float(so_far[-1]) if len(so_far) else total
        yield time, so_far / 1e6
