"""The objective goes where the targets are."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from .conftest import EQUAL, GOOD, MIXED, UNSTEADY
from .evaluator import Figures
from .objective import WEIGHTS, cost, parts


@pytest.mark.parametrize(
    ("of", "worse"),
    [
        (GOOD, {"utilisation": 0.99}),
        (GOOD, {"p95_ms": 2.0}),
        (GOOD, {"loss": 1e-3}),
        (GOOD, {"start_loss": 1e-3}),
        (GOOD, {"start_up": 16}),
        (UNSTEADY, {"utilisation": 0.9}),
        (UNSTEADY, {"p95_ms": 20.0}),
        (EQUAL, {"jain": 0.97}),
        (EQUAL, {"arrival_ms": 4.0}),
        (MIXED, {"bias": 2.0}),
    ],
)
def test_what_is_worse_costs_more(of: Figures, worse: dict[str, float]) -> None:
    assert cost([replace(of, **worse)]) > cost([of]) + 0.05


def test_every_weight_weighs_something() -> None:
    assert set(parts([GOOD, UNSTEADY, EQUAL, MIXED])) == set(WEIGHTS)


def test_a_path_that_changes_and_then_stays_empty_is_no_bargain_for_its_low_delay() -> None:
    empty = replace(UNSTEADY, utilisation=0.1, p95_ms=0.0)
    assert cost([empty]) > cost([replace(UNSTEADY, p95_ms=20.0)]) + 2


def test_a_miss_by_a_factor_costs_the_same_on_every_path() -> None:
    slow = replace(GOOD, rtt_ms=400.0, p95_ms=40.0)
    fast = replace(GOOD, rtt_ms=200.0, p95_ms=20.0)
    rise = cost([replace(slow, p95_ms=80.0)]) - cost([slow])
    assert rise == pytest.approx(cost([replace(fast, p95_ms=40.0)]) - cost([fast]), abs=0.01)
