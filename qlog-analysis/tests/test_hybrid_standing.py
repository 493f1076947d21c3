"""Queues that stand, worked out by hand: "Beside others who fill the buffer" in docs/papers/hybrid.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import law_epochs
from qlog_analysis.hybrid import law
from qlog_analysis.hybrid.parameters import DEFAULT
from qlog_analysis.hybrid.standing import Judged, Outcome, Shown, Standing, judge
from qlog_analysis.hybrid.thresholds import thresholds
from qlog_analysis.measure.sliding import PathMinima, Source
from qlog_analysis.measure.window_min import SlidingMinimum

P = replace(DEFAULT, compete=1.45, bmin=0.01, grow=1.5, period=0.04)
FRESH = Standing()


def shown(now: float = 1.0, delta: float = 0.04, **changes: Any) -> Shown:
    base: dict[str, Any] = {"length": 0.038, "short": 0.001, "lost": 0, "acked": 40, "background": 0.0}
    return Shown(now, delta, **{**base, "rate": 8e6, "share": 1e7, "transmission": 1e-3, **changes})


def judged(epochs: list[Shown], before: Standing = FRESH) -> Judged:
    """What the last one leads to; none of the others ends the attempt."""
    last = Judged(before)
    for e in epochs:
        assert last.outcome is None
        (last,) = judge(e, last.standing, P)
    return last


def uneven(until: float, **changes: Any) -> list[Shown]:
    """Delays of 40 and 50 ms in turn."""
    times = [1.0 + 0.1 * i for i in range(round((until - 1.0) / 0.1) + 1)]
    return [shown(now, 0.04 + 0.01 * (i % 2), **changes) for i, now in enumerate(times)]


def test_a_queue_stands_after_the_patience_with_strangers() -> None:
    assert judged(uneven(2.4)).outcome is None
    found = judged(uneven(2.5))
    assert (found.outcome, found.back) == (Outcome.STANDS, 0.5e7)
    assert found.standing == Standing(0.05, None, 2.5)


def test_where_others_are_known_it_stands_as_soon_as_it_should_have_drained() -> None:
    known = Standing(queue=0.03, found=0.0)
    assert judged(uneven(1.2), known).outcome is None  # 5 L + 2 * 50 ms = 290 ms
    found = judged(uneven(1.3), known)
    assert (found.outcome, found.back) == (Outcome.STANDS, 1e7)


def test_others_are_forgotten_after_ten_seconds() -> None:
    assert judged([shown(10.4), shown(10.7, 0.05)], Standing(queue=0.03, found=1.0)).outcome is Outcome.STANDS
    assert judged([shown(10.8), shown(11.1, 0.05)], Standing(queue=0.03, found=1.0)).outcome is None


def test_a_queue_that_falls_does_not_stand_yet() -> None:
    known = Standing(queue=0.03, found=0.0)
    assert judged([shown(1.0, 0.05), shown(1.4, 0.0449)], known).outcome is None
    assert judged([shown(1.0, 0.05), shown(1.4, 0.0451)], known).outcome is Outcome.STANDS


def test_a_delay_that_stays_although_a_queue_would_have_drained_is_a_longer_path() -> None:
    steady = [shown(1.0 + 0.1 * i, share=1e7 - i) for i in range(5)]
    last = shown(1.5)  # drained by then: 0.5 s * 0.2
    assert judged(steady).outcome is None  # too few epochs
    found = judged([*steady, last])
    assert (found.outcome, found.back, found.standing) == (Outcome.LONGER_PATH, 1e7, FRESH)
    assert judged([*steady, replace(last, delta=0.0413)]).outcome is None
    assert judged([*steady, replace(last, lost=1)]).outcome is None
    assert judged([replace(e, rate=9.5e6) for e in (*steady, last)]).outcome is None  # 0.5 s * 0.05 is less than 40 ms
    assert judged(steady[:4], Standing(0.03, None, 0.5)).outcome is Outcome.STANDS


def still(*counts: tuple[int, int], delta: float = 0.04, since: float = 1.0, background: float = 0.01) -> list[Shown]:
    """A delay that stays, with packets lost and acknowledged in every epoch."""
    return [
        shown(since + 0.1 * i, delta, lost=lost, acked=acked, background=background)
        for i, (lost, acked) in enumerate(counts)
    ]


def test_losses_that_chance_explains_do_not_hide_a_longer_path() -> None:
    usual, more = [(1, 99)] * 4, [(2, 98)] * 4
    # Of 500 packets 5 are lost as a rule, and up to 9 by chance: 5 + 2 sqrt 5.
    assert judged(still((0, 100), *usual, (5, 95))).outcome is Outcome.LONGER_PATH
    assert judged(still((0, 100), *more, (1, 99))).outcome is Outcome.LONGER_PATH
    assert judged(still((0, 100), *more, (2, 98))).outcome is None
    assert judged(still((0, 100), *usual, (1, 99), background=0.0)).outcome is None


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
    assert judged(due(3, lost=1)).outcome is Outcome.STANDS
    assert judged(due(3, transmission=1e-4)).outcome is Outcome.STANDS  # five of ten, then
    shared: dict[str, Any] = {"transmission": 1e-4}
    times = (2.0, 2.1, 2.2, 2.3, 2.46, *(2.5 + 0.1 * i for i in range(5)))
    five = [*uneven(1.9, **shared), *(shown(now, 0.045, **shared) for now in times)]
    assert judged(five[:-5]).outcome is None
    assert judged(five).outcome is Outcome.LONGER_PATH


def test_a_known_queue_stands_although_the_delay_keeps_still() -> None:
    assert judged(due(3)[-3:], Standing(0.03, None, 2.0)).outcome is None
    assert judged(still(*[(0, 40)] * 4), Standing(0.03, None, 0.5)).outcome is Outcome.STANDS


def test_an_attempt_is_over_when_nothing_drains_any_more() -> None:
    after = judged([shown(1.0), shown(1.1, 0.001, share=None)]).standing
    assert after.attempt is None
    assert judged([shown(5.0, 0.05)], after).outcome is None


def test_a_flow_that_has_lost_most_of_its_share_does_not_take_a_full_buffer_for_short() -> None:
    # An eighth of L is 4.75 ms, and 20 ms are short to a flow that sends a packet in 20 ms.
    def goes_on(delta: float, short: float = 0.02, rate: float = 2.4e6) -> bool:
        (begun,) = judge(shown(1.0, 0.03), FRESH, P)
        (later,) = judge(shown(1.1, delta, short=short, rate=rate, share=None), begun.standing, P)
        return later.standing.attempt is not None

    assert goes_on(0.018)
    assert not goes_on(0.018, rate=2.6e6)
    assert goes_on(0.0048)
    assert not goes_on(0.0047)
    assert goes_on(0.0047, short=0.004)


def test_a_decrease_drains_its_own_part_of_a_queue_where_the_flow_knows_its_part_of_the_path() -> None:
    e = epoch(delta=0.064, thresholds=thresholds(1e7, 1250, P), transmission=1e-3)
    assert law.beta(e, P) == pytest.approx(0.024 / 0.12)
    assert law.beta(replace(e, transmission=0.0), P) == pytest.approx(P.bmax)
    assert law.beta(replace(e, delta=0.03), P) == P.bmin


def test_a_flow_that_uses_little_of_the_path_catches_up() -> None:
    def factor(rate: float, transmission: float) -> float:
        return epoch(rate=rate, transmission=transmission).catch_up(P)

    assert factor(2.5e6, 1e-3) == pytest.approx(3.0)
    assert factor(7.5e6, 1e-3) == pytest.approx(1.0)
    assert factor(1.1e7, 1e-3) == 1.0
    assert factor(2.5e6, 0.0) == 1.0


def test_the_standing_queue_follows_a_shorter_one_and_goes_with_it() -> None:
    before = Standing(queue=0.08, found=0.0)
    alone: dict[str, Any] = {"share": None}
    assert judged([shown(1.0, 0.04, **alone)], before).standing.queue == pytest.approx(0.075)
    assert judged([shown(1.0, 0.09, **alone)], before).standing.queue == 0.08
    assert judged([shown(1.0, 0.0001, **alone)], before).standing == Standing(0.0, None, 0.0)


def test_none_of_it_without_compete() -> None:
    (off,) = judge(shown(100.0), Standing(), replace(P, compete=0.0))
    assert off == Judged(FRESH)


def test_times_that_rounding_leaves_open_give_both_readings() -> None:
    known = Standing(queue=0.03, found=0.0)
    (begun,) = judge(shown(1.0, 0.05), known, P)
    both = {j.outcome for j in judge(shown(1.290001, 0.05), begun.standing, P, 2e-6)}
    assert both == {None, Outcome.STANDS}
    assert {j.outcome for j in judge(shown(1.29001, 0.05), begun.standing, P, 2e-6)} == {Outcome.STANDS}


def epoch(**changes: Any) -> law.Epoch:
    base: dict[str, Any] = {
        "delta": 0.04,
        "rate": 1e7,
        "length": 0.04,
        "arrived": 1e7,
        "thresholds": thresholds(1e7, 1250, P).above(0.04),
        "full": 0.002,
        "now": 1.0,
        "standing": Standing(queue=0.04, found=0.5),
    }
    return law_epochs.epoch(**{**base, **changes})


def after(undisturbed: float = 0.0, **changes: Any) -> law.Update:
    e = epoch(**changes)
    (done,) = law.settle(e, law.update(e, P, law.Course(undisturbed=undisturbed)), P)
    return done


def test_thresholds_are_those_above_the_standing_queue_but_what_is_short_is_not() -> None:
    own = thresholds(1e7, 1250, P)
    raised = own.above(0.04)
    assert [raised.d0, raised.d1, raised.d2, raised.d3] == pytest.approx(
        [x + 0.045 for x in (0.00025, 0.002, 0.004, 0.008)]
    )
    assert [raised.own_d1, raised.short] == pytest.approx([own.d1, own.d1 / 2.0])
    assert law.window(1e7, 0.04, 1250, P, queue=0.04) == 93 * 1250  # 40 + 8 + 45 ms


def test_the_increase_beside_others_lies_between_a_packet_and_a_share_of_the_rate() -> None:
    packet = 8.0 * 1250 / 0.04
    assert after().alpha == packet
    assert after(undisturbed=60.0).alpha == pytest.approx(0.03 * 1e7)
    assert after(undisturbed=60.0, rate=1e6).alpha == packet


def test_a_flow_that_has_half_of_the_slowest_link_does_not_increase() -> None:
    half = 8.0 * 1250 / (2.0 * 1e7)
    assert after(transmission=1.001 * half).alpha == 0.0
    assert after(transmission=0.999 * half).alpha == 8.0 * 1250 / 0.04
    assert after(transmission=1.001 * half, standing=FRESH, delta=0.0).alpha != 0.0


def test_losses_do_not_count_beside_others_unless_they_overwhelm() -> None:
    assert after(lost=True).zone == 1
    assert after(lost=True, overwhelmed=True).zone == 3
    assert after(lost=True, standing=FRESH).zone == 3


def test_a_queue_that_stands_gives_the_share_back() -> None:
    begun = judged([shown(0.5, 0.05)], Standing(queue=0.03, found=0.0)).standing
    e = epoch(delta=0.06, standing=begun, thresholds=thresholds(1e7, 1250, P).above(0.03), arrived=9e6)
    (done,) = law.settle(e, law.update(e, P, law.Course()), P)
    assert (done.outcome, done.starts_anew) == (Outcome.STANDS, True)
    assert (done.course.share, done.course.undisturbed) == (None, 0.0)
    assert done.rate == pytest.approx(0.99 * 1e7)  # the largest share since it began
    assert done.standing == Standing(0.06, None, 1.0)


def test_a_longer_path_raises_minima_and_round_trips() -> None:
    minimum = SlidingMinimum(10.0, 0.0)
    for now, value in ((0.0, 1.0), (5.0, 2.0)):
        minimum.insert(now, value)
    minimum.raise_by(0.5)
    minimum.advance(10.5)  # the least was seen anew at 5 s
    assert minimum.get() == 1.5
    minima = PathMinima(10.0, 0.0)
    minima.insert_rtt(0.0, 4, 0.04)
    for source in Source:
        minima.insert_owd(0.0, source, 4, 0.02)
    minima.raise_by({Source.ACK: 0.01, Source.TIMESTAMPS: None})
    assert minima.length() == pytest.approx(0.05)
    assert minima.owd_minima(Source.ACK)[3] == pytest.approx(0.03)
    assert minima.owd_minima(Source.TIMESTAMPS)[3] == float("inf")
    minima.raise_by({Source.ACK: None, Source.TIMESTAMPS: None})
    assert minima.length() == pytest.approx(0.05)


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
    known = Standing(queue=0.03, found=0.9)
    assert judged([replace(e, delta=0.0094) for e in still], known).outcome is None
    assert judged([replace(e, delta=0.0096) for e in still][:4], known).outcome is Outcome.STANDS
    assert judged([replace(e, delta=0.0126, share=1e6, rate=9e5) for e in still], known).outcome is None
