"""Application-limited spells, pacing and bursts, of senders whose limits are known."""

from __future__ import annotations

import re
from pathlib import Path as FilePath

import pytest

from made import SIZE as MADE_SIZE
from made import made
from qlog_analysis.metrics import Fairness, TraceMetrics, measure, to_text
from small import SIZE, Small
from traces import FAST, epochs, records, trace_of


def of(folder: FilePath, **how: object) -> TraceMetrics:
    return measure(trace_of(folder, made(**how)))


def test_spells_are_the_times_in_which_everything_would_let_a_packet_leave(tmp_path: FilePath) -> None:
    s = Small()
    s.metrics(0.0, congestion_window=3 * SIZE, pacing_rate=10_000_000)  # a packet takes 0.1 ms
    s.send(1.0, 1.1, 1.2)
    s.ack(21.0, [0, 2])
    s.send(21.1, 51.1)  # 30 ms with room for two more
    s.send(51.2)
    s.ack(61.1, [3])
    s.send(81.1)  # 20 ms after there was room for one, which the window held back until then
    m = measure(s.trace(tmp_path)).application_limited
    assert m is not None
    assert [m.spells, m.total_s, m.longest_s] == pytest.approx([2, 0.050, 0.030])


def test_a_sender_that_is_limited_otherwise_has_no_spells(tmp_path: FilePath) -> None:
    for how in ({"window": lambda _: 20 * MADE_SIZE}, {"pacing": 4e6}, {"receiver": 20_000}):
        m = of(tmp_path, duration=2.0, rate=1e7, **how)
        assert m.application_limited is not None
        assert m.application_limited.total_s < 0.02, how


def test_a_source_that_pauses_has_a_spell_for_each_pause(tmp_path: FilePath) -> None:
    m = of(tmp_path, duration=4.0, pacing=4e6, writes=lambda t: t % 1.0 < 0.75).application_limited
    assert m is not None
    assert [m.spells, m.total_s] == pytest.approx([3, 0.75], abs=0.02)
    assert m.longest_s == pytest.approx(0.25, abs=0.01)


def test_without_a_window_only_an_empty_path_tells_of_the_application(tmp_path: FilePath) -> None:
    some = made(duration=2.0, writes=lambda t: t % 1.0 < 0.75)
    for r in some:
        if r.get("name") == "quic:recovery_metrics_updated":
            r["data"].pop("congestion_window", None)
    m = measure(trace_of(tmp_path, some)).application_limited
    assert m is not None
    assert m.evidence == "nothing was in flight"
    # The pause of 250 ms, less the rest of a round trip of 40 ms in which the last packets were acknowledged.
    assert m.spells == 1
    assert 0.21 <= m.total_s <= 0.25


def test_what_the_sender_says_of_itself_is_told_apart(tmp_path: FilePath) -> None:
    s = Small()
    s.event(1.0, "congestion_state_updated", {"new": "slow_start"})
    s.send(1.5)
    s.event(10.0, "congestion_state_updated", {"new": "application_limited"})
    s.event(30.0, "congestion_state_updated", {"new": "congestion_avoidance"})
    s.send(31.0)
    s.event(40.0, "congestion_state_updated", {"new": "application_limited"})
    s.event(45.0, "congestion_state_updated", {"new": "congestion_avoidance"})
    m = measure(s.trace(tmp_path)).application_limited_told
    assert m is not None
    assert m.evidence == "congestion state of the sender"
    assert [m.spells, m.total_s, m.longest_s] == pytest.approx([2, 0.025, 0.020])


def test_epochs_of_hybrid_that_follow_one_another_are_one_spell(tmp_path: FilePath) -> None:
    some = records(FAST, 2.0)
    for i, epoch in enumerate(epochs(some)):
        epoch["app_limited"] = i in (3, 4, 9)
    m = measure(trace_of(tmp_path, some)).application_limited_told
    assert m is not None
    lengths = [epoch["duration"] / 1e3 for epoch in epochs(some)]
    assert (m.spells, m.evidence) == (2, "epochs of hybrid")
    assert m.total_s == pytest.approx(sum(lengths[i] for i in (3, 4, 9)), abs=1e-3)
    assert measure(trace_of(tmp_path, made(duration=0.5))).application_limited_told is None


def test_a_paced_sender_keeps_its_rate_and_has_no_bursts(tmp_path: FilePath) -> None:
    p = of(tmp_path, duration=2.0, pacing=4e6).pacing
    assert p is not None
    assert p.gap_ms.p50 == pytest.approx(8e3 * MADE_SIZE / 4e6, rel=0.01)
    assert [p.gap_over_pacing.mean, p.gap_over_pacing.p50] == pytest.approx([1.0, 1.0], rel=0.01)
    assert (p.bursts, p.bytes_in_bursts_percent, p.largest_burst_packets) == (0, 0.0, 1)


def test_bursts_are_counted_with_their_bytes(tmp_path: FilePath) -> None:
    s = Small()
    s.metrics(0.0, congestion_window=100 * SIZE, pacing_rate=1_000_000)  # a packet takes 1 ms
    s.send(*(10.0 + 0.05 * i for i in range(12)))
    s.send(*(40.0 + 0.05 * i for i in range(10)))  # ten are allowed
    s.send(*(70.3 + 1.0 * i for i in range(18)))
    p = measure(s.trace(tmp_path)).pacing
    assert p is not None
    assert (p.bursts, p.largest_burst_packets, p.largest_burst_bytes) == (1, 12, 12 * SIZE)
    assert p.bytes_in_bursts_percent == pytest.approx(100 * 12 / 40)
    # Within bursts gaps are a twentieth of what pacing wants; those between packets that are paced are as it wants.
    assert p.gap_over_pacing.samples == 11 + 9 + 17
    assert p.gap_over_pacing.mean == pytest.approx((20 * 0.05 + 17) / 37)


def test_without_a_pacing_rate_there_are_bursts_and_no_ratio(tmp_path: FilePath) -> None:
    m = of(tmp_path, duration=1.0, window=lambda _: 40 * MADE_SIZE)
    assert m.pacing is not None
    assert m.pacing.gap_over_pacing.samples == 0
    assert "pacing rate" in m.not_measured["pacing.gap_over_pacing"]
    assert m.pacing.largest_burst_packets >= 40  # the first window leaves at once


def test_times_in_whole_milliseconds_tell_nothing_of_pacing_and_batches(tmp_path: FilePath) -> None:
    s = Small()
    s.send(*(float(i // 3) for i in range(40)))
    s.ack(50.0, [0, 20])
    s.ack(50.0, [0, 39])
    m = measure(s.trace(tmp_path))
    assert (m.pacing, m.acks_batched_percent) == (None, None)
    assert m.not_measured["pacing"] == m.not_measured["acks_batched_percent"] == "the times of the trace are whole ms"


def test_every_missing_figure_has_a_reason_and_no_figure_has_one_that_is_there(tmp_path: FilePath) -> None:
    sender, receiver = made(duration=1.0), Small()
    for number in range(30):
        receiver.receive(1.5 + number, number)
    without_acks = [r for r in sender if r.get("name") != "quic:packet_received"]
    without_sends = [r for r in sender if r.get("name") != "quic:packet_sent"]
    for some in (sender, receiver.records, without_acks, without_sends):
        m = measure(trace_of(tmp_path, some))
        figures = {name: getattr(m, name) for name in m.__dataclass_fields__ if name != "notes"}
        missing = {k for k, v in figures.items() if v is None or getattr(v, "samples", 1) == 0}
        told = {name for name in m.not_measured if "." not in name}
        # Of application-limited samples there may be none.
        assert missing - {"delivery_rate_application_limited_bps"} <= told
        assert told <= missing
        assert "None" not in to_text(m)


def test_the_readme_defines_every_figure_and_field(tmp_path: FilePath) -> None:
    readme = (FilePath(__file__).parents[1] / "README.md").read_text()
    documented = set(re.findall(r"`(\w+)`", readme.split("## Figures of `metrics`")[1].split("\n## ")[0]))
    m = of(tmp_path, duration=0.5)
    beside = Fairness(2, 0.0, 1.0, 1e6, 0.5, 1.0)
    figures = [m.reordering_by_acks, m.acks_received, m.application_limited, m.pacing, beside]
    fields = {name for figure in figures for name in getattr(figure, "__dataclass_fields__", {})}
    new = {name for name in m.__dataclass_fields__ if not name.startswith(("stream_bytes", "packets_", "bytes_"))}
    described = {"trace", "title", "controller", "vantage_point", "duration_s", "notes", "other_events"}
    assert fields | (new - described) <= documented | {"packets", "assumes"}
    assert len(fields) > 20
