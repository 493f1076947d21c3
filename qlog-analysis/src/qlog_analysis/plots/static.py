"""Draws panels with matplotlib."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ..output import replacing
from .panel import Panel, Series
from .thin import thin

FORMATS = (".svg", ".png")
_MARKER = {"dots": ".", "squares": "s", "triangles": "^", "crosses": "x"}
_SIZE = {"dots": 12, "squares": 9, "triangles": 14, "crosses": 14}
HEIGHT, ROW, GAP = 1.6, 0.2, 0.75
"""Inches: of a panel, of a row of ribbons, around each."""


def draw(title: str, panels: list[Panel], out: Path) -> None:
    """Writes the panels, one above the other, to an SVG or PNG file."""
    heights = [ROW * len(p.rows) + 0.1 if p.ribbons else HEIGHT for p in panels]
    figure = Figure(figsize=(11, sum(heights) + GAP * len(panels) + 0.5), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axis, panel in zip(axes, panels, strict=True):
        if panel.ribbons:
            _ribbons(axis, panel)
        else:
            _panel(axis, panel)
        axis.set_title(panel.title, loc="left", fontsize=10)
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(title)
    _settle(figure)
    kind = out.suffix.removeprefix(".")
    # Text stays text, and equal input gives equal files.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "qlog-analysis"}), replacing(out) as f:
        figure.savefig(f, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else None)


def _settle(figure: Figure) -> None:
    """Keeps the layout, but for digits that differ from run to run: SVG names clips by them."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axis in figure.axes:
        left, low, width, height = (round(value, 6) for value in axis.get_position().bounds)
        axis.set_position((left, low, width, height))


def _ribbons(axis: Axes, panel: Panel) -> None:
    rows = panel.rows
    for r in panel.ribbons:
        spans = list(zip(r.begin.tolist(), (r.end - r.begin).tolist(), strict=True))
        axis.broken_barh(spans, (rows.index(r.name) - 0.4, 0.8), facecolors=r.colour, linewidth=0)
    axis.set_yticks(range(len(rows)), rows, fontsize=8)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.margins(x=0.01)
    axis.grid(axis="x", alpha=0.3)
    meanings = {r.meaning: r.colour for r in panel.ribbons if r.meaning}
    if meanings:
        handles = [Patch(color=colour, label=meaning) for meaning, colour in meanings.items()]
        axis.legend(handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize=7, ncols=8, frameon=False)


def _panel(axis: Axes, panel: Panel) -> None:
    for area in panel.areas:
        axis.fill_between(
            area.x, area.low, area.high, step="post", color=area.colour, alpha=0.18, linewidth=0, label=area.name
        )
    for series in panel.series:
        if len(series.x):
            _series(axis, series)
    top = panel.top() * 1.05 or 1.0
    for band in panel.bands:
        if band.low < top:
            high = top if band.high is None else min(band.high, top)
            axis.axhspan(band.low, high, color=band.colour, alpha=0.10, linewidth=0)
    axis.set_ylim(bottom=0.0, top=top)
    axis.margins(x=0.01)
    axis.set_ylabel(f"[{panel.unit}]")
    axis.grid(alpha=0.3)
    # Above the panel, where no line is.
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize=7, ncols=8, frameon=False, borderaxespad=0.1)


def _series(axis: Axes, s: Series) -> None:
    x, y = thin(s.x, s.y)
    alpha = 0.35 if s.faint else 0.9
    if s.style == "line":
        axis.plot(x, y, color=s.colour, linewidth=0.9, alpha=alpha, label=s.name)
    elif s.style == "step":
        axis.step(x, y, where="post", color=s.colour, linewidth=1.1, alpha=alpha, label=s.name)
    else:
        size = 3 if s.faint else _SIZE[s.style]
        linewidth = 0.9 if s.style == "crosses" else 0.0
        axis.scatter(
            x,
            y,
            color=s.colour,
            marker=_MARKER[s.style],
            s=size,
            alpha=alpha,
            label=s.name,
            clip_on=False,
            linewidths=linewidth,
        )
