"""The report of a fleet as one HTML page that stands alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup

from ..explain import words
from ..explain.limits import Limit
from ..pages import environment, shared
from ..plots.interactive import script_safe
from ..plots.panel import BLUE, GREY, LIGHT_BLUE
from .chosen import Chosen
from .outcome import SHOWN_GROUPS, Report, explained, ms, number
from .table import Table

COLOURS = (BLUE, "#c0392b", "#2e8b57", "#8e44ad", "#e0a800", GREY, LIGHT_BLUE)
LIMIT_COLOURS = dict(
    zip(
        Limit,
        ("#bbbbbb", "#7fb069", "#e6aa68", "#c0392b", "#8e44ad", "#2a6fb0", "#555555", "#e4e4e4"),
        strict=True,
    )
)
POINTS = 200
"""Of a distribution."""
DELAY = "queueing_delay_p95_ms"


def distributions(report: Report, this: tuple[Table, Chosen], other: tuple[Table, Chosen] | None) -> Markup:
    """Queueing delay of connections: of both fleets, or of the controllers of one."""
    figure = go.Figure()
    if other is not None:
        for name, (table, chosen) in (("this", this), ("other", other)):
            _add(figure, name, table.column(DELAY, chosen.where, chosen.parameters))
    else:
        table, chosen = this
        for group in report.fleet.groups["controller"][: len(COLOURS)]:
            where = f"{chosen.where} AND controller = ?"
            _add(figure, group.name, table.column(DELAY, where, [*chosen.parameters, group.name]))
    figure.update_xaxes(title_text="queueing delay, 95th percentile of a connection [ms]", rangemode="tozero")
    figure.update_yaxes(title_text="share of connections [%]", range=[0, 100])
    figure.update_layout(
        height=380,
        margin={"l": 60, "r": 20, "t": 20, "b": 50},
        template="plotly_white",
        showlegend=True,
        legend={"x": 1, "xanchor": "right", "y": 0, "yanchor": "bottom"},  # the corner that is empty
    )
    return Markup(script_safe(str(figure.to_json())))


def _add(figure: Any, name: str, values: Any) -> None:
    if not len(values):
        return
    shares = np.linspace(0.0, 100.0, min(POINTS, len(values)) + 1)
    x = np.percentile(np.ma.compressed(values), shares).tolist()
    line = {"color": COLOURS[len(figure.data) % len(COLOURS)], "width": 1.6}
    figure.add_trace(go.Scatter(x=x, y=shares.tolist(), name=name, mode="lines", line=line))


def render(report: Report, figure: Markup) -> str:
    templates = environment("fleet")
    templates.filters |= {"ms": ms, "number": number, "percent": words.percent}
    templates.filters["rate"] = lambda bps: "-" if bps is None else words.rate(bps)
    templates.filters["count"] = lambda n: f"{n:,}"
    templates.filters["signed"] = lambda x: f"{x:+.3g}"
    return templates.get_template("page.html.jinja").render(
        title=f"Fleet {report.fleet.store}",
        report=report,
        fleet=report.fleet,
        figures={"delay": figure},
        shown_groups=SHOWN_GROUPS,
        limit_names={limit.value: words.LIMIT_NAMES[limit] for limit in Limit},
        limit_colours={limit.value: colour for limit, colour in LIMIT_COLOURS.items()},
        explained=explained(report),
        **shared(),
    )
