"""The page docs/results/hunt.md: its table, and a picture of each case with its reason below."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path as File
from statistics import median
from textwrap import fill

sys.path.insert(0, str(File(__file__).resolve().parents[2] / "interop" / "testbed"))

from document_parts import replaced

from .harms import REFERENCES, Figures
from .judge import FRESH
from .lab import ROOT, HuntError, Lab, Run, run_lab
from .pictures import draw, series
from .scenario import ELASTIC, MAIN, NEIGHBOUR, text
from .tables import described
from .worst import Case

RESULTS = ROOT / "docs" / "results"
PAGE = RESULTS / "hunt.md"
WORST, PLANTED = "<!-- worst: by tests/hunt -->", "<!-- planted: by tests/hunt -->"
SHOWN = (
    ("goodput_bps", 1e-6),
    ("silence_s", 1.0),
    ("queueing_ms", 1.0),
    ("loss", 100.0),
    ("neighbours_bps", 1e-6),
)
HEAD = (
    "| receive timestamps | harm | octaves, least to most | all harms | compared with | path |\n"
    "|---|---|---|---|---|---|\n"
)


def row(case: Case) -> str:
    kind = "with" if case.timestamps else "without"
    octaves = f"**{case.score:.1f}**, {case.least:.1f} to {case.most:.1f}"
    return f"| {kind} | {case.harm} | {octaves} | {case.together:+.1f} | {case.rival} | {described(case.path)} |"


def table(cases: Sequence[Case]) -> str:
    return HEAD + "\n".join(map(row, cases)) + "\n"


def pictures(program: File, cases: Sequence[Case], out: File) -> list[File]:
    """One for each case: the flow in question under each controller, or its neighbours where they suffer."""
    drawn = []
    for case in cases:
        folder = out / "cases" / case.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        scenario = folder / "path.toml"
        scenario.write_text(text(case.path, case.name, case.timestamps), encoding="utf-8")
        runs = run_lab(program, scenario, folder / "runs", [case.cc, *REFERENCES], FRESH[0])
        flow = NEIGHBOUR if case.harm == "unfairness" else MAIN
        whose = "the neighbours beside " if case.harm == "unfairness" else ""
        lines = {f"{whose}{cc}": series(where / "flows.csv", flow) for cc, where in runs.items()}
        drawn.append(out / f"hunt-{case.name}.svg")
        draw(lines, described(case.path), drawn[-1])
    return drawn


def figures(lab: Lab, case: Case) -> str:
    """What the fresh seeds came to, of the controller and of both that it could be held against; medians."""
    beside = case.path.neighbours in ELASTIC
    head = "| controller | goodput, Mbit/s | longest silence, s | mean queue, ms | lost, % |" + (
        " competing flows' goodput, Mbit/s |" if beside else ""
    )
    lines = [head, "|---" * (6 if beside else 5) + "|"]
    for cc in (case.cc, *REFERENCES):
        of = lab.figures([Run(case.path, cc, case.timestamps, seed) for seed in FRESH])
        cells = [_median(of, name, by) for name, by in SHOWN if beside or name != "neighbours_bps"]
        lines.append(f"| {cc} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _median(of: Sequence[Figures], name: str, by: float) -> str:
    if all(one.cut_off for one in of):
        return "no end"
    return f"{median(by * getattr(one, name) for one in of if not one.cut_off):.3g}"


def publish(lab: Lab, cases: Sequence[Case], drawn: Sequence[File]) -> None:
    """Table, pictures and reasons between the marks of the page. Pictures of cases that are none any more go."""
    for old in RESULTS.glob("hunt-*.svg"):
        old.unlink()
    parts = [table(cases)]
    for number, (case, picture) in enumerate(zip(cases, drawn, strict=True), 1):
        shutil.copy(picture, RESULTS / picture.name)
        kind = "with" if case.timestamps else "without"
        parts.append(f"### {number}. {case.harm.capitalize()}, {kind} receive timestamps\n")
        parts.append(_filled(f"{described(case.path)} ([scenario](../../tests/hunt/found/{case.name}.toml)):"))
        parts.append(figures(lab, case))
        parts.append(f"![Rate and queueing delay of case {number}]({picture.name})\n")
        parts.append(_filled(case.reason))
    place(WORST, "\n".join(parts))


def _filled(paragraph: str) -> str:
    return fill(paragraph, 119, break_on_hyphens=False, break_long_words=False) + "\n"


def place(mark: str, part: str) -> None:
    PAGE.write_text(placed(PAGE.read_text(encoding="utf-8"), mark, part), encoding="utf-8")


def placed(whole: str, mark: str, part: str) -> str:
    """What stands between the mark and the next end is replaced."""
    return replaced(whole, mark, part, lambda why: HuntError(f"{PAGE}: expected a part, but {why}"))
