"""The report of a fleet as one HTML page that stands alone."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup

from ..explain import words
from ..explain.limits import Limit
from ..pages import environment, shared
from ..percentiles import percentiles
from ..plots.interactive import script_safe
from ..plots.panel import OF_SEVERAL
from ..plots.ribbons import LIMIT_COLOURS
from .chosen import Chosen
from .outcome import SHOWN_GROUPS, Report, explained, ms, number
from .summary import MOST_ERRORS
from .table import Table

SHARES = [0.5 * n for n in range(201)]
"""Percent of the connections at which a distribution is drawn."""
DELAY = "queueing_delay_p95_ms"


def distributions(report: Report, this: tuple[Table, Chosen], other: tuple[Table, Chosen] | None) -> Markup:
    """Queueing delay of connections: of both fleets, or of the controllers of one."""
    figure = go.Figure()
    if other is not None:
        for name, (table, chosen) in (("this", this), ("other", other)):
            _add(figure, name, table.column(DELAY, chosen.where, chosen.parameters))
    else:
        table, chosen = this
        for group in report.fleet.groups["controller"][: len(OF_SEVERAL)]:
            where = f"{chosen.where} AND controller = ?"
            _add(figure, group.name, table.column(DELAY, where, [*chosen.parameters, group.name]))
    figure.update_xaxes(title_text="queueing delay per packet, p95 of a connection [ms]", rangemode="tozero")
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
    # Plotly reads some HTML in it.
    x = percentiles(np.ma.compressed(values), SHARES)
    line = {"color": OF_SEVERAL[len(figure.data) % len(OF_SEVERAL)], "width": 1.6}
    figure.add_trace(go.Scatter(x=x, y=SHARES, name=html.escape(name, quote=False), mode="lines", line=line))


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
        shown_problems=MOST_ERRORS,
        limit_names={limit.value: words.LIMIT_NAMES[limit] for limit in Limit},
        limit_colours={limit.value: colour for limit, colour in LIMIT_COLOURS.items()},
        explained=explained(report),
        **shared(),
    )
