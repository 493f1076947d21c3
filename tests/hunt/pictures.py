"""Rate and queue over time of a case, beside the better of the two that it is held against."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path as File
from statistics import fmean

import matplotlib as mpl
from matplotlib.figure import Figure

BIN_S = 0.2
# Of Okabe and Ito, apart for the colour-blind; the style of the lines says it, too.
STYLES = (("#0072b2", "-"), ("#d55e00", "--"), ("#666666", ":"))
Series = tuple[list[float], list[float], list[float]]
"""Times, Mbit/s that arrived, and mean queueing delays in ms."""


def series(file: File, flow: str) -> Series:
    """Of a flow, or of all whose name begins so, added up; in bins."""
    rates: dict[int, float] = defaultdict(float)
    delays: dict[int, list[float]] = defaultdict(list)
    widths: set[float] = set()
    with file.open(newline="", encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            if not line["flow"].startswith(flow):
                continue
            widths.add(float(line["from_s"]))
            bin_ = int(float(line["from_s"]) / BIN_S + 1e-6)
            rates[bin_] += float(line["throughput_bps"] or 0)
            if line["queueing_mean_ms"]:
                delays[bin_].append(float(line["queueing_mean_ms"]))
    bins = sorted(rates)
    of_a_bin = max(len(widths) / max(len(bins), 1), 1.0)
    times = [bin_ * BIN_S for bin_ in bins]
    waits = [fmean(delays[bin_]) if delays[bin_] else float("nan") for bin_ in bins]
    return times, [rates[bin_] / of_a_bin / 1e6 for bin_ in bins], waits


def draw(lines: Mapping[str, Series], title: str, out: File) -> None:
    """A line for each name, the first the one in question."""
    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    rate, queue = figure.subplots(2, 1, sharex=True)
    for (name, (times, rates, waits)), (colour, style) in zip(lines.items(), STYLES, strict=False):
        rate.plot(times, rates, color=colour, linestyle=style, linewidth=1.2, label=name)
        queue.plot(times, waits, color=colour, linestyle=style, linewidth=1.2)
    rate.set_title(title, loc="left", fontsize=9)
    rate.set_ylabel("Mbit/s", fontsize=8)
    queue.set_ylabel("queue, ms", fontsize=8)
    queue.set_xlabel("s", fontsize=8)
    for axis in (rate, queue):
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
        axis.tick_params(labelsize=8)
    rate.legend(fontsize=8, loc="upper right")
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "hunt"}):
        figure.savefig(out, metadata={"Date": None})
