"""The search: rounds of a sweep over the whole space, and of CatCMA with margin from the best points on.

The space has numbers (a rate, a delay) and kinds (which queue, which neighbour), and its objective has steps and no
gradient. CatCMA with margin (Hamano et al., "CatCMA with Margin", GECCO 2025) joins a Gaussian for the numbers and a
distribution over the kinds in one natural-gradient method; CMA-ES alone would order kinds that have no order. CC-Fuzz
(Ray and Seshan, HotNets 2022) evolves whole packet traces by a genetic algorithm; a path of few parameters is what a
person can read, and what a scenario can say.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from cmaes import CatCMAwM

from .space import KINDS, NUMBERS, Path, Point, spread


@dataclass(frozen=True)
class Width:
    """How far from its start a search looks at first."""

    step: float
    """Standard deviation, of a range of 1."""
    certainty: float
    """Probability of each kind of the point that it starts from."""


WIDE, NARROW = Width(0.25, 0.6), Width(0.1, 0.85)
ROUND = 480
"""Paths after which a search that has found nothing begins anew, with other paths."""
SWEPT, EACH = 0.5, 0.25
"""Shares of a round: of the sweep, and of each search from a point: narrow ones from the best so far on, and wide ones
from the best of the sweeps."""
CHUNK = 20


@dataclass(frozen=True)
class Found:
    """A path, and its score with the seed of the search."""

    path: Path
    score: float


Judge = Callable[[Sequence[Path]], Sequence[float]]
"""What paths score; more is worse for the controller."""
Enough = Callable[[Sequence[Found]], bool]
"""Whether what was found last is all that is wanted."""
Start = tuple[Point, Found]


def hunt(judge: Judge, seed: int, budget: int, label: str, enough: Enough = lambda _: False) -> list[Found]:
    """All paths that were looked at, the worst first. The same judge, seed and budget give the same paths."""
    looking = _Looking(judge, budget, label, enough)
    starts: list[Start] = []
    for number in count():
        room = min(ROUND, looking.room)
        if room <= 0:
            break
        until = looking.room - room
        starts += swept(looking, random.Random(f"{seed}, {number}"), max(round(SWEPT * room), 1))
        starts.sort(key=lambda both: both[1].score)
        width = WIDE
        while looking.room > until and starts:
            point = starts.pop()[0] if width is WIDE else looking.best
            most = min(round(EACH * room), looking.room - until)
            _climb(looking, point, seed * 1000 + len(looking.found), most, width)
            width = NARROW if width is WIDE else WIDE
    unique = {one.path: one for one in looking.found}
    return sorted(unique.values(), key=lambda one: -one.score)


class _Looking:
    """The judge, all that it has said, and when it is enough."""

    def __init__(self, judge: Judge, budget: int, label: str, enough: Enough) -> None:
        self._judge, self._enough = judge, enough
        self._progress = _Progress(budget, label)
        self.found: list[Found] = []
        self._points: list[tuple[float, Point]] = []
        self.room = budget
        """Paths that may be looked at yet."""

    def at(self, points: Sequence[Point]) -> list[Found]:
        paths = [point.path() for point in points]
        found = [Found(path, score) for path, score in zip(paths, self._judge(paths), strict=True)]
        self.found += found
        self._points += zip((one.score for one in found), points, strict=True)
        self._progress.tell(len(found), max(one.score for one in found))
        self.room = 0 if self._enough(found) else max(self.room - len(found), 0)
        return found

    @property
    def best(self) -> Point:
        return max(self._points, key=lambda both: both[0])[1]


def swept(looking: _Looking, rng: random.Random, count: int) -> list[Start]:
    """From all over the space, as long as there is room."""
    points = spread(rng, count)
    starts: list[Start] = []
    for first in range(0, count, CHUNK):
        if looking.room <= 0:
            break
        some = points[first : first + CHUNK]
        starts += zip(some, looking.at(some), strict=True)
    return starts


def _climb(looking: _Looking, start: Point, seed: int, most: int, width: Width) -> None:
    strategy = CatCMAwM(
        x_space=[[0.0, 1.0]] * len(NUMBERS),
        c_space=[len(kind.values) for kind in KINDS],
        mean=np.array(start.numbers),
        sigma=width.step,
        cat_param=_likely(start.kinds, width.certainty),
        seed=seed % 2**31,
    )
    end = max(looking.room - most, 0)
    while looking.room > end and not strategy.should_stop():
        asked = [strategy.ask() for _ in range(strategy.population_size)]
        points = [Point(list(one.x), [int(kind) for kind in one.c.argmax(axis=1)]) for one in asked]
        scores = [one.score for one in looking.at(points)]
        # Only whether the middle half is all the same counts, not a number: numpy's quantiles do.
        if np.ptp(np.percentile(scores, [25, 75])) == 0:
            break  # It is flat here: there is nothing to go by.
        strategy.tell([(one, -score) for one, score in zip(asked, scores, strict=True)])


def _likely(kinds: Sequence[int], certainty: float) -> np.ndarray:
    """Probabilities of each kind's values; those beyond its last are zero."""
    chances = np.zeros((len(KINDS), max(len(kind.values) for kind in KINDS)))
    for row, (kind, at) in enumerate(zip(KINDS, kinds, strict=True)):
        chances[row, : len(kind.values)] = (1 - certainty) / (len(kind.values) - 1)
        chances[row, at] = certainty
    return chances


class _Progress:
    """To standard error: how far it is, the worst so far, and how long the rest will take."""

    def __init__(self, budget: int, label: str) -> None:
        self._budget, self._label = budget, label
        self._done, self._worst = 0, float("-inf")
        self._begun = time.monotonic()

    def tell(self, paths: int, worst: float) -> None:
        self._done += paths
        self._worst = max(self._worst, worst)
        rest = (time.monotonic() - self._begun) / self._done * max(self._budget - self._done, 0)
        said = f"{self._label}: {self._done} of {self._budget} paths, worst {self._worst:.2f}, {rest:.0f} s left"
        print(said, file=sys.stderr, flush=True)
