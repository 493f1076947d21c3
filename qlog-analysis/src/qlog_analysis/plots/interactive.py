"""Draws panels with plotly: zoom with the mouse, all panels share the time axis."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs
from plotly.subplots import make_subplots

from .panel import Panel, Series

CONFIG: dict[str, Any] = {
    "responsive": True,
    "displaylogo": False,  # is a link to plotly.com
    "showSendToCloud": False,
    "plotlyServerURL": "",
    "modeBarButtonsToRemove": ["sendChartToCloud"],
}
"""How plotly shows figures: nothing in the page leads out of it."""

_MODE = {"line": "lines", "step": "lines", "dots": "markers", "crosses": "markers"}


def library() -> str:
    """plotly.js, to stand once in a page."""
    return str(get_plotlyjs())


def figure_json(panels: list[Panel]) -> str:
    """The figure as JSON that may stand inside a <script> element; an empty one without panels."""
    if not panels:
        return script_safe(str(go.Figure().to_json()))
    figure = make_subplots(
        rows=len(panels),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.25 / (len(panels) + 4),
        subplot_titles=[f"{p.title} [{p.unit}]" if p.unit else p.title for p in panels],
    )
    for row, panel in enumerate(panels, start=1):
        for series in panel.series:
            if len(series.x):
                figure.add_trace(_series(series, panel, row), row=row, col=1)
        _bands(figure, panel, row)
        _legend(figure, row)
        if panel.ribbons:
            _ribbons(figure, panel, row)
        else:
            figure.update_yaxes(rangemode="tozero", row=row, col=1)
    figure.update_xaxes(title_text="time [s]", row=len(panels), col=1)
    figure.update_annotations(x=0.0, xanchor="left", font_size=13)
    figure.update_layout(
        height=210 * len(panels) + 90,
        margin={"l": 60, "r": 20, "t": 40, "b": 45},
        template="plotly_white",
        hovermode="x",
    )
    return script_safe(str(figure.to_json()))


def script_safe(json_text: str) -> str:
    """JSON in which no character can end a <script> element."""
    return json_text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _series(s: Series, panel: Panel, row: int) -> Any:
    line = s.style in ("line", "step")
    return go.Scatter(
        x=s.x,
        y=s.y,
        name=s.name,
        mode=_MODE[s.style],
        legend=_legend_name(row),
        opacity=0.45 if s.faint else 0.95,
        line={"color": s.colour, "width": 1.3, "shape": "hv" if s.style == "step" else "linear"} if line else None,
        marker=None if line else _marker(s),
        hovertemplate="%{x:.3f} s: %{y:.3f} " + panel.unit,
    )


def _ribbons(figure: Any, panel: Panel, row: int) -> None:
    """A row per ribbon, with its name on the axis: it needs no legend."""
    for r in panel.ribbons:
        bars = go.Bar(
            base=r.begin,
            x=r.end - r.begin,
            y=[r.name] * len(r.begin),
            orientation="h",
            width=0.8,
            marker={"color": r.colour, "line": {"width": 0}},
            customdata=r.end,
            hovertemplate="%{base:.3f} s to %{customdata:.3f} s<extra>" + r.name + "</extra>",
            showlegend=False,
        )
        figure.add_trace(bars, row=row, col=1)
    names = [r.name for r in panel.ribbons]
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1], automargin=True, row=row, col=1)
    figure.update_layout(barmode="overlay")


def _legend_name(row: int) -> str:
    return "legend" if row == 1 else f"legend{row}"


def _legend(figure: Any, row: int) -> None:
    """Every panel has its legend beside it."""
    axis = figure.layout["yaxis" if row == 1 else f"yaxis{row}"]
    figure.update_layout({_legend_name(row): {"y": axis.domain[1], "yanchor": "top", "x": 1.01, "font": {"size": 11}}})


def _marker(s: Series) -> dict[str, Any]:
    symbol = "x-thin" if s.style == "crosses" else "circle"
    size = 7 if s.style == "crosses" else (2.5 if s.faint else 5.5)
    return {"color": s.colour, "size": size, "symbol": symbol, "line": {"color": s.colour, "width": 1}}


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
