"""C, the rate that the path has been found to carry, and what losses of a higher one do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from law_epochs import epoch
from qlog_analysis.hybrid import law
from qlog_analysis.hybrid.beyond import LossesBeyond
from qlog_analysis.hybrid.carried import carried_after
from qlog_analysis.hybrid.contended import Contended
from qlog_analysis.hybrid.course import Course
from qlog_analysis.hybrid.late import LatePackets
from qlog_analysis.hybrid.loss_count import LossCount
from qlog_analysis.hybrid.mechanism import Mechanism
from qlog_analysis.hybrid.parameters import DEFAULT
from qlog_analysis.hybrid.standing import Outcome, Standing
from qlog_analysis.hybrid.state import State
from qlog_analysis.hybrid.thresholds import thresholds

RARELY = LossCount(16, 16_368)
"""One in a thousand is usual."""


@pytest.mark.parametrize(
    ("state", "outcome", "return_rate", "expected"),
    [
        (State.STARTUP, None, None, 2e6),
        (State.STARTUP, None, 1.5e6, 1.5e6),
        (State.GROWING, None, None, 1e6),
        (State.DRAINING, None, None, 1e6),
        (State.GROWING, None, 1.5e6, 1.5e6),
        (State.DRAINING, None, 0.5e6, 0.5e6),
        (State.GROWING, Outcome.CONTENDED, None, 2e6),
        (State.DRAINING, Outcome.LONGER_PATH, None, 2e6),
        (State.DRAINING, Outcome.EARLY_END, None, 2e6),
        (State.GROWING, Outcome.INTERRUPTED, None, 2e6),
        (State.HOLDING, None, None, 2e6),
        (State.PROBING, None, None, 2e6),
    ],
)
def test_what_is_found_to_be_carried(
    state: str, outcome: str | None, return_rate: float | None, expected: float
) -> None:
    assert carried_after(1e6, state, outcome, 2e6, return_rate) == expected


HOLDS = Standing(others=Contended.start(0.0, 1e6, 0.05, 0.1))


@pytest.mark.parametrize(
    ("lost", "app_limited", "standing", "grows"),
    [
        (False, False, Standing(), True),
        (True, False, Standing(), False),
        (False, True, Standing(), False),
        (True, False, HOLDS, True),
    ],
)
def test_nothing_grows_while_more_is_lost_than_usual(
    lost: bool, app_limited: bool, standing: Standing, grows: bool
) -> None:
    e = epoch(
        delta=0.0,
        lost=lost,
        rate=1e6,
        length=0.1,
        delivery_rate=1e6,
        thresholds=thresholds(1e6, 1250, DEFAULT),
        full=0.012,
        app_limited=app_limited,
        standing=standing,
    )
    done = law.update(e, DEFAULT, Course(since_decrease=0.2))
    assert done.alpha is not None, "none is an increase of 0"
    assert (done.alpha > 0.0) == (done.rate > 1e6) == grows
    assert done.course.since_decrease == pytest.approx(0.3 if grows else 0.2)
    assert e.tried is not app_limited


def beyond(lost: int, acked: int, reports: int) -> LossesBeyond:
    found = LossesBeyond()
    found.add(LossCount(lost, acked), reports)
    return found


def are_excessive(lost: int, acked: int, reports: int, usual: LossCount = RARELY) -> bool:
    return beyond(lost, acked, reports).are_excessive(DEFAULT.most_loss_beyond, usual)


def test_losses_beyond_are_excessive_from_a_fiftieth_of_the_packets_on() -> None:
    assert are_excessive(9, 391, 9)
    assert not are_excessive(8, 392, 8), "exactly a fiftieth"
    assert not are_excessive(9, 391, 7), "seven bursts"
    assert not are_excessive(3, 10, 8), "three losses"
    never = replace(DEFAULT, without=frozenset({Mechanism.EXCESSIVE_LOSS}))
    assert not beyond(500, 0, 500).are_excessive(never.most_loss_beyond, RARELY)


def test_chance_explains_fewer_losses_that_come_one_by_one() -> None:
    # 30 of 1,000 beside 30 of 1,000: the mean is 30, and the deviation of half of 60 is the root of 15.
    usual = LossCount(30, 970)
    assert not are_excessive(30, 970, 30, usual)
    # Of 80 half are 40, two deviations 8.9.
    assert are_excessive(50, 950, 50, usual)
    # Four at a time: twice the deviation, 17.9.
    assert not are_excessive(50, 950, 12, usual)


def test_more_than_1024_packets_are_scaled_down_to_512() -> None:
    found = beyond(24, 1000, 20)
    assert found == LossesBeyond(LossCount(24, 1000), 20)
    found.add(LossCount(1, 0), 1)
    assert found == LossesBeyond(LossCount(25 * 512 // 1025, 512 - 25 * 512 // 1025), 21 * 512 // 1025)


def test_what_is_forgotten_is_forgotten_of_both() -> None:
    late = LatePackets()
    late.beyond.add(LossCount(30, 70), 30)
    assert late.beyond.are_excessive(DEFAULT.most_loss_beyond, RARELY)
    late.forget()
    assert late.beyond == LossesBeyond()


def test_where_rounding_decides_what_chance_explains_both_may_be() -> None:
    # 12 of 100 beside 4 of 100: the mean is 8, and the deviation the root of 4.
    readings = {beyond(12, 88, 12).are_excessive(0.02, LossCount(4, 96), slack) for slack in (-1.0, 1.0)}
    assert readings == {True, False}
