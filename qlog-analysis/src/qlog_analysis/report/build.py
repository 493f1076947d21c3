"""Puts figures, the table across traces and the verdicts into one HTML file without any reference to the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..check.run import check
from ..check.verdict import Verdict
from ..errors import AnalysisError, UnsuitableTraceError
from ..explain.explanation import Explanation, explain
from ..linklog import LinkLog
from ..metrics import Distribution, TraceMetrics, transfer_span
from ..model import Trace
from ..pages import environment, shared
from ..plots.compare import Compared, overlaid
from ..plots.interactive import figure_json
from ..plots.panels import panels

SHOWN_FINDINGS = 25


@dataclass(frozen=True, slots=True)
class Section:
    """Everything that is shown of one trace."""

    e: Explanation
    verdict: Verdict | None
    """None if there is no law to check."""
    link: LinkLog | None
    queue_ms: Distribution | None
    """Delay of the bottleneck's queue during the transfer."""
    figure: Markup

    @property
    def trace(self) -> Trace:
        return self.e.trace

    @property
    def metrics(self) -> TraceMetrics:
        return self.e.metrics


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
    e = explain(trace)
    return Section(
        e=e,
        verdict=verdict,
        link=link,
        queue_ms=link.delay_within(*span) if link is not None and span is not None else None,
        figure=Markup(figure_json(panels(e, link))),
    )


def render(title: str, shown: list[Section], unusable: Sequence[str] = ()) -> str:
    """The page; `unusable` says of other traces why they are not in it."""
    templates = environment("report")
    templates.filters["ms"] = lambda x: "-" if x is None else f"{x:.1f}"
    templates.filters["mbit"] = lambda x: "-" if x is None else f"{x / 1e6:.3f}"
    templates.filters["percent"] = lambda x: "-" if x is None else f"{x:.2f}"
    overview: dict[str, Markup] = {}
    if len(shown) > 1:
        overview["overview"] = Markup(figure_json(overlaid([Compared(s.e, s.link) for s in shown])))
    return templates.get_template("page.html.jinja").render(
        title=title,
        sections=shown,
        figures=overview | {f"trace-{i}": s.figure for i, s in enumerate(shown, start=1)},
        unusable=unusable,
        shown_findings=SHOWN_FINDINGS,
        **shared(),
    )
