"""Delivery rate and one-way delays, against what follows by hand from the draft and from clocks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath

import numpy as np
import pytest

from made import made
from qlog_analysis import read
from qlog_analysis.load import load
from qlog_analysis.metrics import measure, observe, rate_samples
from qlog_analysis.model import Trace
from simulation import Path
from small import SIZE, Small
from traces import FAST, records, trace_of
from whole import sends_of

BITS = 8.0 * SIZE


def test_the_delivery_rate_is_that_of_the_longer_of_sending_and_acknowledging(tmp_path: FilePath) -> None:
    s = Small()
    s.send(0.0, 1.0, 2.0, 3.0)
    s.ack(10.0, [0, 1])  # newest left after 1 ms, 10 ms after the flight began: two packets in 10 ms
    s.ack(12.0, [2])  # three in 12 ms
    s.send(13.0)  # remembers three delivered at 12 ms; its flight began with the send of packet 2
    s.ack(14.0, [3])  # four in 14 ms
    s.ack(24.0, [4])  # delivered since 12 ms: two packets in 12 ms; sent 2 to 13 ms
    m = measure(s.trace(tmp_path))
    expected = [2 / 10, 3 / 12, 4 / 14, 2 / 12]
    assert m.delivery_rate_bps.samples == 4
    assert m.delivery_rate_bps.max == pytest.approx(BITS * 1e3 * max(expected))
    assert m.delivery_rate_bps.mean == pytest.approx(BITS * 1e3 * np.mean(expected))


def test_acks_that_come_together_do_not_raise_the_delivery_rate(tmp_path: FilePath) -> None:
    s = Small()
    s.send(*(float(t) for t in range(40)))
    for number in range(40):
        s.ack(60.0 + 0.001 * number, [number])
    m = measure(s.trace(tmp_path))
    # All are acknowledged at once, but were sent over 39 ms and more than a round trip of 21 ms.
    assert m.delivery_rate_bps.max is not None
    assert m.delivery_rate_bps.max <= BITS * 1e3 * 40 / 60 * 1.001


def test_a_flight_that_begins_with_nothing_in_flight_does_not_count_the_pause_before(tmp_path: FilePath) -> None:
    s = Small()
    s.send(0.0)
    s.ack(10.0, [0])
    s.send(100.0, 101.0)
    s.ack(112.0, [1, 2])
    trace = s.trace(tmp_path)
    rates = rate_samples(observe(trace)).rate
    assert rates.tolist() == pytest.approx([BITS * 1e3 / 10, BITS * 1e3 * 2 / 12])


def test_what_came_after_it_was_declared_lost_was_delivered_when_it_came(tmp_path: FilePath) -> None:
    s = Small()
    s.send(*(float(t) for t in range(6)))
    s.metrics(5.0, lost=0)
    s.ack(20.0, [1, 4])
    s.metrics(20.0, lost=1)
    s.ack(25.0, [0, 4])  # nothing but the packet that was lost
    s.send(26.0)
    s.ack(30.0, [0, 5])
    s.ack(46.0, [0, 6])
    trace = s.trace(tmp_path)
    rates = rate_samples(observe(trace)).rate
    # Six were delivered in 30 ms. When the last one left, five were, and packet 4 of 4 ms had begun its flight: it and
    # another one came in 21 ms, but were sent over 22 ms.
    assert rates.tolist() == pytest.approx([BITS * 1e3 * 4 / 20, BITS * 1e3 * 6 / 30, BITS * 1e3 * 2 / 22])


def test_samples_after_a_pause_of_the_application_are_marked(tmp_path: FilePath) -> None:
    s = Small()
    s.metrics(0.0, congestion_window=20 * SIZE)
    s.send(1.0, 1.1)
    s.ack(21.0, [0, 1])
    s.send(100.0, 100.1)  # the application let 79 ms pass
    s.ack(120.0, [2])
    s.send(120.1)  # all that was in flight at 100 ms is delivered after the next ACK
    s.ack(120.2, [3])
    s.ack(140.1, [4])
    trace = s.trace(tmp_path)
    m = measure(trace)
    assert m.application_limited is not None
    samples = rate_samples(observe(trace), np.array([2]))
    assert samples.application_limited.tolist() == [False, True, True, False]
    assert m.delivery_rate_application_limited_bps.samples >= 2


@dataclass
class Kept:
    delivered: float
    delivered_time: float
    first_sent_time: float


def by_the_draft(trace: Trace) -> list[tuple[float, float]]:
    """Time and rate of each sample, packet by packet as the draft says it."""
    sent = sends_of(observe(trace))
    place = {p: i for i, p in enumerate(sent.packet.tolist())}
    sends = [(r, 1, i) for i, r in enumerate(sent.record.tolist())]
    feedback = [(f.record, 0, k) for k, f in enumerate(trace.feedback)]
    delivered, delivered_time, first_sent, outstanding = 0.0, 0.0, 0.0, set[int]()
    kept: dict[int, Kept] = {}
    smallest = float("inf")
    out = []
    for _, is_send, index in sorted(sends + feedback):
        if is_send:
            now = float(sent.time[index])
            if not outstanding:
                first_sent = delivered_time = now
            kept[index] = Kept(delivered, delivered_time, first_sent)
            outstanding.add(index)
            continue
        f = trace.feedback[index]
        if f.sample in place:
            smallest = min(smallest, f.time - trace.sent.time[f.sample])
        acked = [place[p] for p in (trace.acked[i] for i in f.acked) if p in place]
        if acked:
            delivered += sum(sent.size[i] for i in acked)
            delivered_time = f.time
            newest = max(acked)
            k, left = kept[newest], float(sent.time[newest])
            first_sent = left
            taken = max(left - k.first_sent_time, f.time - k.delivered_time)
            assert taken + 1e-9 >= smallest  # or the draft would discard it
            out.append((f.time, 8.0 * (delivered - k.delivered) / taken))
        outstanding -= set(acked) | {place[p] for p in f.lost if p in place}
    return out


@pytest.mark.parametrize("path", [FAST, Path(loss=0.02)], ids=["fast", "lossy"])
def test_columns_give_the_samples_that_the_draft_gives_packet_by_packet(tmp_path: FilePath, path: Path) -> None:
    trace = trace_of(tmp_path, records(path, 3.0))
    assert not trace.came_late
    samples = rate_samples(observe(trace))
    expected = by_the_draft(trace)
    assert len(expected) > 500
    np.testing.assert_allclose(np.column_stack((samples.time, samples.rate)), expected, rtol=1e-6)


def test_the_delivery_rate_of_a_full_link_is_its_rate(tmp_path: FilePath) -> None:
    m = measure(trace_of(tmp_path, made(duration=4.0, rate=8e6, window=lambda _: 100 * 1250)))
    assert m.delivery_rate_bps.p50 == pytest.approx(8e6, rel=0.01)
    assert m.delivery_rate_bps.max == pytest.approx(8e6, rel=0.05)


def test_one_way_delays_are_from_receive_timestamps_where_there_are_any(tmp_path: FilePath) -> None:
    s = Small()
    s.send(0.0, 10.0, 20.0)
    # The peer's clock is 5 s ahead. On the way there 20, 23 and 21 ms; the way back takes 20, 20 and 50 ms.
    for number, (there, back) in enumerate(((20, 20), (23, 20), (21, 50))):
        left = 10 * number
        s.ack(left + there + back, [number], timestamps=[[number, 5_000_000 + 1000 * (left + there)]])
    m = measure(s.trace(tmp_path))
    assert m.relative_one_way_delay_from == "receive timestamps"
    assert [m.relative_one_way_delay_ms.min, m.relative_one_way_delay_ms.max] == pytest.approx([0.0, 3.0])
    assert m.queueing_delay_ms.max == pytest.approx(31.0)


def test_small_packets_are_compared_with_those_as_large_or_larger(tmp_path: FilePath) -> None:
    s = Small()
    for number, (rtt, size) in enumerate(((10.0, SIZE), (12.0, SIZE), (15.0, 100))):
        s.send(50.0 * number, size=size)
        s.ack(50.0 * number + rtt, [number])
    m = measure(s.trace(tmp_path))
    assert m.queueing_delay_ms.max == pytest.approx(5.0)
    assert m.queueing_delay_ms.mean == pytest.approx((0 + 2 + 5) / 3)


def test_receive_timestamps_that_contradict_round_trips_are_not_believed(tmp_path: FilePath) -> None:
    s = Small()
    s.send(0.0, 10.0, 20.0)
    for number in range(3):
        clock = 5_000_000 + (200_000 if number == 2 else 0)  # was set by 0.2 s
        s.ack(10.0 * number + 40.0 + number, [number], timestamps=[[number, clock + 10_000 * number]])
    m = measure(s.trace(tmp_path))
    assert m.relative_one_way_delay_from == "ACK arrivals"
    assert m.relative_one_way_delay_ms == m.queueing_delay_ms
    assert any("contradict" in note for note in m.notes)


def test_figures_do_not_depend_on_how_a_trace_is_cut_into_blocks(
    tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = records(Path(loss=0.02), 2.0)
    trace = trace_of(tmp_path, some)
    whole = measure(trace)
    for chunk in (1 << 12, 50_000):
        monkeypatch.setattr(read, "CHUNK", chunk)
        assert measure(load(trace.path)) == whole
