"""Start-up that ended too early, worked out by hand: "Start-up" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

from typing import Any

import pytest

import law_epochs
from qlog_analysis.hybrid import early_end, law
from qlog_analysis.hybrid.course import Course
from qlog_analysis.hybrid.ended_epoch import Epoch
from qlog_analysis.hybrid.loss_count import NOTHING_KNOWN
from qlog_analysis.hybrid.parameters import DEFAULT
from qlog_analysis.hybrid.standing import Attempt, Outcome, Shown, Standing
from qlog_analysis.hybrid.thresholds import thresholds

SENT = 1.6e6
"""R at the end of start-up: with the default gain of 2.2 as much as 1 Mbit/s that arrive are nearly all."""
DRAINS = Course(9e5, startup_rate=SENT)


def epoch(**changes: Any) -> Epoch:
    base: dict[str, Any] = {
        "delta": 0.005,
        "rate": 8e5,
        "length": 0.04,
        "delivery_rate": 1e6,
        "full": 0.002,
        "now": 1.1,
    }
    return law_epochs.epoch(**{**base, "thresholds": thresholds(8e5, 1250, DEFAULT), **changes})


def outcome(course: Course = DRAINS, **changes: Any) -> law.Update:
    (done,) = law.outcomes(epoch(**changes), DEFAULT, course)
    return done


def test_start_up_goes_on_from_what_arrives() -> None:
    done = outcome()
    assert (done.outcome, done.startup, done.starts_anew) == (Outcome.EARLY_END, True, True)
    assert (done.zone, done.alpha, done.beta, done.rate) == (1, None, None, 1e6)
    left = done.course
    assert (left.return_rate, left.startup_rate, left.since_decrease, left.resumed_at) == (None, None, 0.0, 1e6)


@pytest.mark.parametrize(
    ("course", "changes", "early"),
    [
        (DRAINS, {"delivery_rate": 0.999e6}, False),
        (DRAINS, {"delivery_rate": 2e6}, True),  # no more than was sent counts
        (Course(1.01e6, startup_rate=SENT), {"delivery_rate": 0.0}, True),  # it has arrived before
        (Course(1e6), {}, False),  # a decrease since then
        (Course(), {}, False),
        (DRAINS._replace(resumed_at=8e5), {}, True),
        (DRAINS._replace(resumed_at=8.01e5), {}, False),
        (DRAINS, {"transmission": 5.001e-3}, False),  # half of the slowest link
        (DRAINS, {"transmission": 4.999e-3}, True),
        (DRAINS, {"app_limited": True, "delta": 0.0}, True),
        (DRAINS, {"delta": 0.0063}, True),  # the queue is not gone: d1 is the time of a packet, 12.5 ms
        (DRAINS, {"delta": 0.0126}, True),  # more than d1: a decrease would follow
        (DRAINS, {"delta": 0.0126, "transmission": 1e-3}, True),
        (DRAINS, {"delta": 0.0126, "lost": True, "excessive_loss": True}, False),
        (DRAINS, {"delta": 0.0126, "lost": True}, False),  # to a full queue
        (DRAINS, {"delta": 0.0126, "delivery_rate": 0.999e6}, False),
        (DRAINS, {"lost": True, "excessive_loss": True}, False),
    ],
)
def test_it_does_so_where_nearly_all_arrives_and_more_than_before(
    course: Course, changes: dict[str, Any], early: bool
) -> None:
    done = outcome(course, **changes)
    assert (done.outcome is Outcome.EARLY_END) == early
    assert done.course.resumed_at == (done.rate if early else course.resumed_at)


def test_that_it_resumed_at_is_known_until_the_path_is_interrupted() -> None:
    steady = Course(resumed_at=1e6, since_decrease=1.0)
    for changes in ({}, {"delta": 0.0}, {"startup": True}, {"startup": True, "queues": True}):
        assert outcome(steady, **changes).course.resumed_at == 1e6
    assert outcome(steady._replace(return_rate=9e5), delta=0.0).course.resumed_at == 1e6
    assert steady.steady() == Course(resumed_at=1e6)
    gone = outcome(DRAINS._replace(resumed_at=1e6), interrupted=True)
    assert (gone.outcome, gone.course.resumed_at) == (Outcome.INTERRUPTED, 0.0)


def test_an_attempt_to_drain_the_queue_is_forgotten() -> None:
    shown = Shown(1.0, 0.05, 0.04, 0.006, 0, 40, NOTHING_KNOWN, 8e5, 9e5)
    begun = Standing(Attempt.start(shown, 9e5))
    assert outcome(standing=begun).standing == Standing()


def test_rates_that_rounding_leaves_open_give_both_readings() -> None:
    for course in (Course(1e6, SENT), DRAINS._replace(return_rate=1.2e6, resumed_at=9.6e5)):
        assert set(readings(course, 0.0)) == {True, False}
    assert readings(Course(1.2e6, SENT), 1e4 / 2.4e6) == [False, True]
    assert readings(Course(1.2e6, SENT), 0.0) == [True]
    assert readings(Course(1.2e6, SENT), 0.0, losing=True) == [False]


def readings(course: Course, transmission: float, *, losing: bool = False) -> list[bool]:
    return list(early_end.readings(course, 1250, transmission, DEFAULT, losing=losing, slack=2e-6))
