"""The replay of ACKs on sent packets."""

from __future__ import annotations

import random
import time

import numpy as np

from qlog_analysis import wire
from qlog_analysis.model import SentPackets
from qlog_analysis.recovery import AckRanges, LossCounters, SpaceReplay


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


def test_an_ack_of_packets_that_were_not_sent_yet_counts_once_they_are() -> None:
    space = replay(3)
    assert space.acked([(0, 8)]).packets == [0, 1, 2]
    for i in (3, 4, 5):
        space.packets.ack_eliciting.append(True)
        space.packets.probe.append(False)
        space.sent(2 * i, i)
    assert space.acked([(0, 8)]).packets == [3, 4]


def test_acks_replayed_together_do_what_they_do_one_by_one() -> None:
    for seed in range(60):
        rng = random.Random(seed)
        packets = SentPackets()
        single, together = SpaceReplay(packets), SpaceReplay(packets)
        for _ in range(8):
            _send_to_both(rng, single, together)
            most = single.last_number
            acks = [_ranges(rng, most) for _ in range(rng.randrange(1, 6))]
            rows = [(i, low, high) for i, ranges in enumerate(acks) for low, high in ranges]
            found = together.acked_together(AckRanges(*(np.array(c, dtype=np.int64) for c in zip(*rows, strict=True))))
            expected = [(i, single.acked(ranges)) for i, ranges in enumerate(acks)]
            assert found.spurious == [p for _, e in expected for p in e.spurious], f"seed {seed}"
            some = [(i, e.packets, e.sample) for i, e in expected if e.packets]
            parts = np.split(found.packets, found.begin[1:]) if some else []
            got = zip(found.ack.tolist(), [p.tolist() for p in parts], found.sample.tolist(), strict=True)
            assert list(got) == some, f"seed {seed}"
            assert single.largest_acked == together.largest_acked, f"seed {seed}"
            count = rng.randrange(0, 4)
            assert single.lose_oldest(count) == together.lose_oldest(count), f"seed {seed}"


def _send_to_both(rng: random.Random, single: SpaceReplay, together: SpaceReplay) -> None:
    """The same packets."""
    known = len(single.packets.ack_eliciting)
    numbers, positions = [], list(range(known, known + rng.randrange(1, 12)))
    for position in positions:
        numbers.append(single.last_number + rng.randrange(1, 3))
        single.sent(numbers[-1], position)
        single.packets.ack_eliciting.append(rng.random() < 0.7)
        single.packets.probe.append(rng.random() < 0.1)
    together.sent_together(np.array(numbers, dtype=np.int64), np.array(positions, dtype=np.int64))


def _ranges(rng: random.Random, most: int) -> list[tuple[int, int]]:
    """Of an ACK, anywhere up to a packet number."""
    lows = [rng.randrange(0, most + 1) for _ in range(rng.randrange(1, 4))]
    return [(low, min(low + rng.randrange(0, 8), most)) for low in lows]


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
