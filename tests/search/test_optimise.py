"""The search finds what is good, twice the same way, and goes on where it was interrupted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from .conftest import result
from .constants import CONSTANTS
from .evaluator import Result
from .optimise import search
from .trade_off import front

BEST = {"min_decrease": 0.004, "target_packets": 3.0}


def values(spec: str) -> dict[str, float]:
    options = (option.split("=") for option in spec.partition(":")[2].split(","))
    return {name: float(value.removesuffix("ms")) for name, value in options}


class Bowl:
    """Delay rises with the distance from BEST; remembers as a journal does."""

    def __init__(self, most: float = math.inf) -> None:
        self.known: dict[tuple[str, tuple[int, ...]], Result] = {}
        self.most = most
        self.run = 0

    def measure(self, spec: str, seeds: Sequence[int]) -> Result:
        key = (spec, tuple(seeds))
        if key not in self.known:
            if self.run >= self.most:
                raise KeyboardInterrupt
            self.run += 1
            away = sum(math.log(values(spec)[name] / best) ** 2 for name, best in BEST.items())
            self.known[key] = result(p95_ms=math.exp(away))
        return self.known[key]


def test_the_search_comes_close_to_the_best_and_stays_within_the_ranges() -> None:
    found = search(Bowl(), seed=5, budget=300)
    for name, best in BEST.items():
        assert values(found.best)[name] == pytest.approx(best, rel=0.1)
    for point in found.points:
        assert all(of.low * 0.999 <= values(point.spec)[of.name] <= of.high * 1.001 for of in CONSTANTS)


def test_the_same_seed_looks_at_the_same_points_and_another_at_others() -> None:
    first = search(Bowl(), seed=5, budget=30)
    assert search(Bowl(), seed=5, budget=30) == first
    assert search(Bowl(), seed=6, budget=30).points[0] != first.points[0]


def test_an_interrupted_search_goes_on_without_measuring_anything_twice() -> None:
    whole = Bowl()
    expected = search(whole, seed=5, budget=40)
    evaluator = Bowl(most=25)
    with pytest.raises(KeyboardInterrupt):
        search(evaluator, seed=5, budget=40)
    evaluator.most = math.inf
    assert search(evaluator, seed=5, budget=40) == expected
    assert evaluator.run == whole.run


def test_the_front_holds_what_nothing_dominates() -> None:
    fast = ("fast", result(utilisation=0.98, p95_ms=1.0))
    full = ("full", result(utilisation=0.99, p95_ms=2.0))
    bad = ("bad", result(utilisation=0.98, p95_ms=2.0))
    assert front([full, bad, fast]) == [fast, full]
