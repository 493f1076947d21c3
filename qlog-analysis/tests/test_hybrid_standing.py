"""Queues that stand, worked out by hand: "Attempts to drain a queue" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import law_epochs
from qlog_analysis.hybrid import law
from qlog_analysis.hybrid.course import Course
from qlog_analysis.hybrid.ended_epoch import Epoch
from qlog_analysis.hybrid.loss_count import NOTHING_KNOWN
from qlog_analysis.hybrid.mechanism import Mechanism
from qlog_analysis.hybrid.parameters import DEFAULT
from qlog_analysis.hybrid.standing import Judged, Outcome, Shown, Standing, judge
from qlog_analysis.hybrid.thresholds import thresholds
from qlog_analysis.measure.sliding import PathMinima, Source
from qlog_analysis.measure.window_min import SlidingMinimum

P = DEFAULT
PATIENCE = 1.45
"""s"""
FRESH = Standing()


def shown(now: float = 1.0, delta: float = 0.04, **changes: Any) -> Shown:
    base: dict[str, Any] = {"length": 0.038, "short": 0.001, "lost": 0, "acked": 40, "usual_losses": NOTHING_KNOWN}
    return Shown(now, delta, **{**base, "rate": 8e6, "return_rate": 1e7, "transmission": 1e-3, **changes})


def judged(epochs: list[Shown], before: Standing = FRESH) -> Judged:
    """What the last one leads to; none of the others ends the attempt."""
    last = Judged(before)
    for e in epochs:
        assert last.outcome is None
        (last,) = judge(e, last.standing, P, patience=PATIENCE)
    return last


def uneven(until: float, **changes: Any) -> list[Shown]:
    """Delays of 40 and 50 ms in turn."""
    times = [1.0 + 0.1 * i for i in range(round((until - 1.0) / 0.1) + 1)]
    return [shown(now, 0.04 + 0.01 * (i % 2), **changes) for i, now in enumerate(times)]


def test_a_queue_stands_after_the_patience_with_strangers() -> None:
    assert judged(uneven(2.4)).outcome is None
    found = judged(uneven(2.5))
    assert (found.outcome, found.back, found.standing) == (Outcome.CONTENDED, 1e7, FRESH)


def test_a_queue_that_falls_does_not_stand_yet() -> None:
    assert judged([*uneven(2.4), shown(2.5, 0.0449)]).outcome is Outcome.CONTENDED
    assert judged([*uneven(2.3), shown(2.5, 0.0449)]).outcome is None
    assert judged([*uneven(2.3), shown(2.5, 0.0451)]).outcome is Outcome.CONTENDED


def test_a_delay_that_stays_although_a_queue_would_have_drained_is_a_longer_path() -> None:
    steady = [shown(1.0 + 0.1 * i, return_rate=1e7 - i) for i in range(5)]
    last = shown(1.5)  # drained by then: 0.5 s * 0.2
    assert judged(steady).outcome is None  # too few epochs
    found = judged([*steady, last])
    assert (found.outcome, found.back, found.standing) == (Outcome.LONGER_PATH, 1e7, FRESH)
    assert judged([*steady, replace(last, delta=0.0413)]).outcome is None
    assert judged([*steady, replace(last, lost=1)]).outcome is None
    assert judged([replace(e, rate=9.5e6) for e in (*steady, last)]).outcome is None  # 0.5 s * 0.05 is less than 40 ms


def still(*counts: tuple[int, int], delta: float = 0.04, since: float = 1.0, usual: float = 0.01) -> list[Shown]:
    """A delay that stays, with packets lost and acknowledged in every epoch."""
    return [
        shown(since + 0.1 * i, delta, lost=lost, acked=acked, usual_losses=law_epochs.usually(usual))
        for i, (lost, acked) in enumerate(counts)
    ]


def test_losses_that_chance_explains_do_not_hide_a_longer_path() -> None:
    usual, more = [(1, 99)] * 4, [(2, 98)] * 4
    # Of 500 packets 5 are lost as a rule, and up to 9 by chance: 5 + 2 sqrt 5.
    assert judged(still((0, 100), *usual, (5, 95))).outcome is Outcome.LONGER_PATH
    assert judged(still((0, 100), *more, (1, 99))).outcome is Outcome.LONGER_PATH
    assert judged(still((0, 100), *more, (2, 98))).outcome is None
    assert judged(still((0, 100), *usual, (1, 99), usual=0.0)).outcome is None


def test_what_was_lost_before_the_delay_last_moved_no_longer_matters() -> None:
    assert judged(still((50, 50), *[(1, 99)] * 5)).outcome is Outcome.LONGER_PATH
    before, after = still((0, 100), (50, 50)), [(1, 99)] * 4
    moved = still((0, 100), *after, delta=0.042, since=1.2)
    assert judged([*before, *moved]).outcome is Outcome.LONGER_PATH
    own = still((50, 50), *after, delta=0.042, since=1.2)
    assert judged([*before, *own]).outcome is None


def due(epochs: int, **changes: Any) -> list[Shown]:
    """So many epochs that keep still; the queue is due to stand at 2.45 s, with the third of them."""
    times = (2.27, 2.36, 2.46, 2.56, 2.66, 2.76, 2.86, 2.96)
    return [*uneven(2.2, **changes), *(shown(now, 0.045, **changes) for now in times[:epochs])]


def test_a_queue_does_not_stand_while_the_delay_keeps_still_as_on_a_longer_path() -> None:
    assert judged(due(3)).outcome is None
    assert judged(due(4)).outcome is None
    assert judged(due(5)).outcome is Outcome.LONGER_PATH
    assert judged(due(3, lost=1)).outcome is Outcome.CONTENDED
    assert judged(due(3, transmission=1e-4)).outcome is Outcome.CONTENDED  # five of ten, then
    shared: dict[str, Any] = {"transmission": 1e-4}
    times = (2.0, 2.1, 2.2, 2.3, 2.46, *(2.5 + 0.1 * i for i in range(5)))
    five = [*uneven(1.9, **shared), *(shown(now, 0.045, **shared) for now in times)]
    assert judged(five[:-5]).outcome is None
    assert judged(five).outcome is Outcome.LONGER_PATH


def test_an_attempt_is_over_when_nothing_drains_any_more() -> None:
    after = judged([shown(1.0), shown(1.1, 0.001, return_rate=None)]).standing
    assert after.attempt is None
    assert judged([shown(5.0, 0.05)], after).outcome is None


def test_a_flow_that_has_lost_most_of_its_share_does_not_take_a_full_buffer_for_short() -> None:
    # An eighth of L is 4.75 ms, and 20 ms are short to a flow that sends a packet in 20 ms.
    def goes_on(delta: float, short: float = 0.02, rate: float = 2.4e6) -> bool:
        (begun,) = judge(shown(1.0, 0.03), FRESH, P)
        (later,) = judge(shown(1.1, delta, short=short, rate=rate, return_rate=None), begun.standing, P)
        return later.standing.attempt is not None

    assert goes_on(0.018)
    assert not goes_on(0.018, rate=2.6e6)
    assert goes_on(0.0048)
    assert not goes_on(0.0047)
    assert goes_on(0.0047, short=0.004)


def test_a_flow_that_uses_little_of_the_path_catches_up() -> None:
    def factor(rate: float, transmission: float) -> float:
        return epoch(rate=rate, transmission=transmission).catch_up(P)

    assert factor(2.5e6, 1e-3) == pytest.approx(3.0)
    assert factor(7.5e6, 1e-3) == pytest.approx(1.0)
    assert factor(1.1e7, 1e-3) == 1.0
    assert factor(2.5e6, 0.0) == 1.0
    alike = replace(P, without=frozenset({Mechanism.CATCH_UP}))
    assert epoch(rate=2.5e6, transmission=1e-3).catch_up(alike) == 1.0


def test_none_of_it_without_contention() -> None:
    (off,) = judge(shown(100.0), Standing(), replace(P, without=frozenset({Mechanism.CONTENTION})))
    assert off == Judged(FRESH)


def test_times_that_rounding_leaves_open_give_both_readings() -> None:
    begun = judged(uneven(2.3)).standing
    last = shown(2.450001, 0.05)
    assert {j.outcome for j in judge(last, begun, P, 2e-6, PATIENCE)} == {None, Outcome.CONTENDED}
    assert {j.outcome for j in judge(replace(last, now=2.45001), begun, P, 2e-6, PATIENCE)} == {Outcome.CONTENDED}


def epoch(**changes: Any) -> Epoch:
    base: dict[str, Any] = {
        "delta": 0.04,
        "rate": 1e7,
        "length": 0.04,
        "delivery_rate": 1e7,
        "thresholds": thresholds(1e7, 1250, P),
        "full": 0.002,
        "now": 1.0,
    }
    return law_epochs.epoch(**{**base, **changes})


def test_who_finds_others_holds_a_part_of_the_largest_rate() -> None:
    begun = judged(uneven(2.4)).standing
    e = epoch(delta=0.05, now=2.5, length=0.038, standing=begun, delivery_rate=9e6)
    for largest, most in ((0.0, 1e7), (2e7, 2e7)):
        (done,) = law.outcomes(replace(e, largest=largest), P, Course(1e7))
        assert (done.outcome, done.starts_anew) == (Outcome.CONTENDED, True)
        assert (done.course.return_rate, done.course.since_decrease) == (None, 0.0)
        assert done.rate == pytest.approx(0.54 * most)
        others = done.standing.others
        assert others is not None
        assert (others.held_rate, others.holds, others.queue) == (done.rate, True, 0.05)


def test_a_longer_path_raises_minima_and_round_trips() -> None:
    minimum = SlidingMinimum(10.0, 0.0)
    for now, value in ((0.0, 1.0), (5.0, 2.0)):
        minimum.insert(now, value)
    minimum.raise_by(0.5)
    minimum.advance(10.5)  # the least was seen anew at 5 s
    assert minimum.get() == 1.5
    minima = PathMinima(10.0, 0.0)
    minima.insert_rtt(4, 0.04)
    for source in Source:
        minima.insert_owd(source, 4, 0.02)
    minima.raise_by({Source.ACK: 0.01, Source.TIMESTAMPS: None})
    assert minima.length() == pytest.approx(0.05)
    assert minima.owd_minima(Source.ACK)[3] == pytest.approx(0.03)
    assert minima.owd_minima(Source.TIMESTAMPS)[3] == float("inf")
    minima.raise_by({Source.ACK: None, Source.TIMESTAMPS: None})
    assert minima.length() == pytest.approx(0.05)


def test_a_pause_of_the_windows_does_not_age_the_minima() -> None:
    minima = PathMinima(10.0, 0.0)
    minima.insert_rtt(4, 0.1)
    minima.pause(5.0, paused=True)
    for now in (float(second) for second in range(5, 25)):
        minima.advance(now)
        minima.insert_rtt(4, 0.25)
    minima.pause(25.0, paused=False)
    for now in (25.0, 29.9):
        minima.advance(now)
        assert minima.length() == 0.1, now
    minima.advance(30.1)
    assert minima.length() == 0.25


def test_no_round_trip_falls_below_the_smallest_because_of_an_ack_delay() -> None:
    minima = PathMinima(10.0, 0.0)
    assert minima.without_ack_delay(0.1, 0.02) == 0.1
    minima.insert_rtt(4, 0.07)
    for rtt, delay, owd in ((0.1, 0.01, 0.09), (0.1, 0.04, 0.07), (0.06, 0.01, 0.06), (0.1, 0.3, 0.07)):
        assert minima.without_ack_delay(rtt, delay) == pytest.approx(owd), rtt


def test_a_longer_path_shows_only_to_a_flow_that_is_alone_on_it_or_tries_for_longer() -> None:
    def steady(epochs: int, transmission: float) -> Outcome | None:
        return judged([shown(1.0 + 0.1 * i, transmission=transmission) for i in range(epochs + 1)]).outcome

    assert steady(5, 1e-3) is Outcome.LONGER_PATH
    assert steady(9, 1e-4) is None  # 10 of 100 Mbit/s
    assert steady(10, 1e-4) is Outcome.LONGER_PATH
    assert steady(9, 0.0) is None
    assert steady(10, 0.0) is Outcome.LONGER_PATH


def test_what_flows_keep_that_give_way_is_neither_a_longer_path_nor_a_filled_buffer() -> None:
    # 4 * 2 packets at 10 Mbit/s are 8 ms, L / 5 is 7.6 ms, L / 4 9.5 ms and L / 3 12.7 ms.
    still = [shown(1.0 + 0.1 * i, 0.0075) for i in range(6)]
    assert judged(still).outcome is None
    assert judged([replace(e, delta=0.0077) for e in still][:6]).outcome is Outcome.LONGER_PATH
    filled = [replace(e, now=1.0 + 0.4 * i, delta=0.0094 + 0.0004 * (i % 2)) for i, e in enumerate(still)]
    assert judged([replace(e, delta=e.delta - 0.0005) for e in filled]).outcome is None
    assert judged(filled[:5]).outcome is None
    assert judged([replace(e, delta=e.delta + 0.0004) for e in filled][:5]).outcome is Outcome.CONTENDED


def test_a_short_queue_is_that_of_others_once_most_of_the_share_is_lost() -> None:
    """d1 / 2 is 1 ms, and L / 4 is 9.5 ms."""

    def left(rate: float, delta: float) -> Outcome | None:
        some = [shown(1.0 + 0.1 * i, delta + 0.0005 * (i % 2), rate=rate) for i in range(16)]
        return judged(some).outcome

    assert left(2.4e6, 0.0045) is Outcome.CONTENDED
    assert left(2.6e6, 0.0045) is None
    assert left(2.4e6, 0.0014) is Outcome.CONTENDED
    assert left(2.4e6, 0.0004) is None
