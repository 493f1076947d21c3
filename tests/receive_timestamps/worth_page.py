"""The table and the plots of what receive timestamps are worth and what they cost."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median

import matplotlib as mpl
from lab_runs import Point, Run
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "interop" / "testbed"))

from percentiles import percentile

WITHOUT, WITH = "#d55e00", "#0072b2"
USUAL = 2
"""Packets per ACK of the first plot."""

HEAD = (
    "| path | packets per ACK | timestamps per ACK | throughput, % of capacity | p95 delay, ms | Jain, 3 flows "
    "| start, s | error of the estimated delay, median, ms | size of this error, p95, ms "
    "| ACKs per MB | kB of ACKs per MB |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|\n"
)


def spread(values: Iterable[float], digits: int) -> str:
    """The median of the seeds, and between which values they lie where that shows."""
    known = sorted(value for value in values if value == value)
    if not known:
        return ""
    low, middle, high = (f"{value:.{digits}f}" for value in (known[0], median(known), known[-1]))
    return middle if low == high else f"{middle} ({low} to {high})"


def bias(run: Run) -> float:
    return percentile(run.errors_ms, 50) if run.errors_ms else float("nan")


def size_of_error(run: Run) -> float:
    return percentile(map(abs, run.errors_ms), 95) if run.errors_ms else float("nan")


COLUMNS: Sequence[tuple[Callable[[Run], float], int]] = (
    (lambda run: 100 * run.used, 1),
    (lambda run: run.p95_ms, 1),
    (lambda run: run.start_s, 2),
    (bias, 1),
    (size_of_error, 1),
    (lambda run: run.ack_packets, 0),
    (lambda run: run.ack_bytes / 1e3, 1),
)
PLACE_OF_JAIN = 2


def row(point: Point) -> str:
    cells = [spread(map(of, point.runs), digits) for of, digits in COLUMNS]
    cells.insert(PLACE_OF_JAIN, spread(point.jain, 3))
    timestamps = str(point.variant.timestamps_per_ack or "none")
    return "| " + " | ".join([point.path, str(point.variant.packets_per_ack), timestamps, *cells]) + " |"


def table(points: Sequence[Point]) -> str:
    return HEAD + "\n".join(map(row, points)) + "\n"


def of_seeds(point: Point, of: Callable[[Run], float]) -> tuple[float, float, float]:
    """Least, median, most."""
    values = [of(run) for run in point.runs]
    return min(values), median(values), max(values)


def draw_gain(points: Sequence[Point], out: Path) -> None:
    """Delay, and how far the controller was off about it, on every path."""
    usual = [point for point in points if point.variant.packets_per_ack == USUAL]
    most = max(point.variant.timestamps_per_ack for point in usual)
    paths = list(dict.fromkeys(point.path for point in usual))
    figure = Figure(figsize=(9, 0.42 * len(paths) + 1.4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    titles = ("p95 of the queueing delay, ms", "p95 of the size of the error of the estimated delay, ms")
    for axis, title, of in zip(panels, titles, (lambda run: run.p95_ms, size_of_error), strict=True):
        for shift, timestamps, colour, label in ((-0.2, 0, WITHOUT, "without"), (0.2, most, WITH, "with")):
            for place, path in enumerate(paths):
                found = [p for p in usual if p.path == path and p.variant.timestamps_per_ack == timestamps]
                low, middle, high = of_seeds(found[0], of)
                shown = label if place == 0 else None
                axis.barh(place + shift, middle, 0.38, color=colour, label=shown)
                axis.plot([low, high], [place + shift] * 2, color="black", linewidth=1)
        axis.set_xscale("log")
        axis.set_xlabel(title)
        axis.grid(axis="x", alpha=0.3)
    panels[0].set_yticks(range(len(paths)), [path.replace("`", "") for path in paths])
    panels[0].invert_yaxis()
    panels[1].legend(title="receive timestamps")
    save(figure, out)


def draw_price(points: Sequence[Point], out: Path) -> None:
    """Bytes of ACKs over packets per ACK, where several were tried."""
    tried = dict.fromkeys(point.path for point in points if point.variant.packets_per_ack != USUAL)
    figure = Figure(figsize=(4.2 * len(tried), 3.4), layout="constrained")
    panels = figure.subplots(1, len(tried), sharey=True, squeeze=False)[0]
    for axis, path in zip(panels, tried, strict=True):
        own = [point for point in points if point.path == path]
        for timestamps in sorted({point.variant.timestamps_per_ack for point in own}):
            line = [point for point in own if point.variant.timestamps_per_ack == timestamps]
            packets = [point.variant.packets_per_ack for point in line]
            bytes_of = [of_seeds(point, lambda run: run.ack_bytes / 1e3)[1] for point in line]
            label = f"at most {timestamps} timestamps" if timestamps else "no timestamps"
            axis.plot(packets, bytes_of, marker="o", label=label)
        axis.set_xscale("log", base=2)
        axis.set_xticks(packets, list(map(str, packets)))
        axis.set_title(path, fontsize=10)
        axis.set_xlabel("packets per ACK")
        axis.grid(alpha=0.3)
    panels[0].set_ylabel("kB of ACKs per delivered MB")
    panels[0].set_ylim(bottom=0)
    panels[-1].legend()
    save(figure, out)


def save(figure: Figure, out: Path) -> None:
    """Text stays text, and equal input gives equal files."""
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "receive-timestamps"}):
        figure.savefig(out, metadata={"Date": None})
