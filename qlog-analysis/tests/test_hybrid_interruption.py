"""Interruptions, worked out by hand: "Interruption" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import law_epochs
from qlog_analysis.hybrid import interruption, law
from qlog_analysis.hybrid.course import Course
from qlog_analysis.hybrid.dips import Dips
from qlog_analysis.hybrid.ended_epoch import Epoch
from qlog_analysis.hybrid.loss_count import NOTHING_KNOWN
from qlog_analysis.hybrid.mechanism import Mechanism
from qlog_analysis.hybrid.parameters import DEFAULT
from qlog_analysis.hybrid.standing import Outcome, Shown, Standing, judge
from qlog_analysis.hybrid.thresholds import thresholds
from qlog_analysis.zones.rate import restarted

P = DEFAULT


def epoch(**changes: Any) -> Epoch:
    base: dict[str, Any] = {
        "delta": 0.02,
        "lost": True,
        "excessive_loss": True,
        "rate": 1e7,
        "length": 0.04,
        "delivery_rate": 2e6,
        "thresholds": thresholds(1e7, 1250, P),
        "full": 0.002,
        "arriving": 0.04,
    }
    return law_epochs.epoch(**{**base, **changes})


def after(course: Course, **changes: Any) -> law.Update:
    e = epoch(**changes)
    (done,) = law.outcomes(e, P, course)
    return done


def test_nothing_comes_back_for_longer_than_as_a_rule_and_much_is_lost() -> None:
    usual = interruption.usual(0.05, 0.002, 0.025)
    assert usual == pytest.approx(0.079)

    def interrupted(duration: float = 0.2, lost: int = 30, acked: int = 10, **changes: Any) -> bool:
        return interruption.is_interrupted(duration, usual, lost, acked, replace(P, **changes))

    assert interrupted()
    assert interrupted(0.1186)
    assert not interrupted(0.1184)
    assert interrupted(lost=4, acked=0)
    assert not interrupted(lost=3, acked=0)
    assert not interrupted(lost=4, acked=36)
    assert interrupted(lost=4, acked=35)
    assert not interrupted(lost=1000, acked=0, without=frozenset({Mechanism.EXCESSIVE_LOSS}))


def test_start_up_begins_again_with_two_packets_and_forgets_all() -> None:
    begun = judge(Shown(0.5, 0.02, 0.04, 0.001, 0, 40, NOTHING_KNOWN, 8e6, 1e7), Standing(), P)
    standing = next(begun).standing
    course = Course(8e6, since_decrease=3.0, dips=Dips((9e6,), 0.5, 0.01))
    done = after(course, interrupted=True, standing=standing)
    assert (done.zone, done.alpha, done.beta, done.outcome) == (3, None, None, Outcome.INTERRUPTED)
    assert done.rate == pytest.approx(2 * 1e4 / 0.04)
    assert (done.startup, done.starts_anew, done.standing) == (True, True, Standing())
    assert done.course == Course()
    assert after(course, interrupted=True, rate=4e5).rate == 4e5
    assert restarted(1e3, 0.04, 1250) == 62_500.0  # a packet in 4 L


def test_the_first_delays_after_it_are_those_of_the_path() -> None:
    restarted: dict[str, Any] = {
        "startup": True,
        "meets_path": True,
        "rate": 5e5,
        "lost": False,
        "excessive_loss": False,
    }
    met = after(Course(), **restarted)
    assert (met.outcome, met.startup, met.starts_anew, met.rate) == (Outcome.NEW_PATH, True, False, 5e5)
    filled = after(Course(), **restarted, fills=True)
    assert (filled.outcome, filled.startup, filled.starts_anew) == (Outcome.NEW_PATH, False, False)
    lost = after(Course(), **{**restarted, "excessive_loss": True})
    assert (lost.outcome, lost.startup, lost.starts_anew) == (Outcome.NEW_PATH, False, True)
    assert after(Course(), startup=True, lost=False, excessive_loss=False).outcome is None
