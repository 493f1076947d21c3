"""What was so at which times: what limited the sender, phases, and the controller's zones and states."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ..explain import words
from ..explain.controller import Span
from ..explain.explanation import Explanation, Role
from ..explain.findings import findings_of
from ..explain.limits import Limit
from ..zones.names import ZONE_NAMES
from .panel import BLUE, GREEN, GREY, LIGHT_GREY, ORANGE, PINK, SKY, VERMILLION, YELLOW, ZONE_COLOUR, Panel, Ribbon

LIMIT_COLOURS = {
    Limit.HANDSHAKE: GREY,
    Limit.APPLICATION: SKY,
    Limit.RECEIVER: PINK,
    Limit.WINDOW: BLUE,
    Limit.PACING: GREEN,
    Limit.PATH: ORANGE,
    Limit.INTERRUPTED: VERMILLION,
    Limit.UNKNOWN: LIGHT_GREY,
    Limit.LATE: YELLOW,
}
MOST_SPANS = 2000
STATES_SHOWN = 8
HELD_TOGETHER = 1.0
"""s between two times of one phase that are drawn as one."""


def limits(e: Explanation) -> Panel:
    """The chief limit of each bin; a row for each."""
    spans = limit_spans(e)
    present = [x for x in Limit if any(s.name == x.value for s in spans)]
    ribbons = [_ribbon(words.LIMIT_NAMES[x], _named(spans, x.value), LIMIT_COLOURS[x]) for x in present]
    return Panel("What limited the sender", "", ribbons=ribbons)


def limit_spans(e: Explanation) -> list[Span]:
    """Neighbours of the same kind in one piece; nothing of a side that received."""
    if e.role is not Role.SENDER:
        return []
    edges, chief = e.limits.edges, e.limits.chief()
    step = max(len(chief) // MOST_SPANS, 1)
    bins = edges[: len(chief) : step].tolist()
    found = []
    for begin, end in pairwise([*bins, float(edges[len(chief)])]):
        shares = e.limits.of(begin, end)
        limit = max(shares, key=lambda x: shares[x]) if shares else Limit.UNKNOWN
        found.append(Span(begin, end, limit.value))
    return list(_united(found, 0.0))


def phases(e: Explanation) -> Panel:
    """What a limit alone does not say: when the controller looked for the rate, and what else was on the path."""
    end = e.observed.end
    start = [] if e.startup is None else [Span(e.startup.begin, e.startup.end or end, "start-up")]
    told = any(f.kind == "others_queue" for f in findings_of(e))
    others = [Span(g.begin, g.end, "others' queue") for g in e.paths.gave_way if g.stays and told]
    others += [Span(s.begin, s.end, "others' queue") for s in e.controller.state_spans if s.name == "holding" and told]
    longer = [Span(s.time, s.until, "longer path") for s in e.paths.steps]
    rows = ((start, SKY), (others, VERMILLION), (longer, PINK))
    ribbons = [_ribbon(s[0].name, sorted(s, key=lambda x: x.begin), colour, HELD_TOGETHER) for s, colour in rows if s]
    return Panel("Phases", "", ribbons=ribbons)


def zones(e: Explanation) -> Panel:
    colours = {name: ZONE_COLOUR[z] for z, name in ZONE_NAMES.items()}
    spans = e.controller.zone_spans
    present = [name for name in colours if any(s.name == name for s in spans)]
    return Panel("Zone of hybrid", "", ribbons=[_ribbon(n, _named(spans, n), colours[n], 1e-6) for n in present])


def states(e: Explanation) -> Panel:
    """One row per state, so that no colour has to tell them apart."""
    spans = e.controller.state_spans
    names = list(dict.fromkeys(s.name for s in spans))[:STATES_SHOWN]
    return Panel("State of the controller", "", ribbons=[_ribbon(n, _named(spans, n), BLUE, 1e-6) for n in names])


def _named(spans: list[Span], name: str) -> list[Span]:
    return [s for s in spans if s.name == name]


def _ribbon(name: str, spans: list[Span], colour: str, apart: float = 0.0) -> Ribbon:
    own = list(_united(spans, apart))
    while len(own) > MOST_SPANS:
        apart = 2.0 * max(apart, (own[-1].end - own[0].begin) / (8 * MOST_SPANS))
        own = list(_united(own, apart))
    return Ribbon(name, np.array([s.begin for s in own]), np.array([s.end for s in own]), colour)


def _united(spans: list[Span], apart: float) -> Iterator[Span]:
    """Neighbours of one name that are no further apart, as one."""
    last: Span | None = None
    for s in spans:
        if last is not None and last.name == s.name and s.begin - last.end <= apart:
            last = Span(last.begin, max(last.end, s.end), s.name)
            continue
        if last is not None:
            yield last
        last = s
    if last is not None:
        yield last
