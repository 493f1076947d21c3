"""The search: a random sweep, then CatCMA with margin from its best points on.

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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from cmaes import CatCMAwM

from .space import KINDS, NUMBERS, Path, Point, draw

STEP = 0.25
"""First standard deviation, of a range of 1."""
CERTAINTY = 0.6
"""First probability of each kind of the point that a search starts from."""
SWEPT, EACH = 0.35, 0.22
"""Shares of the budget: of the sweep, and of each search from one of its best points."""


@dataclass(frozen=True)
class Found:
    """A path, and its score with the seed of the search."""

    path: Path
    score: float


Judge = Callable[[Sequence[Path]], Sequence[float]]
"""What paths score; more is worse for the controller."""


def hunt(judge: Judge, seed: int, budget: int, label: str) -> list[Found]:
    """All paths that were looked at, the worst first. The same judge, seed and budget give the same paths."""
    progress = _Progress(budget, label)
    starts = swept(judge, seed, round(SWEPT * budget), progress)
    found = [one for _, one in starts]
    starts = sorted(starts, key=lambda both: -both[1].score)
    for number, (point, _) in enumerate(starts):
        room = min(round(EACH * budget), budget - len(found))
        if room <= 0:
            break
        found += _climb(judge, point, seed * 1000 + number, room, progress)
    unique = {one.path: one for one in found}
    return sorted(unique.values(), key=lambda one: -one.score)


def swept(judge: Judge, seed: int, count: int, progress: _Progress) -> list[tuple[Point, Found]]:
    rng = random.Random(seed)
    points = [draw(rng) for _ in range(count)]
    paths = [point.path() for point in points]
    scores: list[float] = []
    for some in _chunks(paths, 10):
        scores += judge(some)
        progress.tell(len(some), max(scores))
    return [(point, Found(path, score)) for point, path, score in zip(points, paths, scores, strict=True)]


def _climb(judge: Judge, start: Point, seed: int, budget: int, progress: _Progress) -> list[Found]:
    strategy = CatCMAwM(
        x_space=[[0.0, 1.0]] * len(NUMBERS),
        c_space=[len(kind.values) for kind in KINDS],
        mean=np.array(start.numbers),
        sigma=STEP,
        cat_param=_likely(start.kinds),
        seed=seed % 2**31,
    )
    found: list[Found] = []
    while len(found) < budget and not strategy.should_stop():
        asked = [strategy.ask() for _ in range(strategy.population_size)]
        paths = [Point(list(one.x), [int(kind) for kind in one.c.argmax(axis=1)]).path() for one in asked]
        scores = judge(paths)
        found += [Found(path, score) for path, score in zip(paths, scores, strict=True)]
        progress.tell(len(paths), max(scores))
        if np.ptp(np.percentile(scores, [25, 75])) == 0:
            break  # It is flat here: there is nothing to go by.
        strategy.tell([(one, -score) for one, score in zip(asked, scores, strict=True)])
    return found


def _likely(kinds: Sequence[int]) -> np.ndarray:
    """Probabilities of each kind's values; those beyond its last are zero."""
    chances = np.zeros((len(KINDS), max(len(kind.values) for kind in KINDS)))
    for row, (kind, at) in enumerate(zip(KINDS, kinds, strict=True)):
        chances[row, : len(kind.values)] = (1 - CERTAINTY) / (len(kind.values) - 1)
        chances[row, at] = CERTAINTY
    return chances


def _chunks(paths: Sequence[Path], size: int) -> Iterator[Sequence[Path]]:
    return (paths[first : first + size] for first in range(0, len(paths), size))


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
