"""Pictures of the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter

from .constants import Constant
from .evaluator import Result
from .objective import cost
from .tables import Row

SHOWN = ("used", "disturbed", "p95", "jain", "bias")
"""Panels over a constant, below the cost."""
MARK = "#d55e00"


@dataclass(frozen=True)
class Curve:
    """Results over the values of one constant."""

    constant: Constant
    results: Sequence[tuple[float, Result]]


def draw_curve(curve: Curve, out: Path) -> None:
    """What is used, delayed and shared over a constant, its default marked."""
    first = curve.results[0][1]
    heads = {cell.name: cell.head for cell in first.summary if cell.name in SHOWN}
    panels = {"cost": [cost(result.scenarios) for _, result in curve.results]}
    panels |= {head: [result.value(name) for _, result in curve.results] for name, head in heads.items()}
    figure = Figure(figsize=(7, 1.5 * len(panels) + 0.8), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    values = [value for value, _ in curve.results]
    for axis, (head, figures) in zip(axes, panels.items(), strict=True):
        axis.plot(values, figures, marker=".", color="#0072b2")
        axis.axvline(curve.constant.default, color=MARK, linestyle="--", linewidth=1)
        axis.set_title(head, loc="left", fontsize=9)
        axis.grid(alpha=0.3)
        axis.set_xscale(curve.constant.scale)
    unit = f" [{curve.constant.unit}]" if curve.constant.unit else ""
    axes[-1].set_xlabel(f"{curve.constant.name}{unit}, dashed: the default")
    _save(figure, out)


def draw_trade_off(results: Sequence[Result], marked: Sequence[Row], out: Path) -> None:
    """Delay against use of every point that was looked at, coloured by the equality of shares."""
    figure = Figure(figsize=(7.5, 5), layout="constrained")
    axis = figure.subplots()
    dots = _scatter(axis, results, 14, "o", "none")
    for (name, result), marker in zip(marked, "*P", strict=True):
        label = f"{name}: Jain's index {result.value('jain'):.3f}"
        _scatter(axis, [result], 150, marker, MARK).set_label(label)
    heads = {cell.name: cell.head for cell in results[0].summary}
    figure.colorbar(dots, label=heads["jain"])
    axis.set_xscale("log")
    for which in (axis.xaxis.set_major_formatter, axis.xaxis.set_minor_formatter):
        which(FormatStrFormatter("%g"))
    axis.set_xlabel(heads["p95"])
    axis.set_ylabel(heads["used"])
    axis.grid(alpha=0.3, which="both")
    axis.legend(fontsize=8)
    _save(figure, out)


def _scatter(axis: Axes, results: Sequence[Result], size: float, marker: str, edge: str) -> PathCollection:
    delay, used, jain = ([result.value(name) for result in results] for name in ("p95", "used", "jain"))
    colours = Normalize(0.9, 1.0)
    return axis.scatter(delay, used, s=size, c=jain, marker=marker, cmap="cividis", norm=colours, edgecolors=edge)


def _save(figure: Figure, out: Path) -> None:
    """Text stays text, and equal input gives equal files."""
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "search"}):
        figure.savefig(out, metadata={"Date": None})
