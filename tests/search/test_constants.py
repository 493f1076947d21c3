"""The space that is searched."""

from __future__ import annotations

import pytest

from .constants import CONSTANTS, Constant, defaults, spec_at, spec_of


@pytest.mark.parametrize("of", CONSTANTS, ids=lambda of: of.name)
def test_a_default_lies_within_its_range_and_is_found_there(of: Constant) -> None:
    assert of.low < of.default < of.high
    assert of.at(of.place(of.default)) == pytest.approx(of.default)
    assert (of.at(0.0), of.at(1.0)) == pytest.approx((of.low, of.high))
    assert (of.place(of.low / 2), of.place(of.high * 2)) == (0.0, 1.0)


def test_a_point_becomes_a_spec_with_units_and_few_digits() -> None:
    middle = [0.5] * len(CONSTANTS)
    assert spec_at(middle).startswith(
        "hybrid:min_decrease=0.007071,target_packets=2.366,growth=1.749,growth_period=63.25ms,"
    )
    assert spec_at(middle).count("=") == len(CONSTANTS)


def test_the_defaults_are_a_point_of_the_space() -> None:
    assert spec_at(defaults()) == spec_of({constant.name: constant.default for constant in CONSTANTS})


def test_an_unknown_constant_is_named_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"unknown constant decrease; there are min_decrease, target_packets"):
        spec_of({"decrease": 0.1})
