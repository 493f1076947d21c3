"""The shape of the law, beyond single points."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from qlog_analysis.hybrid import law, spec, trend
from qlog_analysis.hybrid.parameters import DEFAULT, PAPER, Parameters
from qlog_analysis.hybrid.trend import Trend
from qlog_analysis.measure.sliding import PathMinima, SlidingMinimum, Source, size_class


def epoch(**changes: object) -> law.Epoch:
    base: dict[str, object] = {
        "delta": 0.0,
        "lost": False,
        "overwhelmed": False,
        "trend": Trend.UNKNOWN,
        "rate": 1e6,
        "length": 0.1,
        "packet_bytes": 1250,
        "app_limited": False,
        "startup": False,
        "acked_rate": 1e6,
    }
    return law.Epoch(**{**base, **changes})  # type: ignore[arg-type]


def test_alpha_falls_without_steps_from_amax_to_amin() -> None:
    values = [law.alpha(d * 1e-6, 800.0, 40_000.0, PAPER) for d in range(12_001)]
    assert values[0] == 40_000.0
    assert values[-1] == pytest.approx(800.0)
    assert all(a > b for a, b in pairwise(values))
    assert max(a - b for a, b in pairwise(values)) < 200.0


def test_beta_rises_without_steps_from_bmin_to_bmax() -> None:
    values = [law.beta(d * 1e-6, False, Trend.UNKNOWN, PAPER) for d in range(12_001, 60_000)]
    known = [v for v in values if v is not None]
    assert len(known) == len(values)
    assert known[0] == pytest.approx(0.25, abs=1e-5)
    assert known[-1] == 0.5
    assert all(0.0 <= b - a < 1e-4 for a, b in pairwise(known))


def test_auto_increases_grow_with_the_packet_and_fall_with_the_round_trip() -> None:
    auto = replace(PAPER, amin=None, amax=None)
    amin, amax = auto.increase_bounds(1000, 0.1)
    assert amin == pytest.approx(800.0)  # the paper's, 0.01 packets of its size per its round trip
    assert amin < amax <= 40_000.0
    assert list(auto.increase_bounds(2000, 0.05)) == pytest.approx([4 * amin, 4 * amax])
    assert PAPER.increase_bounds(2000, 0.05) == (800.0, 40_000.0)


def test_an_application_limited_epoch_does_not_raise_but_lowers() -> None:
    up = law.update(epoch(app_limited=True), PAPER)
    assert (up.alpha, up.rate) == (0.0, 1e6)
    down = law.update(epoch(app_limited=True, delta=0.05), PAPER)
    assert down.rate == pytest.approx(0.5e6)


def test_rate_stays_within_its_bounds() -> None:
    assert law.update(epoch(rate=26_000.0, delta=0.1), PAPER).rate == 8 * 1250 / 0.4
    assert law.update(epoch(rate=10e9), PAPER).rate == 10e9


def test_start_up_multiplies_until_delay_shows_and_leaves_for_what_arrived() -> None:
    p = replace(PAPER, startup=1.5)
    grown = law.update(epoch(startup=True, delta=0.006), p)
    assert (grown.rate, grown.startup, grown.alpha, grown.beta) == (1.5e6, True, None, None)
    assert law.update(epoch(startup=True, app_limited=True), p).rate == 1e6
    left = law.update(epoch(startup=True, delta=0.0061, acked_rate=8e5), p)
    assert (left.startup, left.zone, left.beta) == (False, 1, 0.25)
    assert left.rate == pytest.approx(0.75 * 8e5)
    assert law.update(epoch(startup=True, delta=0.018, acked_rate=2e6), p).rate == pytest.approx(0.71e6)


def test_the_window_is_rounded_up_to_packets_and_has_at_least_two() -> None:
    assert law.window(1e6, 0.1, 1250, PAPER) == 10 * 1250
    assert law.window(1.0001e6, 0.1, 1250, PAPER) == 11 * 1250
    assert law.window(1e6, 0.1, 1250, DEFAULT) == 13 * 1250  # 12.4 packets with wextra = d2
    assert law.window(1.0, 0.1, 1250, PAPER) == 2 * 1250


@pytest.mark.parametrize(
    ("size", "its_class"), [(0, 1), (1, 1), (337, 1), (338, 2), (675, 2), (676, 3), (1013, 4), (1350, 4), (9000, 4)]
)
def test_size_classes_are_quarters_of_the_full_size(size: int, its_class: int) -> None:
    assert size_class(size, 1350) == its_class


def test_a_minimum_is_forgotten_between_nine_tenths_and_the_whole_window() -> None:
    seed = 7
    rng = random.Random(seed)
    for _ in range(300):
        origin, seen = rng.uniform(0, 5), rng.uniform(0, 30)
        minimum = SlidingMinimum(10.0, origin)
        minimum.insert(origin + seen, 1.0)
        minimum.advance(origin + seen + 8.999)
        assert minimum.get() == 1.0, f"seed {seed}"
        minimum.advance(origin + seen + 10.001)
        assert minimum.get() is None, f"seed {seed}"


def test_larger_packets_bound_the_minimum_of_smaller_ones_but_not_the_other_way_round() -> None:
    minima = PathMinima(10.0, 0.0)
    minima.insert_owd(0.0, Source.ACK, 1, 5.0)
    minima.insert_owd(0.0, Source.ACK, 3, 4.0)
    minima.insert_owd(0.0, Source.ACK, 4, 9.0)
    assert minima.owd_minima(Source.ACK) == (4.0, 4.0, 4.0, 9.0)


def test_l_is_that_of_full_packets_once_there_is_one() -> None:
    minima = PathMinima(10.0, 0.0)
    minima.insert_rtt(0.0, 1, 0.05)
    assert minima.length() == 0.05
    minima.insert_rtt(0.1, 4, 0.06)
    assert minima.length() == 0.06
    minima.advance(10.5)
    assert minima.length() is None


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hybrid", {}),
        ("hybrid:default", {}),
        ("hybrid:d1=10ms,d2=20ms", {"d1": 0.010, "d2": 0.020, "wextra": 0.020}),
        ("hybrid:wextra=0,startup=off,react=epoch,trend=off", {"wextra": 0.0, "startup": 1.0, "react_once": False}),
        ("hybrid:r0=2.5Mbps,amin=1kbps,amax=0.1Mbps,owdwin=5s", {"r0": 2.5e6, "amin": 1e3, "amax": 1e5, "owdwin": 5.0}),
    ],
)
def test_option_strings_stand_for_parameters(text: str, expected: dict[str, object]) -> None:
    got = spec.parse(text)
    for name in Parameters.__dataclass_fields__:
        if name in expected or name != "trend" or "trend" not in text:
            assert getattr(got, name) == pytest.approx(expected.get(name, getattr(DEFAULT, name))), name


def test_the_papers_profile_can_be_named() -> None:
    assert spec.parse("hybrid:paper") == PAPER


@pytest.mark.parametrize(
    "text",
    ["cubic", "hybrid:fast", "hybrid:d1", "hybrid:d1=12", "hybrid:d9=1ms", "hybrid:react=twice", "hybrid:d1=-1ms"],
)
def test_unreadable_option_strings_are_refused(text: str) -> None:
    with pytest.raises(spec.SpecError):
        spec.parse(text)
