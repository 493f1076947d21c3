"""What happens on a path, one thing after the other."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from .events import MOST_LONGER, as_first, longer, outages, rates
from .scenario import text
from .space import Path


def path(event: str, then: str = "none", at: float = 0.25) -> Path:
    """Of 8 s, with events at 2 s and 5 s."""
    return Path(event=event, event_share=0.2, event_at=at, then=then, then_share=0.4, then_after=0.5, duration_s=8.0)


@pytest.mark.parametrize(
    ("event", "then", "steps"),
    [
        ("none", "none", [(0.0, 1.0)]),
        ("falls", "none", [(0.0, 1.0), (2.0, 0.2)]),
        ("rises", "none", [(0.0, 0.2), (2.0, 1.0)]),
        ("falls", "rises", [(0.0, 1.0), (2.0, 0.2), (5.0, 1.0)]),
        ("falls", "falls", [(0.0, 1.0), (2.0, 0.2), (5.0, 0.4)]),
        ("outage", "falls", [(0.0, 1.0), (5.0, 0.4)]),
        ("longer", "outage", [(0.0, 1.0)]),
    ],
)
def test_a_second_event_goes_on_from_the_first(event: str, then: str, steps: list[tuple[float, float]]) -> None:
    assert rates(path(event, then)) == steps


def test_a_link_that_swings_is_fast_first() -> None:
    steps = rates(path("swings", at=0.5))
    assert steps == [(0.0, 1.0), *((float(at), 0.2 if at % 2 else 1.0) for at in range(1, 8))]


def test_a_route_becomes_longer_and_is_as_before() -> None:
    by = 0.2 * MOST_LONGER
    assert longer(path("longer", "shorter")) == [(0.0, 0.0), (2.0, by), (5.0, 0.0)]
    assert longer(path("shorter")) == [(0.0, by), (2.0, 0.0)]


def test_outages_that_meet_are_one() -> None:
    twice = path("outage", "outage")
    assert outages(twice) == [(2.0, 2.5), (5.0, 5.5)]
    assert outages(replace(twice, outage_s=3.5)) == [(2.0, 8.5)]
    assert "outages" not in text(path("falls"), "t", True)


def test_a_second_event_without_a_first_is_the_first() -> None:
    alone = path("none", "longer")
    moved = replace(alone, **as_first(alone))
    assert (moved.event, moved.then) == ("longer", "none")
    assert text(moved, "t", True) == text(alone, "t", True)
