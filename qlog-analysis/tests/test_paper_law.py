"""The law of the paper's controller, beyond single points."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from paper_sender import parameters
from qlog_analysis.hybrid_paper import law, trend
from qlog_analysis.hybrid_paper.trend import Trend
from qlog_analysis.zones import rate as rates

PAPER = parameters("hybrid:paper")


def epoch(**changes: Any) -> law.Epoch:
    """One of zone 1 without losses or a trend, but for `changes`."""
    base: dict[str, Any] = {
        "delta": 0.0,
        "lost": False,
        "trend": Trend.UNKNOWN,
        "rate": 1e6,
        "length": 0.1,
        "packet_bytes": 1250,
        "app_limited": False,
    }
    return law.Epoch(**{**base, **changes})


def after(**changes: Any) -> law.Update:
    return law.update(epoch(**changes), PAPER)


def test_alpha_falls_without_steps_from_amax_to_amin() -> None:
    values = [rates.alpha(d * 1e-6, 800.0, 40_000.0, 0.0, 0.012) for d in range(12_001)]
    assert values[0] == 40_000.0
    assert values[-1] == pytest.approx(800.0)
    assert all(a > b for a, b in pairwise(values))
    assert max(a - b for a, b in pairwise(values)) < 200.0
    assert rates.alpha(0.001, 800.0, 40_000.0, 0.002, 0.012) == 40_000.0


def test_beta_rises_without_steps_from_bmin_to_bmax() -> None:
    known = [law.beta(epoch(delta=d * 1e-6), PAPER) for d in range(12_001, 60_000)]
    assert known[0] == pytest.approx(0.25, abs=1e-5)
    assert known[-1] == 0.5
    assert all(0.0 <= b - a < 1e-4 for a, b in pairwise(known))


def test_an_application_limited_epoch_does_not_raise_but_lowers() -> None:
    up = after(app_limited=True)
    assert (up.alpha, up.rate) == (0.0, 1e6)
    assert after(app_limited=True, delta=0.05).rate == pytest.approx(0.5e6)


def test_rate_stays_within_its_bounds() -> None:
    assert after(rate=26_000.0, delta=0.1).rate == 8 * 1250 / 0.4
    assert after(rate=10e9).rate == 10e9


def test_persistent_congestion_leaves_two_packets_per_round_trip() -> None:
    done = after(interrupted=True, delta=0.02)
    assert (done.zone, done.alpha, done.beta) == (2, None, None)
    assert done.rate == pytest.approx(200_000.0)
    assert after(interrupted=True, rate=1e5).rate == 1e5
    assert law.without_samples(1e6, 0.1, 1250, interrupted=True).rate == pytest.approx(200_000.0)
    assert law.without_samples(1e6, 0.1, 1250, interrupted=False) == law.Update(None, None, None, 1e6)


def test_the_window_is_rounded_up_to_packets_and_has_at_least_two() -> None:
    assert law.window(1e6, 0.1, 1250) == 10 * 1250
    assert law.window(1.0001e6, 0.1, 1250) == 11 * 1250
    assert law.window(1.0, 0.1, 1250) == 2 * 1250


def test_option_strings_stand_for_parameters() -> None:
    assert replace(PAPER, amin=800.0, amax=4e4, d1=0.012, d3=0.048, base_delay_window=10.0, initial_rate=None) == PAPER
    given = parameters("hybrid:paper,d1=10ms,initial_rate=2.5Mbps,amin=1kbps,gamma=0.5,base_delay_window=5s,bmid=.4")
    assert given == replace(PAPER, d1=0.010, initial_rate=2.5e6, amin=1e3, gamma=0.5, base_delay_window=5.0, bmid=0.4)


@pytest.mark.parametrize("text", ["hybrid", "hybrid:default", "hybrid:paper,drain_epochs=3", "hybrid:fast,d1=10ms"])
def test_other_option_strings_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is none of"):
        parameters(text)


def test_noise_opens_the_verdict_only_near_a_threshold() -> None:
    flat_then_tie = [m for m in (0.0, 3.0, 1.0, 3.0, 4.0) for _ in range(5)]  # PCT 3/4, PDT 4/8
    assert trend.verdicts([x / 1e3 for x in flat_then_tie], 0.012, noise=2e-6) == {Trend.INCREASING}
    ties = [5e-3] * 25
    assert trend.verdicts(ties, 0.012, noise=2e-6) == {Trend.NON_INCREASING}
    at_floor = [0.003 * (i // 5) / 4 for i in range(25)]  # rises by d1 / 4 exactly
    assert trend.verdicts(at_floor, 0.012, noise=2e-6) == {Trend.NON_INCREASING, Trend.INCREASING}


def test_noise_never_excludes_the_exact_verdict() -> None:
    seed = 11
    rng = random.Random(seed)
    for case in range(500):
        n = rng.randrange(25, 200)
        slope = rng.uniform(-0.02, 0.02)
        rowd = [max(0.0, 0.01 + slope * i / n + rng.uniform(-0.003, 0.003)) for i in range(n)]
        blurred = [x + rng.uniform(-1e-6, 1e-6) for x in rowd]
        assert trend.trend(rowd, 0.012) in trend.verdicts(blurred, 0.012, noise=1e-6), f"seed {seed} case {case}"
