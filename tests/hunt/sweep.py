"""Random paths, and how many of them are bad for a controller."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from .harms import HARMS, Scores, worst
from .judge import Against
from .space import Path, draw
from .tables import described
from .worst import Case

BAD = 1.0
"""Octaves from which on a path counts as bad: twice the queue, loss or silence of the better, or half of the share."""
SHOWN = 10
STEP = 10
"""Paths between two signs of life."""
EACH = 4
"""Paths for each that works, at least, so that few wait for the last."""


@dataclass(frozen=True)
class Swept:
    """A path of the sweep."""

    number: int
    path: Path
    scores: Scores

    @property
    def harm(self) -> str:
        return worst(self.scores)

    @property
    def score(self) -> float:
        return self.scores[self.harm]


def sweep(judge: Against, seed: int, count: int) -> list[Swept]:
    """The worst first. Path and run of number n are those of seed n, whatever the count."""
    numbers = range(seed, seed + count)
    found: list[Swept] = []
    step = max(STEP, EACH * judge.lab.crew.jobs)
    for first in range(0, count, step):
        some = numbers[first : first + step]
        paths = [draw(random.Random(number)).path() for number in some]
        found += map(Swept, some, paths, judge.each(paths, some))
        print(f"{len(found)} of {count} paths", file=sys.stderr, flush=True)
    return sorted(found, key=lambda one: -one.score)


def bad_share(found: Sequence[Swept]) -> float:
    return sum(one.score >= BAD for one in found) / len(found)


def mean_score(found: Sequence[Swept]) -> float:
    """Of a few paths steadier than the share of the bad ones, which one path changes by crossing a threshold."""
    return fmean(one.score for one in found)


def cases(found: Sequence[Swept], cc: str, timestamps: bool) -> list[Case]:
    """The ten worst, as what can be minimised."""
    return [Case(cc, timestamps, one.harm, one.path, score=one.score) for one in found[:SHOWN]]


def report(found: Sequence[Swept], cc: str, timestamps: bool) -> str:
    kind = "with" if timestamps else "without"
    lines = [f"# {cc}, {kind} receive timestamps: {len(found)} random paths", ""]
    lines += ["| harm | paths that are an octave worse or more | worst, octaves |", "|---|---|---|"]
    for harm in HARMS:
        of = [one.scores[harm] for one in found]
        lines.append(f"| {harm} | {sum(score >= BAD for score in of)} | {max(of):.2f} |")
    lines += ["", f"Of each path the worst harm: {mean_score(found):.2f} octaves in the mean."]
    lines += ["", "## The ten worst", "", "| seed | harm | octaves | path |", "|---|---|---|---|"]
    lines += [f"| {one.number} | {one.harm} | {one.score:.2f} | {described(one.path)} |" for one in found[:SHOWN]]
    return "\n".join(lines) + "\n"
