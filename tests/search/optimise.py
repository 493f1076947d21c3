"""CMA-ES over the constants.

Chosen because the objective has few dimensions, is not convex, has steps (a simulation is one) and no gradient, and
its variables are not independent (`growth` and `growth_period`, `min_decrease` and `drain_epochs`): that is what CMA-ES
is made for (Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772). pycma is its authors' own and needs
numpy only.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import cma

from .constants import defaults, spec_at
from .evaluator import Evaluator
from .objective import cost

STEP = 0.15
"""First standard deviation, of a range of 1."""


@dataclass(frozen=True)
class Point:
    """A point that was looked at."""

    spec: str
    seed: int
    """Of the scenarios."""
    cost: float


@dataclass(frozen=True)
class Found:
    """What a search came to."""

    best: str
    """The mean of the last distribution, as a spec: where the noise of single points has averaged out."""
    points: list[Point]


def search(evaluator: Evaluator, seed: int, budget: int) -> Found:
    """Looks at about `budget` points, whole generations, from today's defaults on.

    Every generation meets the scenarios with a seed of its own: its points are ranked alike, and what suits the chance
    of one seed only does not win for long. The same evaluator, seed and budget give the same points; what an evaluator
    has seen before it does not measure again, and so a search that was interrupted goes on.
    """
    # 0 would be the time.
    options = {"seed": seed % 2**31 + 1, "bounds": [0.0, 1.0], "verbose": -9, "verb_log": 0}
    strategy = cma.CMAEvolutionStrategy(defaults(), STEP, options)
    points: list[Point] = []
    best = spec_at(defaults())
    while len(points) < budget and not strategy.stop():
        asked = strategy.ask()
        generation = [_look(evaluator, spec_at(point), seed + strategy.countiter) for point in asked]
        strategy.tell(asked, [point.cost for point in generation])
        points += generation
        best = spec_at(strategy.result.xfavorite)
        least = min(point.cost for point in generation)
        print(f"{len(points)} of {budget}: {least:.4f}; {best}", file=sys.stderr, flush=True)
    return Found(best, points)


def _look(evaluator: Evaluator, spec: str, seed: int) -> Point:
    return Point(spec, seed, cost(evaluator.measure(spec, [seed]).scenarios))
