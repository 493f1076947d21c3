"""Draws panels with matplotlib."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..output import replacing
from .panel import Panel, Series

FORMATS = (".svg", ".png")


def draw(title: str, panels: list[Panel], out: Path) -> None:
    """Writes the panels, one above the other, to an SVG or PNG file."""
    figure = Figure(figsize=(11, 2.4 * len(panels) + 0.8), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, panel in zip(axes, panels, strict=True):
        _panel(axis, panel)
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(title)
    kind = out.suffix.removeprefix(".")
    # Text stays text, and equal input gives equal files.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "qlog-analysis"}), replacing(out) as f:
        figure.savefig(f, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else None)


def _panel(axis: Axes, panel: Panel) -> None:
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
    axis.set_title(panel.title, loc="left", fontsize=10)
    axis.set_ylabel(f"[{panel.unit}]")
    axis.grid(alpha=0.3)
    axis.legend(loc="upper right", fontsize=7, ncols=3)


def _series(axis: Axes, s: Series) -> None:
    alpha = 0.35 if s.faint else 0.9
    if s.style == "line":
        axis.plot(s.x, s.y, color=s.colour, linewidth=0.9, alpha=alpha, label=s.name)
    elif s.style == "step":
        axis.step(s.x, s.y, where="post", color=s.colour, linewidth=1.1, alpha=alpha, label=s.name)
    else:
        marker = "x" if s.style == "crosses" else "."
        size = 14 if s.style == "crosses" else (3 if s.faint else 12)
        axis.scatter(s.x, s.y, color=s.colour, marker=marker, s=size, alpha=alpha, label=s.name, clip_on=False)
