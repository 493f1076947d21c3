"""Flows that hold their share, worked out by hand: "Contended" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

import law_epochs
from qlog_analysis.hybrid import law
from qlog_analysis.hybrid.arriving import Back
from qlog_analysis.hybrid.contended import Contended, Judged, LargestRate, Probe, Seen, judge
from qlog_analysis.hybrid.course import Course
from qlog_analysis.hybrid.ended_epoch import Epoch
from qlog_analysis.hybrid.loss_count import NOTHING_KNOWN, LossCount
from qlog_analysis.hybrid.overload import Count, Overload
from qlog_analysis.hybrid.parameters import DEFAULT
from qlog_analysis.hybrid.standing import Outcome, Standing
from qlog_analysis.hybrid.thresholds import thresholds

START = Contended.start(1.0, 1e7, 0.05, 0.04)


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


def test_who_was_free_holds_again_beyond_an_eighth_of_the_longest_queue() -> None:
    longest = after(START, seen(1.1, 0.08))
    assert one(longest, seen(1.2, 0.0011)).rate == 5.4e6, "as long as it holds, half of d1 decides"
    free = after(longest, seen(1.2, 0.001))
    for delta, short, holds in (
        (0.01, 0.001, False),
        (0.010001, 0.001, True),
        (0.02, 0.02, False),
        (0.021, 0.02, True),
    ):
        again = one(free, seen(1.3, delta, short=short))
        assert (again.rate is not None) == holds, delta
    assert one(free, seen(1.3, rate=5.5e6)).rate is None
    held = after(free, seen(1.3, 0.016))
    once_more = after(held, seen(1.4, 0.0))
    assert one(once_more, seen(1.5, 0.002)).rate is None
    assert one(once_more, seen(1.5, 0.0021)).rate is not None, "the longest is that since it holds again"
    at_first = after(START, seen(1.1, 0.0))
    assert one(at_first, seen(1.2, 0.00625)).rate is None, "with the one with which contention was found"
    assert one(at_first, seen(1.2, 0.0063)).rate is not None


def test_an_eighth_is_in_whole_nanoseconds() -> None:
    free = after(after(START, seen(1.1, 0.050000007)), seen(1.2, 0.0))
    assert one(free, seen(1.3, 0.00625)).rate is None
    assert one(free, seen(1.3, 0.006250001)).rate is not None


def test_what_many_flows_keep_that_give_way_is_the_most_that_is_no_queue() -> None:
    """16 packets at 100 Mbit/s: 1.6 ms, where an eighth is 6.25 ms."""
    fast = after(Contended.start(1.0, 1e8, 0.05, 0.04), seen(1.1, 0.001))
    assert one(fast, seen(1.2, 0.0016)).rate is None
    assert one(fast, seen(1.2, 0.001601)).rate == 5.4e7
    assert one(fast, seen(1.2, 0.001601, target_packets=4.0)).rate is None


def lossy(c: Contended, begin: float, end: float, lost: int = 10, **changes: Any) -> Iterator[tuple[float, Judged]]:
    """Every tenth of a second so many of a hundred packets are lost, to a queue that moves."""
    for tenth in range(round(begin * 10), round(end * 10)):
        now = tenth / 10
        judged = one(c, seen(now, 0.05 if tenth % 2 else 0.04, losses=LossCount(lost, 100 - lost), **changes))
        yield now, judged
        assert judged.after is not None
        c = judged.after


def overloads(judged: Iterable[tuple[float, Judged]]) -> list[float]:
    """When more is taken off than a probe's half."""
    before, times = START.share, []
    for now, j in judged:
        assert j.after is not None
        times += [now] if j.after.share < before else []
        before = j.after.share
    return times


def test_losses_that_last_show_that_others_hold_as_well() -> None:
    # Contention was found at 1 s: three seconds do not count, and over three more losses do.
    assert overloads(lossy(START, 1.1, 11.0)) == [7.0, 10.0]
    assert overloads(lossy(START, 1.1, 20.0, lost=4)) == [], "what flows lose that fill a buffer"
    assert overloads(lossy(START, 1.1, 20.0, usual_losses=law_epochs.usually(0.1))) == [], "what is always lost"
    first = after(START, seen(3.9, losses=LossCount(90, 10)))
    counted = after(first, seen(4.0, losses=LossCount(5, 95)))
    assert one(counted, seen(7.0, losses=LossCount(5, 95))).beta is None, "those before do not count"
    assert one(counted, seen(7.0, losses=LossCount(9, 91))).beta == 0.5, "14 of 200, which 8 + 2 sqrt(8) are below"


def test_then_half_is_to_be_held_for_good() -> None:
    *_, (_, last) = lossy(START, 1.1, 7.1)
    assert (last.rate, last.beta) == (2.7e6, 0.5)
    assert last.after is not None
    assert last.after.share == 2.7e6
    assert last.after.held_rate == 2.7e6
    assert one(last.after, seen(7.1, rate=3e6)).rate is None
    for transmission, rate in ((0.0, 2.7e6), (1e-3, 2.7e6), (0.98e-3, 0.27e7 / 0.98), (1e-5, 2.7e6 + 1e4 / 0.09)):
        now = one(last.after, seen(7.1, transmission=transmission))
        assert now.rate == pytest.approx(rate), "a packet per round trip up to 0.27 of the link"


def test_losses_that_last_come_before_what_else_an_epoch_may_bring() -> None:
    *_, (_, before) = lossy(START, 1.1, 7.0)
    assert before.after is not None
    heavy = LossCount(50, 50)
    excessive = one(before.after, seen(7.0, losses=heavy, excessive_loss=True))
    assert (excessive.rate, excessive.beta) == (2.7e6, 0.5)
    due = one(before.after._replace(next_probe=7.0), seen(7.0, losses=heavy))
    assert due.after is not None
    assert (due.rate, due.beta, due.after.probe) == (2.7e6, 0.5, None)
    probing = before.after._replace(probe=Probe(7.0, 0.05))
    during = one(probing, seen(7.0, losses=heavy))
    assert during.after is not None
    assert (during.rate, during.beta, during.after.probe) == (1.35e6, 0.5, probing.probe)
    little = before.after._replace(arriving=before.after.arriving._replace(lasted=1.0, sent=1e7, came_back=4e6))
    assert one(little, seen(7.0, losses=heavy)).slower, "but after that"


def test_losses_count_anew_when_the_flow_holds_again() -> None:
    *_, (_, before) = lossy(START, 1.1, 6.5)
    assert before.after is not None
    free = after(before.after, seen(6.5, 0.0))
    assert overloads(lossy(free, 8.0, 12.0)) == [11.0]
    early = after(after(START, seen(1.1)), seen(1.2, 0.0))
    assert overloads(lossy(early, 2.0, 8.0)) == [7.0], "the time after contention was found is not shorter"


def test_periods_that_rounding_leaves_open_are_counted_in_both_ways() -> None:
    heavy, light = LossCount(50, 50), LossCount(0, 100)
    (_, open_begin), *_ = Overload.start(1.0).take_in(4.0, heavy, NOTHING_KNOWN, 2e-6)
    assert len(open_begin.counts) == 2
    assert dict(open_begin.take_in(7.5, light, NOTHING_KNOWN, 2e-6)).keys() == {True, False}
    surely = dict(Overload.start(1.0).take_in(4.1, heavy, NOTHING_KNOWN, 2e-6))[False]
    both = list(surely.take_in(7.0, light, NOTHING_KNOWN, 2e-6))
    assert [shows for shows, _ in both] == [True, False], "the reading without slack comes first"
    assert one_count(both[0][1]) == Count(7.0)
    assert {count.begins for count in both[1][1].counts} == {4.0}


def one_count(overload: Overload) -> Count:
    (count,) = overload.counts
    return count


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
    fast = one(Contended.start(1.0, 1e9, 0.05, 0.04), seen(1.1, 0.06, excessive_loss=True)).after
    assert fast is not None
    assert one(fast, seen(1.2, 0.06)).rate == pytest.approx(5.4e8 * (0.7 + 0.3 * 0.04 / 5)), "in five seconds"
    full = one(lost.after, seen(1.2, 0.06, transmission=1e-3, packet_bytes=125_000))
    assert full.rate == pytest.approx(0.7 * 5.4e6 + 1e7), "half of a fast link"
    assert one(START, seen(1.2, transmission=1e-3)).rate == 5.4e6, "half of a slow one is less"


def test_a_probe_tells_a_queue_from_a_longer_path() -> None:
    assert one(START, seen(2.99)).beta is None
    probing = one(START, seen(3.0))
    assert (probing.rate, probing.beta) == (2.7e6, 0.5)
    assert probing.after is not None
    for delta, longer in ((0.0471, None), (0.0472, 1e7), (0.0528, 1e7), (0.0529, None)):
        during = after(probing.after, seen(3.1, delta))
        assert one(during, seen(3.2)).rate == 2.7e6
        assert one(during, seen(3.53)).rate == 2.7e6
        end = one(during, seen(3.54))
        assert end.longer == (None if longer is None else pytest.approx(longer)), delta
        if longer is None:
            assert end.rate == 5.4e6
            assert one(after(during, seen(3.54)), seen(13.5)).beta is None
            assert one(after(during, seen(3.54)), seen(13.6)).beta == 0.5


def test_who_loses_packets_beside_competing_flows_is_on_no_longer_path() -> None:
    probing = after(START, seen(3.0))
    for lost, longer in ((0, True), (1, False)):
        some = LossCount(lost, 40)
        assert (one(probing, seen(3.6, losses=some)).longer is not None) == longer
        assert one(probing, seen(3.6, losses=some, usual_losses=law_epochs.usually(0.05))).longer is not None, (
            "as many as ever"
        )
    before = after(START, seen(1.1, losses=LossCount(3, 40)))
    end = after(after(before, seen(3.0)), seen(3.6))
    assert one(after(end, seen(13.6)), seen(14.2)).longer is not None, "they count until a probe ends"


def back(now: float, share: float, *, rate: float = 5.4e6, limited: bool = False) -> Back:
    """An epoch of 40 ms, of which so much has come back."""
    return Back(now, 0.04, rate, share * rate * 0.04, limited)


def brought(c: Contended, *backs: Back) -> Contended:
    for b in backs:
        c = c.take_in(b)
    return c


def test_a_queue_is_the_flows_own_if_less_than_half_of_what_it_sends_comes_back() -> None:
    # A round trip of 90 ms until something is back, and 200 ms over which it is counted.
    before = [back(t, 0.0) for t in (1.04, 1.08, 1.12)]
    for share, slower in ((0.65, False), (0.51, False), (0.49, True)):
        four = brought(START, *before, *(back(t, share) for t in (1.17, 1.21, 1.25, 1.29)))
        assert not one(four, seen(1.29)).slower
        judged = one(brought(four, back(1.33, share)), seen(1.33))
        assert (judged.slower, judged.rate is None, judged.after is None) == (slower, slower, slower)
    limited = brought(START, *(back(1.17 + 0.04 * i, 0.0, limited=True) for i in range(5)))
    assert not one(limited, seen(1.33)).slower


def test_what_comes_back_counts_anew_when_more_is_sent() -> None:
    free = after(START, seen(1.1, 0.0))
    assert free.take_in(back(1.14, 0.0)) == free
    again = after(free, seen(1.2))
    later = brought(again, *(back(t, 0.1) for t in (1.24, 1.28, 1.32)), *(back(t, 1.0) for t in (1.36, 1.40)))
    assert not one(later, seen(1.40)).slower


def test_in_a_probe_what_comes_back_counts_at_once() -> None:
    probing = after(START, seen(3.0))
    little = brought(probing, *(back(t, 0.4, rate=2.7e6) for t in (3.04, 3.08, 3.12, 3.16, 3.2)))
    assert one(little, seen(3.2)).slower


def test_on_a_slower_link_the_law_of_a_lone_flow_applies() -> None:
    little = brought(START, *(back(t, 0.4) for t in (1.17, 1.21, 1.25, 1.29)))
    standing = Standing(others=little)
    done = outcome(standing=standing, now=1.33, duration=0.04, rate=5.4e6, delivery_rate=2e6, arriving=0.04)
    assert (done.outcome, done.starts_anew, done.standing) == (Outcome.SLOWER_LINK, True, Standing())
    assert done.beta == pytest.approx(0.05 / 0.12)
    assert done.course.since_decrease == 0.0
    assert done.course.return_rate is not None


def test_times_that_rounding_leaves_open_give_both_readings() -> None:
    assert {j.beta for j in judge(START, seen(3.0), 2e-6)} == {None, 0.5}
    assert {j.after is None for j in judge(START, seen(11.0, 0.0), 2e-6)} == {True, False}
    assert {j.rate is None for j in judge(START, seen(1.5, 0.001), 2e-6)} == {True, False}


def test_the_largest_rate_is_forgotten_with_time() -> None:
    largest = LargestRate(10.0, 0.0)
    assert largest.get() == 0.0
    for now, rate in ((0.5, 9e6), (5.0, 3e6), (9.9, 2e6)):
        largest.see(now, rate, 9e6)
    assert largest.get() == 9e6
    largest.see(10.1, 1e6, 9e6)
    assert largest.get() == 3e6


def test_what_does_not_arrive_was_not_used() -> None:
    largest = LargestRate(10.0, 0.0)
    largest.see(0.5, 9e6, 2e6)
    assert largest.get() == 2e6
    largest.see(0.6, 1e6, 2e6)
    assert largest.get() == 2e6
    largest.see(0.7, 3e6, 4e6)
    assert largest.get() == 3e6


def epoch(**changes: Any) -> Epoch:
    base: dict[str, Any] = {"delta": 0.05, "rate": 6e6, "length": 0.04, "delivery_rate": 6e6, "full": 0.002, "now": 1.1}
    standing = Standing(others=START)
    return law_epochs.epoch(**{**base, "thresholds": thresholds(6e6, 1250, DEFAULT), "standing": standing, **changes})


def outcome(**changes: Any) -> law.Update:
    (done,) = law.outcomes(epoch(**changes), DEFAULT, Course(8e6, since_decrease=1.0))
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
    done = outcome(standing=Standing(others=probing), now=3.6)
    assert done.outcome is Outcome.LONGER_PATH
    assert done.rate == pytest.approx(0.99 * 1e7)
    assert (done.standing, done.course.return_rate) == (Standing(), None)


def test_the_window_allows_for_the_queue_of_others() -> None:
    plain = law.window(1e7, 0.04, 1250, DEFAULT)
    assert law.window(1e7, 0.04, 1250, DEFAULT, queue=0.05) == plain + 50 * 1250
    assert START._replace(holds=False).allowance == 0.0
