"""Flows that hold their share, worked out by hand: "Contended" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import law_epochs
from qlog_analysis.hybrid import law
from qlog_analysis.hybrid.contended import Contended, Judged, LargestRate, Seen, judge
from qlog_analysis.hybrid.parameters import DEFAULT
from qlog_analysis.hybrid.standing import Outcome, Standing
from qlog_analysis.hybrid.thresholds import thresholds

START = Contended.start(1.0, 1e7, 0.05)


def seen(now: float, delta: float = 0.05, **changes: Any) -> Seen:
    base: dict[str, Any] = {"length": 0.04, "short": 0.001, "excessive_loss": False, "rate": 1e6}
    return Seen(now=now, delta=delta, **{**base, "packet_bytes": 1250, "transmission": 0.0, **changes})


def one(c: Contended, e: Seen) -> Judged:
    (judged,) = judge(c, e, 0.0)
    return judged


def after(c: Contended, e: Seen) -> Contended:
    kept = one(c, e).after
    assert kept is not None
    return kept


def test_the_share_is_held_while_there_is_a_queue() -> None:
    held = one(START, seen(1.1))
    assert (held.rate, held.beta, held.longer) == (5.4e6, None, None)
    assert after(START, seen(1.1)).allowance == pytest.approx(0.0625)
    for free in (seen(1.1, 0.001), seen(1.1, rate=5.5e6)):
        assert one(START, free).rate is None
        assert after(START, free).allowance == 0.0


def test_it_is_over_when_nothing_had_to_be_held_for_ten_seconds() -> None:
    assert one(START, seen(10.99, 0.0)).after is not None
    assert one(START, seen(11.0, 0.0)).after is None


def test_excessive_losses_leave_less_and_it_comes_back_by_a_packet_per_round_trip() -> None:
    lost = one(START, seen(1.1, 0.06, excessive_loss=True))
    assert lost.rate == pytest.approx(0.7 * 5.4e6)
    assert lost.beta == pytest.approx(0.3)
    assert lost.after is not None
    later = one(lost.after, seen(1.2, 0.06))
    assert later.rate == pytest.approx(0.7 * 5.4e6 + 1e5)
    full = one(lost.after, seen(1.2, 0.06, transmission=1e-3, packet_bytes=125_000))
    assert full.rate == pytest.approx(0.7 * 5.4e6 + 1e7), "half of a fast link"
    assert one(START, seen(1.2, transmission=1e-3)).rate == 5.4e6, "half of a slow one is less"


def test_a_probe_tells_a_queue_from_a_longer_path() -> None:
    assert one(START, seen(2.99)).beta is None
    probing = one(START, seen(3.0))
    assert (probing.rate, probing.beta) == (2.7e6, 0.5)
    assert probing.after is not None
    for least, longer in ((0.0471, None), (0.0472, 1e7)):
        during = after(probing.after, seen(3.1, least))
        assert one(during, seen(3.2)).rate == 2.7e6
        end = one(during, seen(3.27))
        assert end.longer == (None if longer is None else pytest.approx(longer)), least
        if longer is None:
            assert end.rate == 5.4e6
            assert one(after(during, seen(3.27)), seen(13.2)).beta is None
            assert one(after(during, seen(3.27)), seen(13.3)).beta == 0.5


def test_times_that_rounding_leaves_open_give_both_readings() -> None:
    assert {j.beta for j in judge(START, seen(3.0), 2e-6)} == {None, 0.5}
    assert {j.after is None for j in judge(START, seen(11.0, 0.0), 2e-6)} == {True, False}
    assert {j.rate is None for j in judge(START, seen(1.5, 0.001), 2e-6)} == {True, False}


def test_the_largest_rate_is_forgotten_with_time() -> None:
    largest = LargestRate(10.0, 0.0)
    assert largest.get() == 0.0
    for now, rate in ((0.5, 9e6), (5.0, 3e6), (9.9, 2e6)):
        largest.see(now, rate)
    assert largest.get() == 9e6
    largest.see(10.1, 1e6)
    assert largest.get() == 3e6


def epoch(**changes: Any) -> law.Epoch:
    base: dict[str, Any] = {"delta": 0.05, "rate": 6e6, "length": 0.04, "delivery_rate": 6e6, "full": 0.002, "now": 1.1}
    standing = Standing(others=START)
    return law_epochs.epoch(**{**base, "thresholds": thresholds(6e6, 1250, DEFAULT), "standing": standing, **changes})


def outcome(**changes: Any) -> law.Update:
    (done,) = law.outcomes(epoch(**changes), DEFAULT, law.Course(8e6, since_decrease=1.0))
    return done


def test_nothing_drains_while_a_share_is_held() -> None:
    done = outcome()
    assert (done.zone, done.alpha, done.beta, done.rate) == (3, None, None, 5.4e6)
    assert (done.course.return_rate, done.outcome, done.starts_anew) == (None, None, False)
    assert outcome(delta=0.0).course.return_rate is None
    assert outcome(delta=0.0).rate == pytest.approx(0.99 * 8e6), "no queue: back to the share"


def test_losses_do_not_count_while_a_share_is_held_unless_they_are_excessive() -> None:
    assert outcome(lost=True, delta=0.005).zone == 2
    assert outcome(lost=True, excessive_loss=True).rate == pytest.approx(0.7 * 5.4e6)
    assert outcome(lost=True, excessive_loss=True).starts_anew


def test_where_there_is_no_queue_the_path_is_longer() -> None:
    probing = after(START, seen(3.0))
    done = outcome(standing=Standing(others=probing), now=3.3)
    assert done.outcome is Outcome.LONGER_PATH
    assert done.rate == pytest.approx(0.99 * 1e7)
    assert (done.standing, done.course.return_rate) == (Standing(), None)


def test_the_window_allows_for_the_queue_of_others() -> None:
    plain = law.window(1e7, 0.04, 1250, DEFAULT)
    assert law.window(1e7, 0.04, 1250, DEFAULT, queue=0.05) == plain + 50 * 1250
    assert replace(START, holds=False).allowance == 0.0
