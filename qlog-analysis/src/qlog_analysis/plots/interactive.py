"""Draws panels with plotly: zoom with the mouse or a finger, all panels share the time axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs
from plotly.subplots import make_subplots

from ..arrays import Floats
from .panel import Area, Panel, Series, Style

CONFIG: dict[str, Any] = {
    "responsive": True,
    "displaylogo": False,  # is a link to plotly.com
    "showSendToCloud": False,
    "plotlyServerURL": "",
    "modeBarButtonsToRemove": ["sendChartToCloud", "select2d", "lasso2d", "autoScale2d"],
    "doubleClick": "reset",
    "toImageButtonOptions": {"format": "svg"},
}
"""How plotly shows figures: nothing in the page leads out of it."""

_SYMBOL: dict[Style, str] = {"dots": "circle", "squares": "square", "triangles": "triangle-up", "crosses": "x-thin"}
MANY = 500
"""Marks, which are drawn small."""
HEIGHT, ROW, GAP, AROUND = 150, 20, 42, 90
"""Pixels: of a panel, of a row of ribbons, between panels, above and below all."""


def library() -> str:
    """plotly.js, to stand once in a page."""
    return str(get_plotlyjs())


def figure_json(panels: list[Panel]) -> str:
    """The figure as JSON that may stand inside a <script> element; an empty one without panels."""
    if not panels:
        return script_safe(str(go.Figure().to_json()))
    heights = [ROW * len(p.rows) + 8 if p.ribbons else HEIGHT for p in panels]
    total = sum(heights) + GAP * (len(panels) - 1)
    figure = make_subplots(
        rows=len(panels),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=GAP / total if len(panels) > 1 else 0.0,
        row_heights=heights,
        subplot_titles=[f"{p.title} [{p.unit}]" if p.unit else p.title for p in panels],
    )
    for row, panel in enumerate(panels, start=1):
        _panel(figure, panel, row)
    figure.update_xaxes(range=_times(panels))  # of all, whatever part of it is drawn
    figure.update_xaxes(title_text="time [s]", row=len(panels), col=1)
    figure.update_annotations(x=0.0, xanchor="left", font_size=13)
    figure.update_layout(
        height=total + AROUND,
        margin={"l": 60, "r": 20, "t": 40, "b": 50},
        template="plotly_white",
        hovermode="closest",
        barmode="overlay",
    )
    return script_safe(str(figure.to_json()))


def _times(panels: list[Panel]) -> tuple[float, float]:
    """From the first to the last of anything drawn, with a little around it."""
    begins = [float(s.x[0]) for p in panels for s in p.series if len(s.x)]
    begins += [float(r.begin[0]) for p in panels for r in p.ribbons if len(r.begin)]
    ends = [float(s.x[-1]) for p in panels for s in p.series if len(s.x)]
    ends += [float(r.end[-1]) for p in panels for r in p.ribbons if len(r.end)]
    begin, end = min(begins, default=0.0), max(ends, default=1.0)
    around = 0.01 * (end - begin) or 0.5
    return begin - around, end + around


def script_safe(json_text: str) -> str:
    """JSON in which no character can end a <script> element."""
    return json_text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _panel(figure: Any, panel: Panel, row: int) -> None:
    for area in panel.areas:
        figure.add_traces(_area(area, row), rows=row, cols=1)
    for series in panel.series:
        if len(series.x):
            figure.add_trace(_series(series, panel, row), row=row, col=1)
    _bands(figure, panel, row)
    _legend(figure, row)
    if panel.ribbons:
        _ribbons(figure, panel, row)
    elif panel.from_zero:
        figure.update_yaxes(rangemode="tozero", row=row, col=1)


def _column(values: Floats) -> Any:
    """A page shows no more digits than these, and has half of the size."""
    return values.astype(np.float32)


def _series(s: Series, panel: Panel, row: int) -> Any:
    line = s.style in ("line", "step")
    return go.Scatter(
        x=_column(s.x),
        y=_column(s.y),
        name=s.name,
        mode="lines" if line else "markers",
        legend=_legend_name(row),
        opacity=0.45 if s.faint else 0.95,
        line={"color": s.colour, "width": 1.3, "shape": "hv" if s.style == "step" else "linear"} if line else None,
        marker=None if line else _marker(s),
        hovertemplate="%{x:.4f} s: %{y:.3f} " + panel.unit,
    )


def _marker(s: Series) -> dict[str, Any]:
    many = s.faint or len(s.x) > MANY
    size = 7 if s.style == "crosses" else (2.5 if many else 5)
    return {"color": s.colour, "size": size, "symbol": _SYMBOL[s.style], "line": {"color": s.colour, "width": 1}}


def _area(a: Area, row: int) -> list[Any]:
    """A line that is not seen, and one that is filled down to it."""
    shared = {"mode": "lines", "line": {"width": 0, "shape": "hv"}, "hoverinfo": "skip", "legend": _legend_name(row)}
    low = go.Scatter(x=_column(a.x), y=_column(a.low), showlegend=False, **shared)
    fill = {"fill": "tonexty", "fillcolor": _faint(a.colour), "name": a.name}
    return [low, go.Scatter(x=_column(a.x), y=_column(a.high), **fill, **shared)]


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"


def _ribbons(figure: Any, panel: Panel, row: int) -> None:
    """A row per name, which stands on the axis: it needs no legend."""
    for r in panel.ribbons:
        bars = go.Bar(
            base=r.begin,
            x=r.end - r.begin,
            y=[r.name] * len(r.begin),
            orientation="h",
            width=0.8,
            marker={"color": r.colour, "line": {"width": 0}},
            customdata=r.end,
            hovertemplate="%{base:.3f} s to %{customdata:.3f} s<extra>" + r.label + "</extra>",
            showlegend=False,
        )
        figure.add_trace(bars, row=row, col=1)
    figure.update_yaxes(categoryorder="array", categoryarray=panel.rows[::-1], automargin=True, row=row, col=1)


def _legend_name(row: int) -> str:
    return "legend" if row == 1 else f"legend{row}"


def _legend(figure: Any, row: int) -> None:
    """Every panel has its legend beside it."""
    axis = figure.layout["yaxis" if row == 1 else f"yaxis{row}"]
    place = {"y": axis.domain[1], "yanchor": "top", "x": 1.01}
    figure.update_layout({_legend_name(row): {**place, "font": {"size": 11}, "traceorder": "normal"}})


def _bands(figure: Any, panel: Panel, row: int) -> None:
    top = panel.top()
    for band in panel.bands:
        if band.low < top:
            high = max(top * 1.05, band.low * 1.05) if band.high is None else min(band.high, top * 1.05)
            figure.add_hrect(
                y0=band.low,
                y1=high,
                fillcolor=band.colour,
                opacity=0.10,
                line_width=0,
                layer="below",
                row=row,
                col=1,
            )
