"""Packet trains: "Packet trains" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

import itertools

import pytest

from qlog_analysis.hybrid.trains import ANY, MOST_READINGS, Range, TrainRates, Trains

PACKET = 1000
RATE = 8e6
"""bit/s: a packet takes a millisecond."""
LENGTH = 0.1


def rates(acks: list[tuple[float, float]], tolerance: float = 0.0) -> list[TrainRates]:
    """Of ACKs of two packets each: when the newer one left, and when the ACK came, ms."""
    trains = Trains(tolerance)
    for left, came in acks:
        record(trains, left, came)
    return trains.take(PACKET)


def record(trains: Trains, left: float, came: float, length: float = LENGTH) -> None:
    trains.record(came / 1e3, left / 1e3, 2 * PACKET, (RATE, RATE), ((length,), PACKET))


def train(count: int, apart: float, start: float = 2.0) -> list[tuple[float, float]]:
    return [(start + 2.0 * n, start + 40.0 + apart * n) for n in range(count)]


@pytest.mark.parametrize(
    ("acks", "shown", "tried"),
    [
        (train(2, 2.0), 0.0, 0.0),
        (train(3, 4.0), 4e6, 0.0),
        (train(3, 0.0), 8e6, 0.0),
        (train(6, 4.0), 4e6, 4e6),
        (train(3, 2.0) + train(3, 4.0, start=50.0), 8e6, 0.0),
        ([(2.0, 40.0), (7.1, 45.0), (12.2, 50.0)], 0.0, 0.0),
    ],
)
def test_what_arrives_of_a_train_is_its_rate(acks: list[tuple[float, float]], shown: float, tried: float) -> None:
    (found,) = rates(acks)
    assert found.shows(shown)
    assert found.tried.low == pytest.approx(tried)


def test_a_train_tries_what_nearly_all_of_it_arrives_at() -> None:
    (found,) = rates(train(6, 2.0))
    assert found.tries(8.3e6) == {True}
    assert found.tries(8.5e6) == {False}


def test_truncated_times_leave_open_what_they_leave_open() -> None:
    """The second packet leaves exactly as late as one of a train may."""
    acks = [(2.0, 40.0), (7.0, 45.0), (9.0, 47.0), (11.0, 49.0)]
    found = rates(acks, tolerance=2.5e-6)
    assert len(found) == 2
    assert any(one.shows(48e6 / 9.0) for one in found)
    assert any(one.shows(32e6 / 4.0) for one in found)


def test_what_a_train_showed_before_counts_no_more() -> None:
    trains = Trains()
    for left, came in train(3, 2.0):
        record(trains, left, came)
    assert trains.take(PACKET)[0].shows(8e6)
    record(trains, 90.0, 140.0)
    assert trains.take(PACKET) == [TrainRates()]


def test_too_many_readings_are_not_judged_until_a_train_surely_begins() -> None:
    """Every train lasts exactly as long as one may, so that each ACK may begin one."""
    trains, times = Trains(), itertools.count(2.0, 2.0)
    for left in itertools.islice(times, 50 * MOST_READINGS):
        record(trains, left, left + 40.0)
    assert trains.take(PACKET) == [TrainRates(ANY, ANY)]
    for left, came in train(3, 4.0, start=1e6):
        record(trains, left, came)
    assert trains.take(PACKET) == [TrainRates(ANY, ANY)]
    for left, came in train(3, 4.0, start=2e6):
        record(trains, left, came)
    (found,) = trains.take(PACKET)
    assert found.shows(4e6)
    assert found.tried == Range()
