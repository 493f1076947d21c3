"""The picture: rates, window, delay, and ribbons of what limited and of the controller's states."""

from __future__ import annotations

import numpy as np

from ..plots.panel import Panel, Ribbon, Series, series
from ..plots.panels import rate_over_time, received, sent_on_the_wire
from . import words
from .controller import Span
from .explanation import Explanation, Role
from .limits import Limit

# Okabe and Ito's colours, which people with every kind of colour vision can tell apart.
BLUE, ORANGE, VERMILLION, SKY, GREY = "#0072b2", "#e69f00", "#d55e00", "#56b4e9", "#7f8c8d"
LIMIT_COLOURS = {
    Limit.HANDSHAKE: "#7f8c8d",
    Limit.APPLICATION: "#56b4e9",
    Limit.RECEIVER: "#cc79a7",
    Limit.WINDOW: "#0072b2",
    Limit.PACING: "#009e73",
    Limit.PATH: "#e69f00",
    Limit.INTERRUPTED: "#d55e00",
    Limit.UNKNOWN: "#c8c8c8",
}
MOST_SPANS = 2000
STATES_SHOWN = 8


def panels(e: Explanation) -> list[Panel]:
    out = [_limits(e)] if e.role is Role.SENDER else [_received(e)]
    out += [_rate(e), _flight(e), _delay(e)]
    for title, spans in (
        ("Zone of hybrid", e.controller.zone_spans),
        ("State of the controller", e.controller.state_spans),
    ):
        out += [_states(title, spans)] if spans else []
    return [p for p in out if p.ribbons or any(len(s.x) for s in p.series)]


def _limits(e: Explanation) -> Panel:
    """The chief limit of each bin; neighbours of the same kind in one piece."""
    edges, chief = e.limits.edges, e.limits.chief()
    step = max(len(chief) // MOST_SPANS, 1)
    spans: list[Span] = []
    for i in range(0, len(chief), step):
        begin, end = float(edges[i]), float(edges[min(i + step, len(chief))])
        shares = e.limits.of(begin, end)
        name = words.LIMIT_NAMES[max(shares, key=lambda x: shares[x])] if shares else "unknown"
        if spans and spans[-1].name == name:
            spans[-1] = Span(spans[-1].begin, end, name)
        else:
            spans.append(Span(begin, end, name))
    present = [x for x in Limit if any(s.name == words.LIMIT_NAMES[x] for s in spans)]
    ribbons = [_ribbon(words.LIMIT_NAMES[x], spans, LIMIT_COLOURS[x]) for x in present]
    return Panel("What limited the sender", "", ribbons=ribbons)


def _ribbon(name: str, spans: list[Span], colour: str) -> Ribbon:
    own = [s for s in spans if s.name == name]
    return Ribbon(name, np.array([s.begin for s in own]), np.array([s.end for s in own]), colour)


def _states(title: str, spans: list[Span]) -> Panel:
    """One row per state, so that no colour has to tell them apart."""
    united: list[Span] = []
    for s in spans:
        if united and united[-1].name == s.name and s.begin - united[-1].end < 1e-6:
            united[-1] = Span(united[-1].begin, s.end, s.name)
        else:
            united.append(s)
    names = list(dict.fromkeys(s.name for s in united))[:STATES_SHOWN]
    return Panel(title, "", ribbons=[_ribbon(name, united[:MOST_SPANS], BLUE) for name in names])


def _rate(e: Explanation) -> Panel:
    o = e.observed
    r = o.removals
    lost = r.time[r.lost]
    return Panel(
        "Rate on the wire",
        "Mbit/s",
        [
            Series("sent", *rate_over_time(o.sends.time, o.sends.size), SKY)
            if e.trace.frames_known
            else sent_on_the_wire(e.trace, SKY),
            Series("acknowledged", *rate_over_time(r.time[~r.lost], r.size[~r.lost]), BLUE),
            series("loss", lost, np.zeros(len(lost)), VERMILLION, style="crosses"),
        ],
    )


def _received(e: Explanation) -> Panel:
    return Panel("Rate of streams received", "Mbit/s", [Series("received", *received(e.trace), BLUE)])


def _flight(e: Explanation) -> Panel:
    s = e.observed.sends
    return Panel(
        "In flight and window",
        "kB",
        [
            series("in flight", s.time, (s.in_flight + s.size) / 1e3, SKY),
            series("window", s.time, s.window / 1e3, BLUE, style="step"),
        ],
    )


def _delay(e: Explanation) -> Panel:
    d = e.observed.samples
    return Panel(
        "Round trip and queueing delay",
        "ms",
        [
            series("round trip", d.time, d.rtt * 1e3, ORANGE),
            series("queueing delay", d.time, d.rowd * 1e3, BLUE, style="dots", faint=True),
        ],
    )
