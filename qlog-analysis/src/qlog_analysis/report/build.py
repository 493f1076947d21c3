"""Puts figures, the table across traces and the verdicts into one HTML file without any reference to the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..check.run import check
from ..check.verdict import Verdict
from ..errors import AnalysisError, UnsuitableTraceError
from ..linklog import LinkLog
from ..metrics import Distribution, TraceMetrics, measure, transfer_span
from ..model import Trace
from ..pages import environment, shared
from ..plots.interactive import figure_json
from ..plots.panel import BLUE, GREY, LIGHT_BLUE, Panel, Series
from ..plots.panels import panels
from ..plots.thin import thin

SHOWN_FINDINGS = 25
OVERVIEW_COLOURS = (BLUE, "#c0392b", "#2e8b57", "#8e44ad", "#e0a800", GREY, LIGHT_BLUE)


@dataclass(frozen=True, slots=True)
class Section:
    """Everything that is shown of one trace."""

    trace: Trace
    metrics: TraceMetrics
    verdict: Verdict | None
    """None if there is no law to check."""
    link: LinkLog | None
    queue_ms: Distribution | None
    """Delay of the bottleneck's queue during the transfer."""
    figure: Markup


def sections(traces: list[Trace], links: list[LinkLog]) -> list[Section]:
    if links and len(links) != len(traces):
        raise AnalysisError(
            f"{len(links)} link logs for {len(traces)} traces: give --link as often as there are traces, "
            "in the same order, or not at all"
        )
    return [_section(t, links[i].shifted(t.reference) if links else None) for i, t in enumerate(traces)]


def _section(trace: Trace, link: LinkLog | None) -> Section:
    span = transfer_span(trace)
    try:
        verdict = check(trace)
    except UnsuitableTraceError:
        verdict = None
    return Section(
        trace=trace,
        metrics=measure(trace),
        verdict=verdict,
        link=link,
        queue_ms=link.delay_within(*span) if link is not None and span is not None else None,
        figure=Markup(figure_json(panels(trace, link))),
    )


def render(title: str, shown: list[Section], unusable: Sequence[str] = ()) -> str:
    """The page; `unusable` says of other traces why they are not in it."""
    templates = environment("report")
    templates.filters["ms"] = lambda x: "-" if x is None else f"{x:.1f}"
    templates.filters["mbit"] = lambda x: "-" if x is None else f"{x / 1e6:.3f}"
    templates.filters["percent"] = lambda x: "-" if x is None else f"{x:.2f}"
    overview = {"overview": Markup(figure_json([_overview(shown)]))} if len(shown) > 1 else {}
    return templates.get_template("page.html.jinja").render(
        title=title,
        sections=shown,
        figures=overview | {f"trace-{i}": s.figure for i, s in enumerate(shown, start=1)},
        unusable=unusable,
        shown_findings=SHOWN_FINDINGS,
        **shared(),
    )


def _overview(shown: list[Section]) -> Panel:
    """Queueing delay of all traces over one another: the bottleneck's own if every link was logged."""
    truth = all(s.link is not None for s in shown)
    panel = Panel("Queueing delay at the bottleneck" if truth else "Queueing delay, per packet", "ms")
    for i, s in enumerate(shown):
        colour = OVERVIEW_COLOURS[i % len(OVERVIEW_COLOURS)]
        if truth and s.link is not None:
            x, y = s.link.time, s.link.queue_delay * 1e3
        else:
            own = next((p for p in panels(s.trace) if p.title == "Queueing delay"), None)
            if own is None:
                continue
            x, y = own.series[0].x, own.series[0].y
        panel.series.append(Series(f"{i + 1}: {s.metrics.controller}", *thin(x, y), colour))
    return panel
