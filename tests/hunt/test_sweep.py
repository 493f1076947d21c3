"""What a sweep of random paths holds against its bounds."""

from __future__ import annotations

import argparse

import pytest

from .__main__ import too_bad
from .harms import HARMS
from .space import Path
from .sweep import Swept

FOUND = [
    Swept(number, Path(), dict.fromkeys(HARMS, 0.0) | {"loss": loss}) for number, loss in enumerate((2.0, 0.5, 0.5))
]


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ({"most": 0.3}, "33.3 % of the paths are bad, allowed are 30.0 %"),
        ({"mean": 0.9}, "the mean is 1.00 octaves, allowed are 0.90"),
        ({"worst": 1.9}, "the worst is 2.00 octaves, allowed are 1.90"),
    ],
)
def test_each_bound_is_told_when_it_is_broken(bound: dict[str, float], said: str) -> None:
    wide = {"most": 1.0, "mean": 9.0, "worst": 9.0}
    assert not list(too_bad(FOUND, argparse.Namespace(**wide)))
    assert list(too_bad(FOUND, argparse.Namespace(**wide | bound))) == [said]
