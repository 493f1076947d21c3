"""Losses without a queue, and losses that chance explains, worked out by hand: "Losses" in
docs/papers/hybrid-measuring.md."""

from __future__ import annotations

import pytest

from qlog_analysis.hybrid.loss_count import Background, LossCount


def test_the_share_follows_by_an_eighth() -> None:
    assert Background(0.04).learn(LossCount(12, 88)).share == pytest.approx(0.05)
    assert Background().learn(LossCount()).share == 0.0


def test_the_count_is_scaled_down_to_half_when_it_is_of_too_many() -> None:
    full = Background(count=LossCount(15, 16_369))
    assert full.learn(LossCount()).count == LossCount(15, 16_369)
    assert full.learn(LossCount(0, 1)).count == LossCount(7, 8_185)
    assert full.learn(LossCount(0, 100_000)).count == LossCount(1, 8_191)


def test_few_packets_leave_much_to_chance() -> None:
    known = LossCount(10, 9_990)
    assert LossCount(17, 9_983).is_usual(known, 0.0)
    # Of 33 that are lost of 20,000, half come to each, give or take 2 sqrt(33 / 4).
    assert not LossCount(23, 9_977).is_usual(known, 0.0)
    assert LossCount(10, 9_990).is_usual(LossCount(0, 500), 0.0), "of so few none need have been lost"
    assert not LossCount(10, 9_990).is_usual(LossCount(0, 10_000), 0.0)


def test_a_binomial_count_at_its_bound() -> None:
    # Of 16 lost packets half come to each, give or take 2 sqrt(16 / 4).
    assert LossCount(12, 988).is_usual(LossCount(4, 996), 0.0)
    assert not LossCount(12, 988).is_usual(LossCount(4, 996), -1.0)
    assert LossCount(12, 988).is_usual(LossCount(4, 996), 1.0)
    assert not LossCount(13, 987).is_usual(LossCount(4, 996), 1.0)
