"""Goodput, delay and loss against what the simulated path is known to have done."""

from __future__ import annotations

import json
from pathlib import Path as FilePath

import numpy as np
import pytest

from qlog_analysis.dates import unix_time
from qlog_analysis.errors import AnalysisError, UnsuitableTraceError
from qlog_analysis.linklog import read_link_log
from qlog_analysis.metrics import Distribution, distinct_bytes, measure, to_text
from qlog_analysis.model import StreamFrames
from qlog_analysis.packed import Column
from simulation import PACKET, Path
from test_zones_unsuitable import without_controller
from traces import FAST, named, records, trace_of


def test_an_unlimited_sender_fills_most_of_the_path(tmp_path: FilePath) -> None:
    m = measure(trace_of(tmp_path, records(FAST, 4.0)))
    assert m.goodput_bps is not None
    assert 0.6 * FAST.rate < m.goodput_bps < FAST.rate
    assert 0 < (m.stream_bytes_acked or 0) <= (m.stream_bytes_sent or 0)
    assert m.rtt_ms.min == pytest.approx(2e3 * FAST.delay + 8e3 * PACKET / FAST.rate, abs=1.0)
    assert m.packets_lost == 0
    assert m.loss_percent == 0.0


def test_losses_are_those_that_quiche_counted(tmp_path: FilePath) -> None:
    some = records(Path(loss=0.02), 6.0)
    counted = [
        r["data"]["cf_lost_packets"]["total"]
        for r in named(some, "quic:recovery_metrics_updated")
        if "cf_lost_packets" in r["data"]
    ]
    m = measure(trace_of(tmp_path, some))
    assert m.packets_lost == counted[-1] > 0
    assert m.loss_percent == pytest.approx(100.0 * counted[-1] / m.packets_sent)


def test_without_the_counter_losses_are_found_by_the_packet_threshold(tmp_path: FilePath) -> None:
    some = records(Path(loss=0.02), 6.0)
    counted = measure(trace_of(tmp_path, some)).packets_lost or 0
    for r in named(some, "quic:recovery_metrics_updated"):
        r["data"].pop("cf_lost_packets", None)
    found = measure(trace_of(tmp_path, some))
    assert found.losses_from == "packet threshold of RFC 9002"
    assert found.packets_lost is not None
    assert abs(found.packets_lost - counted) <= 2


def test_queueing_delay_needs_no_events_of_a_controller(tmp_path: FilePath) -> None:
    some = records(FAST, 4.0)
    with_events = measure(trace_of(tmp_path, some))
    without = measure(trace_of(tmp_path, without_controller(some)))
    assert without.queueing_delay_ms == with_events.queueing_delay_ms
    assert with_events.queueing_delay_ms.min == 0.0
    assert 0.0 < (with_events.queueing_delay_ms.mean or 0.0) < 12.0


def test_retransmitted_bytes_count_once() -> None:
    frames = StreamFrames(
        stream=Column("q", [0, 4, 0, 0, 0]),
        offset=Column("q", [0, 0, 100, 50, 300]),
        length=Column("q", [100, 10, 100, 100, 50]),
        time=Column("d", [0.0] * 5),
    )
    assert distinct_bytes(frames) == 200 + 50 + 10
    assert distinct_bytes(frames, np.array([True, True, False, False, True])) == 100 + 10 + 50


def test_a_trace_without_packets_is_refused_with_what_it_has(tmp_path: FilePath) -> None:
    some = records(FAST, 4.0)
    with pytest.raises(UnsuitableTraceError, match=r"no packet was sent or received.* found none"):
        trace_of(tmp_path, some[:1])
    others = [r for r in some if not r.get("name", "").startswith("quic:packet_")]
    with pytest.raises(UnsuitableTraceError, match=r"found .* others"):
        trace_of(tmp_path, [*others, {"time": 9.0, "name": "lol:what", "data": {}}])


def test_what_was_not_measured_is_none_with_a_reason_never_0(tmp_path: FilePath) -> None:
    some = [r for r in records(FAST, 4.0) if r.get("name") != "quic:packet_received"]
    m = measure(trace_of(tmp_path, some))
    assert (m.packets_lost, m.loss_percent, m.spurious_losses, m.losses_from, m.goodput_bps) == (None,) * 5
    assert m.rtt_ms == m.queueing_delay_ms == Distribution(0)
    assert m.packets_sent > 0
    assert set(m.not_measured) >= {"packets_lost", "loss_percent", "goodput_bps", "rtt_ms", "queueing_delay_ms"}
    assert "no ACK frame" in m.not_measured["loss_percent"]
    text = to_text(m)
    assert "not measured" in text
    assert "0.000 %" not in text
    sent_nothing = [r for r in records(FAST, 4.0) if r.get("name") != "quic:packet_sent"]
    m = measure(trace_of(tmp_path, sent_nothing))
    assert (m.bytes_sent, m.packets_lost, m.packets_sent) == (None, None, 0)
    assert "no packet that was sent" in m.not_measured["bytes_sent"]


def test_percentiles_are_in_milliseconds() -> None:
    d = Distribution.of(np.linspace(0.0, 0.1, 101))
    assert (d.samples, d.mean, d.p50, d.p95, d.max) == (101, *map(pytest.approx, (50.0, 50.0, 95.0, 100.0)))


def test_delay_over_time_weighs_by_time_and_delay_per_packet_by_packets(tmp_path: FilePath) -> None:
    time = np.array([0.0, 9.0, 9.1, 9.2, 10.0])
    delay = np.array([0.010, 0.030, 0.030, 0.030, 0.030])
    over_time = Distribution.over_time(lambda: [(delay[:-1] * 1e3, np.diff(time))])
    assert [over_time.mean, over_time.p50, over_time.p95] == pytest.approx([12.0, 10.0, 30.0])
    assert Distribution.of(delay).mean == pytest.approx(26.0)
    assert Distribution.over_time(lambda: [(delay[:0], time[:0])]) == Distribution(0)
    m = measure(trace_of(tmp_path, records(FAST, 4.0)))
    assert m.queueing_delay_over_time_ms.max == pytest.approx(m.queueing_delay_ms.max, rel=0.2)
    text = to_text(m)
    assert "per packet: mean" in text
    assert "over time: mean" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:01.5Z", 1.5),
        ("1970-01-01T01:00:00.000000001+01:00", 1e-9),
        ("yesterday", None),
        ("2026-13-01T00:00:00Z", None),
    ],
)
def test_wall_clock_times_are_read(text: str, expected: float | None) -> None:
    assert unix_time(text) == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_the_links_log_is_read_with_whatever_else_it_holds(tmp_path: FilePath) -> None:
    path = tmp_path / "link.jsonl"
    lines = [
        {"event": "start", "start_unix": 1000.5, "queue": {"any": 1}},
        {"time": 0.0, "direction": "down", "queue_bytes": 0, "queue_delay_ms": 0.0, "extra": None},
        {"time": 0.0, "direction": "up", "queue_bytes": 99, "queue_delay_ms": 99.0},
        {"time": 0.1, "direction": "down", "queue_bytes": 1500, "queue_delay_ms": 12.0},
        {"time": 0.2, "queue_bytes": 3000, "queue_delay_ms": 24.0},
        {"event": "summary", "duration": 1.0},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    log = read_link_log(path).shifted(1000.0)
    assert log.time.tolist() == [0.5, 0.6, 0.7]
    assert log.queue_bytes.tolist() == [0.0, 1500.0, 3000.0]
    assert log.delay_within(0.55, 0.75).mean == pytest.approx(18.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "no line has `time`"),
        ('{"event":"start"}\n', "no line has `time`"),
        ('{"time":0,"queue_bytes":1}\n{"time":"1"}\n', "line 2: expected a JSON object with numbers"),
        ("queue\n", "line 1"),
        ('{"time":0,"direction":"\xff"}\n', "line 1"),
        ("[" * 100_000 + "\n", "line 1"),
    ],
)
def test_a_damaged_link_log_is_refused_with_the_line(tmp_path: FilePath, text: str, expected: str) -> None:
    path = tmp_path / "link.jsonl"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(AnalysisError) as error:
        read_link_log(path)
    assert expected in str(error.value)
