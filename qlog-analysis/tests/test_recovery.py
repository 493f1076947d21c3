"""The replay of ACKs on sent packets."""

from __future__ import annotations

import random
import time

from qlog_analysis import wire
from qlog_analysis.model import SentPackets
from qlog_analysis.recovery import LossCounters, SpaceReplay


def replay(count: int, *, eliciting: bool = True, probes: tuple[int, ...] = ()) -> SpaceReplay:
    packets = SentPackets()
    space = SpaceReplay(packets)
    for i in range(count):
        packets.ack_eliciting.append(eliciting)
        packets.probe.append(i in probes)
        space.sent(2 * i, i)  # numbers with gaps; positions without
    return space


def test_only_newly_acknowledged_packets_are_reported_in_order() -> None:
    space = replay(10)
    assert space.acked([(8, 10), (0, 3)]).packets == [0, 1, 4, 5]
    assert space.acked([(0, 12)]).packets == [2, 3, 6]
    assert space.acked([(0, 12)]).packets == []


def test_a_round_trip_is_measured_only_by_a_new_largest_with_something_ack_eliciting() -> None:
    space = replay(10)
    assert space.acked([(6, 8)]).sample == 4
    assert space.acked([(0, 2)]).sample == -1  # late, smaller numbers
    assert space.acked([(4, 18)]).sample == 9
    assert replay(3, eliciting=False).acked([(0, 4)]).sample == -1


def test_losses_are_the_oldest_below_the_largest_acknowledged() -> None:
    space = replay(10)
    space.acked([(2, 2), (10, 10)])
    assert space.lose_oldest(2) == [0, 2]
    assert space.lose_oldest(9) == [3, 4]
    assert space.lose_oldest(1) == []


def test_a_lost_packet_that_is_acknowledged_after_all_is_spurious_and_gives_no_sample() -> None:
    space = replay(6)
    space.acked([(8, 8)])
    space.lose_oldest(2)
    late = space.acked([(0, 10)])
    assert (len(late.spurious), late.packets, late.sample) == (2, [2, 3, 5], 5)


def test_path_mtu_probes_are_lost_silently() -> None:
    space = replay(6, probes=(0, 2))
    space.acked([(10, 10)])
    assert space.lose_oldest(2) == [1, 3]


def test_without_a_counter_three_packets_above_mean_loss() -> None:
    space = replay(6)
    space.acked([(8, 8)])
    assert space.lose_by_packet_threshold() == [0, 1, 2]


def test_random_acknowledgements_agree_with_a_plain_model() -> None:
    seed = 5
    rng = random.Random(seed)
    for _ in range(50):
        space, outstanding = replay(60), set(range(60))
        for _ in range(30):
            low = rng.randrange(0, 120)
            high = low + rng.randrange(0, 20)
            expected = sorted(i for i in outstanding if low <= 2 * i <= high)
            assert space.acked([(low, high)]).packets == expected, f"seed {seed}"
            outstanding -= set(expected)
            if rng.random() < 0.3:
                below = sorted(i for i in outstanding if 2 * i <= space.largest_acked)[:2]
                assert space.lose_oldest(2) == below, f"seed {seed}"
                outstanding -= set(below)


def test_hostile_patterns_stay_linear() -> None:
    count = 100_000
    space = replay(count)
    began = time.monotonic()
    for i in range(count - 1, 0, -1):  # every ACK covers everything from here on
        space.acked([(2 * i, 1 << 61)])
    assert time.monotonic() - began < 10.0


def test_every_path_has_a_loss_counter_of_its_own() -> None:
    counters = LossCounters()
    told = [(0, 0), (3, 3), (0, 0), (4, 1), (2, 2), (5, 3), (5, 1)]
    # first path: 3; second path: 0; first: 4; second: 2, then 5; first: 5
    assert [counters.advance(wire.Counter(total, delta)) for total, delta in told] == [0, 3, 0, 1, 2, 3, 1]
    assert counters.advance(wire.Counter(7, None)) == 2
    assert counters.advance(wire.Counter(3, None)) == -4
