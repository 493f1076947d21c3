"""What jitter and losses without a queue are, the delay under the jitter, and the queue that ends start-up."""

from __future__ import annotations

import random

import pytest

from qlog_analysis.hybrid import floor, noise
from qlog_analysis.hybrid.floor import Taken
from qlog_analysis.hybrid.startup import QueueMet


def test_jitter_is_smoothed_and_has_bounds() -> None:
    assert noise.next_jitter(0.008, 0.012, 0.004) == pytest.approx(0.008)
    assert noise.next_jitter(0.008, 0.004, 0.012) == pytest.approx(0.007)
    assert noise.next_jitter(0.0, 9.0, 0.0) == pytest.approx(0.05 / 8)
    assert [noise.uncertain(0.005, t) for t in (0.1, 0.01, 0.0)] == pytest.approx([0.1, 0.5, 0.5])


def test_losses_count_beyond_twice_what_is_always_lost() -> None:
    assert noise.next_background(0.04, 12, 88) == pytest.approx(0.05)
    assert noise.next_background(0.0, 0, 0) == 0.0
    assert [noise.counting(lost, 100 - lost, 0.05) for lost in (0, 10, 11)] == [{False}, {False}, {True}]
    assert noise.counting(0, 0, 0.0) == {False}
    assert noise.counting(10, 90, 0.05, 1e-6) == {False, True}


def of(length: float, *samples: tuple[float, float], slack: float = 0.0) -> list[float]:
    """The delay under the jitter in ms, of times and ROWDs in ms."""
    taken = [Taken(at / 1e3, length / 1e3, above / 1e3) for at, above in samples]
    return [round(x * 1e3, 9) for x in floor.least(taken, slack)]


def test_spans_are_equal_and_about_10_ms_and_the_last_has_what_comes_late() -> None:
    assert of(40.0) == []
    assert of(14.9, (0, 9), (5, 4), (14, 7)) == [4.0]
    assert of(20.0, (0, 9), (2, 0), (5, 50), (12, 1), (15, 70)) == [0.5]
    assert of(24.0, (11.9, 3), (12.1, 8), (99, 7)) == [5.0]
    assert of(40.0, (0, 0), (12, 8), (35, 8)) == [pytest.approx(16 / 3)]


def test_a_sample_at_the_border_of_two_spans_belongs_to_either() -> None:
    assert of(20.5, (2, 6), (10.251, 2), (15, 4), slack=2.5e-6) == [3.0, 4.0]
    assert of(20.5, (2, 6), (10.251, 9), (15, 4), slack=2.5e-6) == [5.0]
    assert of(14.999, (2, 6), (12, 4), slack=2.5e-6) == [4.0, 5.0]


def test_slack_never_excludes_the_exact_value() -> None:
    seed = 5
    rng = random.Random(seed)
    for case in range(200):
        length = rng.choice((0.02, 0.04, 0.1, 0.137))
        times = sorted(rng.choice((rng.uniform(0, length), 0.02 * rng.randrange(7))) for _ in range(40))
        exact = [Taken(at, length, rng.uniform(0, 0.01)) for at in times]
        blurred = [Taken(t.at + rng.uniform(-1e-6, 1e-6), t.length, t.above) for t in exact]
        (value,) = floor.least(exact)
        assert min(abs(x - value) for x in floor.least(blurred, 2.5e-6)) < 1e-12, f"seed {seed} case {case}"


def test_a_queue_lasts_from_the_first_feedback_that_met_it() -> None:
    met = QueueMet()
    assert met.lasts(9.0, (0.1,)) == {False}
    met.see(1.0, {True})
    met.see(1.02, {True})
    assert met.lasts(1.02, (0.1,)) == {False}
    assert met.lasts(1.03, (0.1,)) == {True}
    met.see(1.03, {False})
    assert met.lasts(9.0, (0.1,)) == {False}


def test_where_rounding_decides_whether_there_is_a_queue_both_may_be() -> None:
    met = QueueMet()
    met.see(1.0, {True, False})
    assert met.lasts(1.03, (0.1,)) == {True, False}
    met.see(1.02, {True})
    assert met.lasts(1.03, (0.1,)) == {True, False}
    assert met.lasts(1.05, (0.1,)) == {True}
    met.see(1.06, {True, False})
    assert met.lasts(1.06, (0.1,)) == {True, False}
