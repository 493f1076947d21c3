"""The space that is searched."""

from __future__ import annotations

import pytest

from .constants import CONSTANTS, SEARCHED, Constant, defaults, spec_at, spec_of


@pytest.mark.parametrize("of", CONSTANTS, ids=lambda of: of.name)
def test_a_default_lies_within_its_range_and_is_found_there(of: Constant) -> None:
    assert of.low < of.default < of.high
    assert of.at(of.place(of.default)) == pytest.approx(of.default)
    assert (of.at(0.0), of.at(1.0)) == pytest.approx((of.low, of.high))
    assert (of.place(of.low / 2), of.place(of.high * 2)) == (0.0, 1.0)


def test_a_point_becomes_a_spec_with_units_and_few_digits() -> None:
    middle = [0.5] * len(SEARCHED)
    assert spec_at(middle).startswith("hybrid:bmin=0.007071,queue=2.366,grow=1.749,period=63.25ms,")
    assert spec_at(middle).count("=") == len(SEARCHED)


def test_the_defaults_are_a_point_of_the_space() -> None:
    assert spec_at(defaults()) == spec_of({constant.name: constant.default for constant in SEARCHED})


def test_an_unknown_constant_is_named_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"unknown constant bmind; there are bmin, queue"):
        spec_of({"bmind": 0.1})
