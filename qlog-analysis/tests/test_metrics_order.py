"""Reordering and the frequency of ACKs, against definitions written out."""

from __future__ import annotations

import random
from pathlib import Path as FilePath

import pytest

from qlog_analysis.metrics import Reordering, measure
from small import SIZE, Small


def reordered_by_rfc_4737(numbers: list[int]) -> list[int]:
    """The extents of reordered packets, in order of arrival (sections 3.4 and 4.2.1)."""
    extents, next_expected = [], 0
    for i, number in enumerate(numbers):
        if number >= next_expected:
            next_expected = number + 1
        else:
            extents.append(i - min(j for j in range(i) if numbers[j] > number))
    return extents


def received(folder: FilePath, numbers: list[int]) -> Reordering:
    s = Small()
    for i, number in enumerate(numbers):
        s.receive(10.0 + i, number)
    found = measure(s.trace(folder)).reordering_received
    assert found is not None
    return found


def test_reordering_of_received_packets_is_that_of_rfc_4737(tmp_path: FilePath) -> None:
    found = received(tmp_path, [1, 2, 5, 3, 4, 6])
    # 3 is late by one place and 1 ms, 4 by two, both after 5.
    assert (found.packets, found.reordered_packets) == (6, 2)
    assert found.reordered_percent == pytest.approx(100 / 3)
    assert (found.extent_packets.min, found.extent_packets.max) == (1, 2)
    assert [found.late_ms.min, found.late_ms.max] == pytest.approx([1.0, 2.0])


def test_random_orders_agree_with_the_definition(tmp_path: FilePath) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        numbers = sorted(rng.sample(range(400), 120), key=lambda n: n + rng.choice([0, 0, 0, 9, 30]) * rng.random())
        found, extents = received(tmp_path, numbers), reordered_by_rfc_4737(numbers)
        assert found.reordered_packets == len(extents), f"seed {seed}"
        if extents:
            told = [found.extent_packets.max, found.extent_packets.mean]
            assert told == pytest.approx([max(extents), sum(extents) / len(extents)]), f"seed {seed}"


def test_duplicates_losses_and_other_spaces_are_no_reordering(tmp_path: FilePath) -> None:
    s = Small()
    s.receive(1.0, 9, space="initial")
    for time, number in ((2.0, 0), (3.0, 1), (4.0, 7), (5.0, 7), (6.0, 1), (7.0, 8)):
        s.receive(time, number)
    found = measure(s.trace(tmp_path)).reordering_received
    assert found is not None
    assert (found.packets, found.reordered_packets, found.reordered_percent) == (4, 0, 0.0)


def test_a_sender_sees_reordering_in_the_order_of_acks(tmp_path: FilePath) -> None:
    s = Small()
    s.send(*(float(t) for t in range(8)))
    s.ack(20.0, [0], [2])
    s.ack(21.0, [0, 5])  # 1 after 2; 3, 4 and 5 in order
    s.ack(22.0, [0, 7])
    found = measure(s.trace(tmp_path)).reordering_by_acks
    assert found is not None
    assert (found.packets, found.reordered_packets) == (8, 1)
    # In the order of acknowledgement 0 2 | 1 3 4 5 | 6 7 packet 1 is one place behind 2.
    assert found.extent_packets.max == 1
    assert found.late_ms.max == pytest.approx(1.0)


def test_a_packet_that_was_declared_lost_and_came_is_reordered(tmp_path: FilePath) -> None:
    s = Small()
    s.send(*(float(t) for t in range(6)))
    s.metrics(6.0, lost=0)
    s.ack(20.0, [1, 4])
    s.metrics(20.0, lost=1)
    s.ack(25.0, [0, 4])
    s.ack(26.0, [0, 5])
    m = measure(s.trace(tmp_path))
    assert (m.packets_lost, m.spurious_losses) == (1, 1)
    assert m.reordering_by_acks is not None
    assert (m.reordering_by_acks.packets, m.reordering_by_acks.reordered_packets) == (6, 1)
    assert m.reordering_by_acks.extent_packets.max == 4
    assert m.reordering_by_acks.late_ms.max == pytest.approx(5.0)


def test_ack_frequency_counts_packets_bytes_and_gaps(tmp_path: FilePath) -> None:
    s = Small()
    s.send(0.0, 1.0, 2.0, 3.0, 4.0)
    s.ack(20.0, [0, 1])
    s.ack(24.0, [0, 1])  # says nothing new
    s.ack(30.0, [0, 4])
    a = measure(s.trace(tmp_path)).acks_received
    assert a is not None
    assert (a.acks, a.packets_per_ack.min, a.packets_per_ack.max) == (2, 2, 3)
    assert a.bytes_per_ack is not None
    assert a.bytes_per_ack.mean == pytest.approx(2.5 * SIZE)
    assert [a.gap_ms.samples, a.gap_ms.p50] == pytest.approx([1, 10.0])


def test_acks_that_are_sent_are_counted_by_what_came_since(tmp_path: FilePath) -> None:
    s = Small()
    for number in range(5):
        s.receive(1.0 + number, number)
        if number in (1, 4):
            s.send_ack(1.0 + number)
    s.send_ack(9.0)  # nothing came since
    a = measure(s.trace(tmp_path)).acks_sent
    assert a is not None
    assert (a.acks, a.packets_per_ack.min, a.packets_per_ack.max) == (2, 2, 3)
    assert a.bytes_per_ack is not None
    assert a.bytes_per_ack.max == 3 * SIZE
    assert a.gap_ms.max == pytest.approx(3.0)


@pytest.mark.parametrize(("held_back", "expected"), [(0.0, 0.0), (8.0, 100.0)])
def test_acks_that_a_medium_holds_back_are_batches(tmp_path: FilePath, held_back: float, expected: float) -> None:
    s = Small()
    arrivals = [t + 20.0 for t in range(40)]
    if held_back:
        arrivals = [held_back * (1 + t // held_back) + 0.02 * (t % held_back) for t in arrivals]
    events = [(float(t), 0, 0) for t in range(40)] + [(t, 1, n) for n, t in enumerate(arrivals)]
    for time, is_ack, number in sorted(events):
        if is_ack:
            s.ack(time + 0.25, [number])
        else:
            s.send(time + 0.25)
    assert measure(s.trace(tmp_path)).acks_batched_percent == pytest.approx(expected)


def test_at_high_rates_acks_of_a_steady_flow_are_no_batches(tmp_path: FilePath) -> None:
    s = Small()
    for i in range(600):  # a packet every 20 us
        if i >= 100:
            s.ack(5.0 + i * 0.02, [i - 100])
        s.send(5.0 + i * 0.02)
    assert measure(s.trace(tmp_path)).acks_batched_percent == 0.0
