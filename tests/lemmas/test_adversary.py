"""What jitter the bound on R is about: an execution that comes near it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from .adversary import Jittery, rates
from .algebra import number
from .catalogue import PATHS
from .path import Bounds

PACKET = Fraction(12_000)
LENGTH = number("0.04")


@pytest.mark.parametrize("bounds", PATHS, ids=lambda bounds: f"{float(bounds.jitter)} L")
@pytest.mark.parametrize("mbps", [10, 100])
def test_an_execution_keeps_to_the_bound_and_comes_near_it(bounds: Bounds, mbps: int) -> None:
    path = Jittery(Fraction(mbps * 10**6), LENGTH, PACKET, bounds.jitter * LENGTH)
    reached = min(rates(path))
    assert reached >= min(bounds.of_link * path.link, bounds.of_jitter * PACKET / path.jitter)
    assert reached <= max(2 * PACKET / path.jitter, path.link * number("0.98"))


def test_jitter_that_is_taken_for_a_queue_leaves_a_ninth_of_the_link() -> None:
    """R falls below two packets per J, and stays: `d` is above d1 / 2, so the queue that is none never drains."""
    found = list(rates(Jittery(Fraction(10**8), LENGTH, PACKET, number("0.002"))))
    assert found[-1] == found[-2] == min(found)
    assert Fraction(10**7) < found[-1] < 2 * PACKET / number("0.002")
