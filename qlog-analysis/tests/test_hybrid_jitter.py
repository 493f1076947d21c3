"""What jitter, ACK gaps and losses without a queue are, the delay under jitter, and the queue that ends start-up."""

from __future__ import annotations

import random

import pytest

from qlog_analysis.hybrid import floor, jitter, law
from qlog_analysis.hybrid.floor import Taken
from qlog_analysis.hybrid.jitter import Jitter
from qlog_analysis.hybrid.jitters import Jitters
from qlog_analysis.hybrid.spans import EpochSpans
from qlog_analysis.hybrid.startup import QueueMet
from qlog_analysis.measure.sliding import Source
from qlog_analysis.measure.sources import Sample


def test_the_gap_is_a_mean_over_time_and_has_bounds() -> None:
    # Two packets of 1250 bytes take 2 ms at 10 Mbit/s.
    assert jitter.next_ack_gap(0.008, 0.010, 0.04, 1e7, 1250) == pytest.approx(0.008)
    assert jitter.next_ack_gap(0.009, 0.001, 0.04, 1e7, 1250) == pytest.approx(0.008), "40 ms of 360"
    assert jitter.next_ack_gap(0.008, 0.001, 0.32, 1e7, 1250) == pytest.approx(0.004)
    assert jitter.next_ack_gap(0.0, 9.0, 0.32, 1e7, 1250) == pytest.approx(0.06)


def test_at_most_half_of_what_arrives_may_be_held_back() -> None:
    assert [jitter.uncertain(0.01, t) for t in (0.1, 0.01, 0.0)] == pytest.approx([0.1, 0.5, 0.5])


def level(*minima_ms: float) -> float:
    """J in ms after these minima of spans."""
    return Jitter().add(ms / 1e3 for ms in minima_ms).level * 1e3


def test_a_steady_queue_is_no_jitter_whatever_its_slope() -> None:
    assert level(*(0.5 * i for i in range(100))) == pytest.approx(0.0, abs=1e-9)
    assert level(*(0.5 * i for i in reversed(range(100)))) == pytest.approx(0.0, abs=1e-9)
    assert level(*(0.01 * 2**i for i in range(12))) == 0.0  # bends to one side alone


def test_jitter_worked_out_by_hand() -> None:
    assert level(0, 4) == 0.0
    assert level(0, 4, 0) == 0.0  # one bend, of 4 ms upwards
    # Bends of 4 and -4 ms: U = D = 2, v = 2 * 2/4 * 2 = 2, low rises by a hundredth of that.
    assert level(0, 4, 0, 4) == pytest.approx(2.5 * 2.0 + 0.02)
    # Bends beyond 50 ms count as that: U = D = 25.
    assert level(0, 900, 0, 900) == pytest.approx(25.0 * 2.5 + 0.25)


def test_what_lies_between_the_minimum_and_the_delays_counts_up_to_three_times_the_jitter() -> None:
    assert level(*([50.0, 51.0] * 2_000)) == pytest.approx(2.5 + 3.0, rel=0.05)


def test_what_does_not_follow_has_no_bend() -> None:
    seen = Jitter()
    for _ in range(50):
        seen = seen.add((0.0, 0.004)).interrupt()
    assert seen.level == 0.0
    noisy = Jitter().add([0.0, 0.004] * 10)
    assert noisy.interrupt().level == noisy.level > 0.0
    assert noisy.interrupt().add([0.0, 9.0]).level == noisy.level


def test_jitter_is_no_queueing() -> None:
    assert law.queueing(0.02, 0.005) == pytest.approx(0.015)
    assert law.queueing(0.02, 0.021) == 0.0


def tally(*samples: tuple[float, float], first_counts: bool = True) -> EpochSpans:
    """Samples of spans of 10 ms of an epoch of 40 ms, of times and delays in ms."""
    seen = EpochSpans(1)
    for i, (at, above) in enumerate(samples):
        sample = Sample(0, above / 1e3, 4, Source.ACK, (above / 1e3,))
        seen.add(sample, at / 1e3, (0.04,), counts=i > 0 or first_counts)
    return seen


def test_a_sample_at_a_border_leaves_two_values_of_the_jitter_until_a_report_decides() -> None:
    jitters = Jitters()
    clear = tally((1, 0), (11, 4), (21, 0), (31, 4))
    (before,) = jitters.end_epoch(clear, Source.ACK, 0.002)
    assert before * 1e3 == pytest.approx(5.02)
    open_border = tally((1, 0), (9, 3), (10, 1), (11, 4), (21, 0), (31, 4))
    levels = jitters.end_epoch(open_border, Source.ACK, None)
    assert len(levels) == 2
    jitters.tell(Source.ACK, max(levels))
    assert jitters.levels(Source.ACK) == [max(levels)]


def test_the_delay_of_the_report_decides_which_spans_there_were() -> None:
    spans = tally((1, 0), (9, 3), (10, 1), (11, 4), (21, 0), (31, 4))
    assert len(Jitters().end_epoch(spans, Source.ACK, 0.00125)) == 1
    assert len(Jitters().end_epoch(spans, Source.ACK, 0.5)) == 2


def test_losses_count_beyond_twice_what_is_always_lost() -> None:
    assert [jitter.counting(lost, 100 - lost, 0.05) for lost in (0, 10, 11)] == [{False}, {False}, {True}]
    assert jitter.counting(0, 0, 0.0) == {False}
    assert jitter.counting(10, 90, 0.05, 1e-6) == {False, True}


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
    assert met.lasts(1.03, (0.1,), 0.006) == {False}
    assert met.lasts(1.036, (0.1,), 0.006) == {True}
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


def test_packets_that_keep_time_with_the_spans_are_all_cut_the_same_way() -> None:
    # One at each border of the spans, so that rounding leaves thousands of ways to cut the epoch.
    delays = [0.001 * n * n for n in range(40)]
    taken = [Taken(0.01 * n, 0.4, delay) for n, delay in enumerate(delays)]
    late, early = tuple(delays), (delays[0], *delays[2:])
    assert floor.steady(taken, 1e-6) == {late, early}
    assert {late, early} <= floor.minima(taken, 1e-6)


def test_samples_that_do_not_count_show_jitter_and_delta_tells_nothing_of_them() -> None:
    samples = ((1, 0), (9, 3), (10, 1), (11, 4), (21, 0), (31, 4))
    spans = tally(*samples, first_counts=False)
    assert len(Jitters().end_epoch(spans, Source.ACK, 0.00125)) == 2
    assert spans.counting[Source.ACK].least() != spans.all[Source.ACK].least()
