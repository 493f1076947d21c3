"""The law of the default profile, beyond single points."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

import law_epochs
from qlog_analysis.hybrid import law, spec
from qlog_analysis.hybrid.course import Course
from qlog_analysis.hybrid.dips import Dips
from qlog_analysis.hybrid.drain import Drain
from qlog_analysis.hybrid.ended_epoch import Epoch
from qlog_analysis.hybrid.late import LatePackets
from qlog_analysis.hybrid.mechanism import Mechanism, as_text, left_out
from qlog_analysis.hybrid.parameters import DEFAULT, Parameters
from qlog_analysis.hybrid.thresholds import LongestQueue, full_delay, startup_end, thresholds
from qlog_analysis.measure.sliding import PathMinima, Source, size_class
from qlog_analysis.measure.window_min import SlidingMinimum

PLAIN = replace(DEFAULT, target_delay=0.012, growth=1.0, without=frozenset(Mechanism) - {Mechanism.EXCESSIVE_LOSS})
"""Without what can be left out, but for excessive losses."""
BOUNDS = thresholds(1e6, 1250, PLAIN)
DRAINING = replace(PLAIN, min_decrease=0.02, drain_epochs=2.0, startup_gain=2.0)
FRESH = Course()


def epoch(**changes: Any) -> Epoch:
    base: dict[str, Any] = {
        "delta": 0.0,
        "rate": 1e6,
        "length": 0.1,
        "delivery_rate": 1e6,
        "thresholds": BOUNDS,
        "full": BOUNDS.d1,
    }
    return law_epochs.epoch(**{**base, **changes})


def after(course: Course = FRESH, p: Parameters = DRAINING, **changes: Any) -> law.Update:
    done = law.update(epoch(**changes), p, course)
    return done._replace(course=done.course._replace(dips=Dips()))


def test_increases_grow_with_the_packet_and_fall_with_the_round_trip() -> None:
    amin, amax = DEFAULT.increase_bounds(1000, 0.1)
    assert amin == pytest.approx(800.0)  # the paper's, 0.01 packets of its size per its round trip
    assert amin < amax <= 40_000.0
    assert list(DEFAULT.increase_bounds(2000, 0.05)) == pytest.approx([4 * amin, 4 * amax])


def test_growth_has_a_shorter_period_only_where_both_the_path_and_packets_are_short() -> None:
    p = replace(DEFAULT, growth_period=0.04)
    for length, rate, period in [
        (0.2, 1e8, 0.2),
        (0.02, 1e8, 0.04),
        (0.0025, 1e8, 0.04),
        (0.001, 1e8, 0.016),
        (25e-6, 1e9, 400e-6),
        (25e-6, 1e7, 0.0128),
        (25e-6, 1e6, 0.04),
    ]:
        assert p.period(1000, rate, length) == pytest.approx(period)


def test_rate_stays_within_its_bounds() -> None:
    assert after(rate=26_000.0, delta=0.1).rate == 8 * 1250 / 0.4
    assert after(rate=10e9).rate == 10e9


def test_start_up_goes_on_until_delay_shows_and_leaves_for_what_arrived() -> None:
    going = after(startup=True, delta=0.006)
    assert (going.rate, going.startup, going.alpha, going.beta) == (1e6, True, None, None)
    left = after(startup=True, queues=True, delta=0.0061, delivery_rate=8e5)
    assert (left.startup, left.zone, left.beta) == (False, 1, 0.02)
    assert left.rate == pytest.approx(0.98 * 8e5)
    assert left.course == Course(return_rate=8e5, startup_rate=1e6)
    assert after(startup=True, queues=True, delta=0.018, delivery_rate=2e6).rate == pytest.approx(0.91e6)


def test_delay_that_does_not_end_start_up_is_no_decrease_but_loss_of_a_full_queue_is() -> None:
    insisting: dict[str, Any] = {"startup": True, "delta": 0.025}
    assert after(**insisting).zone == 3
    assert after(**insisting).startup
    assert not after(**insisting, lost=True).startup
    assert after(startup=True, lost=True, delta=0.001).startup
    assert not after(startup=True, excessive_loss=True).startup


def test_a_decrease_leaves_for_what_drains_the_queue_and_the_share_comes_back() -> None:
    down = after(delta=0.02, delivery_rate=9e5)
    assert [down.beta, down.rate, down.course.return_rate] == pytest.approx([0.1, 0.81e6, 9e5])
    waits = after(down.course, rate=down.rate, delta=0.007)
    assert (waits.zone, waits.alpha, waits.rate, waits.course) == (1, None, down.rate, down.course)
    back = after(down.course, rate=down.rate, delta=0.006)
    assert (back.alpha, back.course) == (None, FRESH)
    assert back.rate == pytest.approx(0.98 * 9e5)


@pytest.mark.parametrize(
    ("course", "app_limited", "return_rate"),
    [
        (FRESH, False, 9e5),  # min(R, A)
        (FRESH, True, 1e6),  # R
        (Course(1.2e6), False, 9e5),  # min(max(R, S), A)
        (Course(1.2e6), True, 1.2e6),
        (Course(1.2e6, startup_rate=4e6), False, 1.2e6),  # the queue of start-up
        (Course(8e5, startup_rate=4e6), False, 1e6),
    ],
)
def test_the_share_of_a_decrease(course: Course, app_limited: bool, return_rate: float) -> None:
    down = after(course, delta=0.02, delivery_rate=9e5, app_limited=app_limited)
    assert down.course._replace(drain=Drain()) == Course(return_rate)
    assert down.rate == pytest.approx(min(1e6, 0.9 * return_rate))


def test_what_arrives_while_a_queue_drains_is_summed_up_from_the_decrease_on() -> None:
    p = DRAINING
    first = after(delta=0.02, delivery_rate=9e5, arriving=0.1, p=p)
    assert first.course.drain == Drain()
    waits = after(first.course, p, delta=0.01, delivery_rate=8e5, arriving=0.1)
    assert waits.course.drain == Drain(0.1, 8e4)
    again = after(waits.course, p, delta=0.02, delivery_rate=6e5, arriving=0.3)
    assert again.course.drain == Drain(0.4, 26e4)
    assert after(again.course, p, delta=0.0, delivery_rate=6e5, arriving=0.1).course.drain == Drain()
    startup = Course(5e5, startup_rate=8e5).arrive(6e5, 0.1, 0.1)
    assert startup.drain == Drain()


@pytest.mark.parametrize(
    ("delivery_rate", "uncertain", "drain", "ack_jitter", "return_rate"),
    [
        (4e5, 0.5, Drain(), 0.1, 8e5),  # nothing else is known: M is A, and its share as uncertain
        (4e5, 0.5, Drain(9.9, 49.6e5), 1.0, 50e5 / 9.0),  # M over ten seconds
        (4e5, 0.5, Drain(9.9, 270e5), 1.0, 8e5),  # no less than by this epoch alone
        (4e5, 0.5, Drain(9.9, 9e5), 1.0, 4e5),  # A is more
        (4e5, 0.0, Drain(9.9, 90e5), 0.0, 4e5),  # without jitter it makes no difference
        (4e5, 0.5, Drain(9.9, 49.6e5), 100.0, 8e5),  # at most half is uncertain
        (4e5, 0.5, Drain(9.9, 5.99e5), 1.0, 8e5),  # less than 64 packets tell nothing
        (4e5, 0.5, Drain(9.9, 6.01e5), 1.0, 4e5),
    ],
)
def test_the_mean_of_a_drain_bounds_what_may_have_been_held_back(
    delivery_rate: float, uncertain: float, drain: Drain, ack_jitter: float, return_rate: float
) -> None:
    p = DRAINING
    measured: dict[str, Any] = {"delivery_rate": delivery_rate, "uncertain": uncertain, "ack_jitter": ack_jitter}
    changes = {"delta": 0.02, **measured}
    down = after(Course(1.5e6, drain=drain), p, arriving=0.1, **changes)
    assert down.course.return_rate == pytest.approx(return_rate)
    started = after(Course(1.5e6, startup_rate=3e6, drain=Drain()), p, arriving=0.1, **changes)
    assert started.course.return_rate == 1.5e6


def test_after_start_up_the_share_is_learnt_until_the_next_decrease() -> None:
    course = Course(5e5, startup_rate=8e5, resumed_at=1e6)
    assert course.learn(6e5).return_rate == 6e5
    assert course.learn(9e5).return_rate == 8e5
    assert course.learn(4e5).return_rate == 5e5
    assert Course(5e5).learn(6e5).return_rate == 5e5
    assert after(course, delta=0.01, delivery_rate=6e5).course.return_rate == 6e5
    assert after(course, delta=0.0, rate=3e5, delivery_rate=6e5).rate == pytest.approx(0.98 * 6e5)


def test_an_epoch_without_samples_may_only_lower_the_share_of_a_queue_that_is_not_that_of_start_up() -> None:
    assert Course(5e5).learn(4e5, tells=True).return_rate == 4e5
    assert Course(5e5).learn(6e5, tells=True).return_rate == 5e5
    assert Course(5e5, startup_rate=8e5).learn(4e5, tells=True).return_rate == 5e5
    assert FRESH.learn(4e5, tells=True) == FRESH


def test_what_is_held_back_and_what_is_lost_without_a_queue_has_reached_the_slowest_link() -> None:
    spread: dict[str, Any] = {"delta": 0.02, "rate": 2e6, "delivery_rate": 6e5, "uncertain": 0.25}
    assert after(**spread).course.return_rate == pytest.approx(8e5)
    assert after(**spread, background=0.1).course.return_rate == pytest.approx(8e5 / 0.9)
    assert after(**spread, background=0.9).course.return_rate == pytest.approx(1e6)
    assert after(**spread, background=0.1, lost=True).course.return_rate == 6e5
    assert after(**spread, background=0.1, excessive_loss=True).course.return_rate == 6e5
    learnt = after(Course(5e5, startup_rate=2e6), delta=0.01, delivery_rate=6e5, uncertain=0.25, background=0.1)
    assert learnt.course.return_rate == pytest.approx(8e5)


def test_the_increase_grows_with_the_time_without_a_decrease() -> None:
    p = replace(DRAINING, growth=2.0, growth_period=0.05)
    first = after(p=p)
    assert (first.alpha, first.course.since_decrease) == (2000.0, 0.1)
    assert after(first.course, p).alpha == pytest.approx(4000.0)
    assert after(first.course, p, length=0.025).alpha == pytest.approx(8000.0 * 0.5 * 4.0)
    assert after(Course(since_decrease=60.0), p).alpha == 250_000.0
    limited = after(Course(since_decrease=60.0), p, app_limited=True)
    assert limited.course.since_decrease == 60.0, "not tried, and so not wrong"
    assert after(Course(since_decrease=60.0), p, delta=0.02).course.since_decrease == 0.0


def test_thresholds_follow_the_rate_within_their_bounds() -> None:
    p = replace(DEFAULT, target_packets=2.0)
    assert thresholds(5e6, 1250, p).d1 == pytest.approx(0.004)
    assert [thresholds(5e6, 1250, p).d0, thresholds(5e6, 1250, p).d2] == pytest.approx([0.0005, 0.008])
    at = {rate: thresholds(rate, 1250, p).d1 for rate in (1e4, 5e5, 1e6, 1e10)}
    assert at == {1e4: 0.1, 5e5: 0.02, 1e6: 0.012, 1e10: 0.0002}
    given = thresholds(5e6, 1250, replace(p, target_delay=0.01))
    assert [given.d0, given.d1, given.d2, given.d3] == pytest.approx([0.00125, 0.01, 0.02, 0.04])


def test_the_delay_of_a_full_queue_lies_between_a_quarter_of_d1_and_d1() -> None:
    delays = [full_delay(0.008, longest, DEFAULT) for longest in (0.0, 0.002, 0.006, 0.1)]
    assert delays == pytest.approx([0.002, 0.002, 0.0045, 0.008])
    assert full_delay(0.008, 0.0, PLAIN) == 0.008


def test_the_longest_queue_is_forgotten_after_its_window() -> None:
    longest = LongestQueue(10.0, 0.0)
    assert longest.end_epoch(0.5, 0.004) == 0.004
    assert longest.end_epoch(9.9, 0.001) == 0.004
    assert longest.end_epoch(10.0, None) == 0.004
    assert longest.end_epoch(10.0, 0.002) == 0.002


def test_start_up_ends_later_where_others_fill_the_path() -> None:
    p = replace(DEFAULT, target_delay=0.012)
    assert startup_end(1e6, 0.1, 0.0, 1250, p) == 0.006  # T is not known
    assert startup_end(1e6, 0.1, 0.001, 1250, p) == pytest.approx(0.02)
    assert startup_end(6e6, 0.1, 0.001, 1250, p) == 0.006
    assert startup_end(1e6, 0.1, 0.0055, 1250, p) == pytest.approx(0.00825)
    assert startup_end(1e6, 0.1, 0.001, 1250, replace(p, without=frozenset({Mechanism.INSIST}))) == 0.006


def test_jitter_and_gaps_make_the_window_larger() -> None:
    p = replace(DEFAULT, target_delay=0.00375)  # d3 is 15 ms
    assert law.window(1e6, 0.1, 1250, p) == 12 * 1250
    assert law.window(1.0, 0.1, 1250, p) == 2 * 1250
    assert law.window(1e6, 0.1, 1250, p, 0.02) == 13 * 1250  # half of J
    assert law.window(1e6, 0.1, 1250, p, 0.0, 0.0075) == 12 * 1250
    assert law.window(1e6, 0.1, 1250, p, 0.0, 0.019) == 14 * 1250  # G twice, if that is more than d3


def are_excessive(
    late: LatePackets, lost: int, acked: int, reports: int = 8, *, acks: int = 16, competes: bool = False
) -> bool:
    late.add(lost, acked, acks, reports)
    return late.are_excessive(DEFAULT.most_loss, competes=competes)


def test_losses_are_excessive_by_their_share_of_late_packets() -> None:
    late = LatePackets()
    assert not are_excessive(late, 3, 2)
    assert not are_excessive(late, 1, 34)  # 4 of 40
    assert are_excessive(late, 1, 0)
    late.forget()
    assert not are_excessive(late, 13, 117)  # 13 of 130: exactly the share
    assert not are_excessive(late, 1, 6)  # 6 of 64, and 1 of 7
    assert are_excessive(late, 2, 4)
    late = LatePackets(100, 0, 100, 100)
    never = replace(DEFAULT, without=frozenset({Mechanism.EXCESSIVE_LOSS}))
    assert not late.are_excessive(never.most_loss, competes=False)


def test_losses_that_few_feedbacks_tell_are_a_burst() -> None:
    late = LatePackets()
    assert not are_excessive(late, 50, 100, 3)
    assert not are_excessive(late, 30, 0, 6)  # 9 of 150 packets are 3 of 64
    assert are_excessive(late, 10, 0, 3)
    late.forget()
    assert not are_excessive(late, 50, 70, 7), "a decrease forgets them"


def test_of_packets_that_few_acks_acknowledge_more_count() -> None:
    late = LatePackets()
    for epoch in range(3):
        assert are_excessive(late, 60, 60, 3, acks=3) == (epoch == 2), "three ACKs an epoch, each of 40 packets"
    for _ in range(20):
        assert are_excessive(late, 600, 600, 3, acks=3), "however many packets they acknowledge"
    for _ in range(6):
        excessive = are_excessive(late, 0, 120, 0, acks=3)
    assert not excessive, "what is long ago is forgotten"


def test_beside_others_it_takes_two_epochs_in_a_row() -> None:
    late = LatePackets()
    assert not are_excessive(late, 20, 100, competes=True)
    assert are_excessive(late, 20, 100, competes=True)
    late.forget()
    assert are_excessive(late, 20, 100, competes=True), "what went on before a decrease goes on after it"
    late.forget()
    assert not are_excessive(late, 0, 100, competes=True)
    assert not are_excessive(late, 40, 20, competes=True)


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
    minima.insert_owd(Source.ACK, 1, 5.0)
    minima.insert_owd(Source.ACK, 3, 4.0)
    minima.insert_owd(Source.ACK, 4, 9.0)
    assert minima.owd_minima(Source.ACK) == (4.0, 4.0, 4.0, 9.0)


def test_l_is_that_of_full_packets_once_there_is_one() -> None:
    minima = PathMinima(10.0, 0.0)
    minima.insert_rtt(1, 0.05)
    assert minima.length() == 0.05
    minima.insert_rtt(4, 0.06)
    assert minima.length() == 0.06
    minima.advance(10.5)
    assert minima.length() is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hybrid", {}),
        ("hybrid:default", {}),
        (
            "hybrid:target_delay=10ms,drain_epochs=4,growth=2",
            {"target_delay": 0.010, "drain_epochs": 4.0, "growth": 2.0},
        ),
        ("hybrid:target_delay=auto,initial_rate=auto,growth_period=1s", {"growth_period": 1.0}),
        ("hybrid:without=none", {"without": frozenset()}),
        ("hybrid:without=dips", {"without": {Mechanism.DIPS}}),
        ("hybrid:without=link_rate+ insist", {"without": {Mechanism.LINK_RATE, Mechanism.INSIST}}),
        (f"hybrid:without={as_text(Mechanism)}", {"without": set(Mechanism)}),
        ("hybrid:default,growth_period=1.5s", {"growth_period": 1.5}),
        ("hybrid:min_decrease=0.02,target_packets=3", {"min_decrease": 0.02, "target_packets": 3.0}),
        (
            "hybrid:initial_rate=2.5Mbps,base_delay_window=5s,startup_gain=1.5,min_decrease=.2",
            {"initial_rate": 2.5e6, "base_delay_window": 5.0, "startup_gain": 1.5, "min_decrease": 0.2},
        ),
    ],
)
def test_option_strings_stand_for_parameters(text: str, expected: dict[str, object]) -> None:
    assert spec.parse(text) == replace(DEFAULT, **{k: _frozen(v) for k, v in expected.items()})


def _frozen(value: object) -> Any:
    return frozenset(value) if isinstance(value, set) else value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cubic", "is not an option string of hybrid"),
        ("hybrid:fast", "those of the profile default, not of 'fast'"),
        ("hybrid:paper", "those of the profile default, not of 'paper'"),
        ("hybrid:growth=2,paper", "paper is no option of hybrid"),
        (
            "hybrid:target_delay=12",
            "target_delay is '12', expected a number from 0.05ms to 10000ms with one of the units",
        ),
        ("hybrid:target_delay=-1ms", "target_delay is '-1ms', expected a number"),
        ("hybrid:target_delay=10us", "target_delay is '10us', expected a number from 0.05ms"),
        ("hybrid:d1=12ms", "d1 is no option of hybrid, expected one of target_delay, target_packets, initial_rate"),
        ("hybrid:insist=off", "insist is no option of hybrid"),
        ("hybrid:amin=1kbps", "amin is no option of hybrid"),
        ("hybrid:initial_rate=1", "initial_rate is '1', expected a number from 1kbps to 1e+07kbps"),
        ("hybrid:startup_gain=off", "startup_gain is 'off', expected a number from 1.1 to 4"),
        ("hybrid:drain_epochs=off", "drain_epochs is 'off', expected a number from 0.5 to 100"),
        ("hybrid:growth=5", "growth is '5', expected a number from 1 to 4"),
        ("hybrid:min_decrease=0.6", "min_decrease is '0.6', expected a number from 0 to 0.5"),
        ("hybrid:growth=2,growth=2", "growth is given twice"),
        (
            "hybrid:without=",
            "without '' is no mechanism, expected none, or one or more of clock_skew, link_rate, insist",
        ),
        ("hybrid:without=compete", "without 'compete' is no mechanism"),
        ("hybrid:without=none+dips", "without 'none' is no mechanism"),
        ("hybrid:without=dips+dips", "without 'dips' is left out twice, expected each mechanism at most once"),
    ],
)
def test_unreadable_option_strings_are_refused_with_what_is_allowed(text: str, said: str) -> None:
    with pytest.raises(spec.SpecError) as error:
        spec.parse(text)
    assert said in str(error.value)


def test_what_is_left_out_has_one_order_in_traces() -> None:
    assert as_text([Mechanism.EXCESSIVE_LOSS, Mechanism.CLOCK_SKEW]) == "clock_skew+excessive_loss"
    assert as_text([]) == "none"
    assert as_text(left_out("dips+insist+clock_skew")) == "clock_skew+insist+dips"
