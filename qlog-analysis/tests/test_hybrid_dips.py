"""Paths that vary, worked out by hand: "Delivery rate" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qlog_analysis.hybrid.dips import Dips, stalls
from qlog_analysis.hybrid.mechanism import Mechanism
from qlog_analysis.hybrid.parameters import DEFAULT

P = replace(DEFAULT, growth_period=0.04)


def test_the_path_is_taken_to_carry_a_share_of_the_most_that_arrived_in_eight_epochs() -> None:
    dips = Dips().add(8e6)
    for _ in range(7):
        dips = dips.add(1e6)
    assert dips.believed(P) == pytest.approx(0.7 * 8e6)
    assert dips.add(1e6).believed(P) == pytest.approx(0.7 * 1e6)
    assert dips.believed(replace(P, without=frozenset({Mechanism.DIPS}))) == 0.0
    assert Dips().believed(P) == 0.0


def test_decreases_at_dips_give_the_increase_a_head_start() -> None:
    one = Dips().learn(dipped=True)
    assert one.variability == 0.125
    assert one.head_start(0.04) == pytest.approx(1.5 * 0.04)
    assert one.learn(dipped=False).variability == pytest.approx(0.125 * 7 / 8)


def test_a_path_stands_still_if_nothing_comes_back_for_much_longer_than_as_a_rule() -> None:
    assert Dips().usual(0.04, 10e6, 1250, 0.0) == 0.04
    assert Dips(queue=0.03).usual(0.04, 10e6, 1250, 0.0) == pytest.approx(0.07)
    assert Dips(queue=0.03).usual(0.04, 0.1e6, 1250, 0.0) == pytest.approx(0.4)
    assert Dips().usual(0.02, 10e6, 1250, 0.05) == 0.05, "ACKs that are held back for 50 ms"
    assert stalls(0.061, 0.04, P)
    assert not stalls(0.06, 0.04, P)
    assert not stalls(9.0, 0.04, replace(P, without=frozenset({Mechanism.DIPS})))
