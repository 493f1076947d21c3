"""The export meets what qvis' loader and its views ask for (its state of October 2025, read from its source)."""

from __future__ import annotations

import json
import math
from pathlib import Path as FilePath
from typing import Any

import pytest

import tracewriter
from qlog_analysis import qvis
from qlog_analysis.errors import AnalysisError
from qlog_analysis.load import load
from qlog_analysis.qvis import convert
from qlog_analysis.qvis.export import sorted_by_time
from simulation import Path
from traces import DEFAULT, named, records
from tracewriter import Json


def exported(folder: FilePath, some: list[Json]) -> list[Json]:
    out = folder / "export.sqlog"
    written = qvis.export(tracewriter.write(folder / "trace.sqlog", some), out).events
    content = out.read_bytes()
    assert content.startswith(b"\x1e")
    result = [json.loads(part) for part in content.split(b"\x1e")[1:]]
    assert len(result) == written + 1
    return result


@pytest.fixture
def original() -> list[Json]:
    return records(Path(loss=0.02), 3.0, DEFAULT)


@pytest.fixture
def result(tmp_path: FilePath, original: list[Json]) -> list[Json]:
    return exported(tmp_path, original)


def test_the_header_is_one_that_the_loader_accepts(result: list[Json]) -> None:
    header = result[0]
    assert header["qlog_version"] == "0.3"
    assert header["qlog_format"] == "JSON-SEQ"
    assert header["trace"]["vantage_point"]["type"] == "server"
    common = header["trace"]["common_fields"]
    assert common["time_format"] == "relative"
    assert isinstance(common["reference_time"], float)
    assert common["reference_time"] == pytest.approx(1795245376720.68, abs=1.0)
    assert "file_schema" not in header


def test_events_are_in_the_order_of_their_times(result: list[Json]) -> None:
    times = [e["time"] for e in result[1:]]
    assert times == sorted(times)
    assert all(set(e) >= {"time", "name", "data"} for e in result[1:])
    assert not any("group_id" in e for e in result[1:])  # would split the trace


def test_nothing_makes_the_loader_complain_of_an_old_draft(result: list[Json]) -> None:
    assert any("header" in e["data"] for e in result[1:])
    for e in result[1:]:
        assert "packet_type" not in e["data"]
        assert not {"packet_size", "payload_length"} & set(e["data"].get("header", {}))


def test_the_congestion_view_finds_packets_acks_losses_and_metrics(result: list[Json], original: list[Json]) -> None:
    sent = named(result, "transport:packet_sent")
    assert len(sent) == len(named(original, "quic:packet_sent"))
    assert all(p["data"]["raw"]["length"] > 0 and "packet_number" in p["data"]["header"] for p in sent)
    acks = [p["data"]["frames"][0] for p in named(result, "transport:packet_received")]
    assert all(f["frame_type"] == "ack" and f["acked_ranges"] for f in acks)
    metrics = [m["data"] for m in named(result, "recovery:metrics_updated")]
    for field in ("congestion_window", "bytes_in_flight", "min_rtt", "smoothed_rtt", "latest_rtt"):
        assert sum(field in m for m in metrics) >= 1, field
    sent_numbers = {(p["data"]["header"]["packet_type"], p["data"]["header"]["packet_number"]) for p in sent}
    lost = [p["data"]["header"] for p in named(result, "recovery:packet_lost")]
    assert {(h["packet_type"], h["packet_number"]) for h in lost} <= sent_numbers


def test_reconstructed_losses_are_as_many_as_quiche_counted(result: list[Json], original: list[Json]) -> None:
    metrics = named(original, "quic:recovery_metrics_updated")
    counted = [m["data"]["cf_lost_packets"]["total"] for m in metrics if "cf_lost_packets" in m["data"]]
    lost = named(result, "recovery:packet_lost")
    assert len(lost) == counted[-1] > 0
    acked: set[int] = set()
    for p in named(result, "transport:packet_received"):
        for r in p["data"]["frames"][0]["acked_ranges"]:
            acked.update(range(r[0], r[-1] + 1))
    numbers = {e["data"]["header"]["packet_number"] for e in lost}
    assert not numbers & acked


def test_the_guess_before_the_first_round_trip_is_left_out(result: list[Json], original: list[Json]) -> None:
    assert any(m["data"].get("min_rtt") == 333.0 for m in named(original, "quic:recovery_metrics_updated"))
    assert all(m["data"].get("min_rtt", 0.0) < 300.0 for m in named(result, "recovery:metrics_updated"))


def test_so_is_the_guess_of_every_new_path_and_its_counter_starts_anew(tmp_path: FilePath) -> None:
    some = records(Path(loss=0.02), 4.0)
    half = len(some) // 2
    lost = 0
    guess = {"min_rtt": 333.0, "smoothed_rtt": 333.0, "rtt_variance": 166.5, "congestion_window": 13500}
    for r in some[half:]:
        counter = r.get("data", {}).get("cf_lost_packets")
        if counter is not None:
            lost = lost or counter["total"] - counter["delta"]
            counter["total"] -= lost
    assert lost > 0
    counter = {"cf_lost_packets": {"total": 0, "delta": 0}}
    time = some[half - 1]["time"]
    some.insert(half, {"time": time, "name": "quic:recovery_metrics_updated", "data": {**guess, **counter}})
    result = exported(tmp_path, some)
    assert all(m["data"].get("smoothed_rtt", 0.0) < 300.0 for m in named(result, "recovery:metrics_updated"))
    trace = load(tmp_path / "trace.sqlog")
    assert max(x for x in trace.metrics.smoothed_rtt if not math.isnan(x)) < 0.3
    assert len(named(result, "recovery:packet_lost")) > lost


def test_sizes_are_what_the_packetization_view_reckons_with(tmp_path: FilePath, original: list[Json]) -> None:
    for name, tag in (("quic:packet_sent", 16), ("quic:packet_received", 0)):
        for r in named(original, name):
            length = r["data"]["raw"]["length"]
            r["data"]["raw"] = {"length": length, "payload_length": length - 27 - tag}
    result = exported(tmp_path, original)
    sent, received = (named(result, f"transport:packet_{what}") for what in ("sent", "received"))
    assert sent
    assert received
    for p in (*sent, *received):
        raw = p["data"]["raw"]  # it subtracts 16 bytes of tag from the payload and takes the rest for the header
        assert raw["length"] - (raw["payload_length"] - 16) - 16 == 27


def test_http_frames_have_their_length_under_the_name_that_qvis_reads(tmp_path: FilePath, original: list[Json]) -> None:
    frame = {"stream_id": 0, "length": 44, "frame": {"frame_type": "headers", "headers": []}}
    original.insert(50, {"time": original[50]["time"], "name": "http3:frame_created", "data": frame})
    (created,) = named(exported(tmp_path, original), "http:frame_created")
    assert created["data"]["byte_length"] == 44


def test_no_label_becomes_an_object_or_an_unknown_or_a_number_beyond_javascript(
    tmp_path: FilePath, original: list[Json]
) -> None:
    metrics = named(original, "quic:recovery_metrics_updated")
    metrics[0]["data"]["ssthresh"] = (1 << 64) - 1
    metrics[-1]["data"]["ssthresh"] = 27000
    result = exported(tmp_path, original)
    for m in named(result, "recovery:metrics_updated"):
        assert not any(isinstance(v, dict) for v in m["data"].values())
        assert all(v < 1 << 53 for v in m["data"].values())
    assert named(result, "recovery:metrics_updated")[-1]["data"]["ssthresh"] == 27000
    sets = [e["name"] for e in result[1:] if e["name"].endswith(":parameters_set")]
    assert {s.split(":")[0] for s in sets} <= {"transport", "recovery", "http"}


@pytest.mark.parametrize(
    ("streams", "shown"),
    [
        ({0, 1, 4, 5}, {}),
        ({2, 3, 0}, {}),
        (set(), {}),
        ({1, 5}, {1: 0, 5: 4}),
        ({1, 3, 7}, {1: 0}),
        ({3, 7}, {3: 0, 7: 4}),
    ],
)
def test_streams_of_a_server_are_shown_where_a_client_opens_none(streams: set[int], shown: dict[int, int]) -> None:
    assert convert.shown_streams(streams) == shown


def test_renumbered_streams_are_said_in_the_description(tmp_path: FilePath, original: list[Json]) -> None:
    for p in named(original, "quic:packet_sent"):
        for f in p["data"]["frames"]:
            f.update({"stream_id": 1} if f["frame_type"] == "stream" else {})
    result = exported(tmp_path, original)
    frames = [f for p in named(result, "transport:packet_sent") for f in p["data"]["frames"]]
    assert {f["stream_id"] for f in frames if f["frame_type"] == "stream"} == {0}
    assert "1 as 0" in result[0]["trace"]["description"]


def test_marks_are_messages_that_the_sequence_view_shows(tmp_path: FilePath, original: list[Json]) -> None:
    acks = [p for p in named(original, "quic:packet_received") if p["data"]["header"]["packet_type"] == "1RTT"]
    for i, p in enumerate(acks):
        p["data"]["frames"][0].update(ect0=i, ect1=0, ce=0 if i < 10 else 2 if i < 20 else 5)
    messages = [m["data"]["message"] for m in named(exported(tmp_path, original), "info:message")]
    assert messages == ["ECN: 2 more marked CE, 2 so far", "ECN: 3 more marked CE, 5 so far"]


def test_packets_without_frames_have_no_empty_list(tmp_path: FilePath, original: list[Json]) -> None:
    named(original, "quic:packet_received")[-1]["data"]["frames"] = []
    result = exported(tmp_path, original)
    assert "frames" not in named(result, "transport:packet_received")[-1]["data"]


def test_parameters_say_whose_they_are_in_qvis_words(result: list[Json]) -> None:
    assert [p["data"]["owner"] for p in named(result, "transport:parameters_set")] == ["local", "remote"]


def test_stream_frames_carry_their_length(result: list[Json]) -> None:
    frames = [f for p in named(result, "transport:packet_sent") for f in p["data"]["frames"]]
    assert {f["frame_type"] for f in frames} == {"crypto", "stream"}
    assert all(f["length"] > 0 and "raw" not in f for f in frames)


def test_the_controllers_events_stay_to_be_seen(result: list[Json], original: list[Json]) -> None:
    assert len(named(result, "cc:hybrid_epoch_updated")) == len(named(original, "cc:hybrid_epoch_updated"))
    states = [e["data"]["new"] for e in named(result, "recovery:congestion_state_updated")]
    assert {"startup", "growing"} <= set(states)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("quic:packet_sent", "transport:packet_sent"),
        ("quic:packet_dropped", "transport:packet_dropped"),
        ("quic:stream_data_moved", "transport:data_moved"),
        ("quic:stream_state_updated", "transport:stream_state_updated"),
        ("quic:recovery_metrics_updated", "recovery:metrics_updated"),
        ("quic:congestion_state_updated", "recovery:congestion_state_updated"),
        ("quic:packet_lost", "recovery:packet_lost"),
        ("quic:connection_closed", "connectivity:connection_closed"),
        ("quic:key_updated", "security:key_updated"),
        ("quic:key_discarded", "security:key_retired"),
        ("http3:frame_created", "http:frame_created"),
        ("cc:parameters_set", "cc:controller_parameters_set"),
        ("no namespace", "no namespace"),
    ],
)
def test_names_are_those_that_qvis_looks_up(ours: str, theirs: str) -> None:
    assert convert.name(ours) == theirs


def test_pacing_rates_are_in_bits(result: list[Json], original: list[Json]) -> None:
    of = [
        m["data"]["pacing_rate"] for m in named(original, "quic:recovery_metrics_updated") if "pacing_rate" in m["data"]
    ]
    to = [m["data"]["pacing_rate"] for m in named(result, "recovery:metrics_updated") if "pacing_rate" in m["data"]]
    assert to == [8 * x for x in of]


def test_events_of_one_datagram_out_of_order_are_sorted(tmp_path: FilePath, original: list[Json]) -> None:
    extra = {"time": original[50]["time"] + 0.2, "name": "http3:frame_parsed", "data": {"stream_id": 0}}
    original.insert(50, extra)
    times = [e["time"] for e in exported(tmp_path, original)[1:]]
    assert times == sorted(times)
    assert extra["time"] in times


def test_sorting_needs_bounded_memory_even_if_an_event_is_far_too_late() -> None:
    events: list[dict[str, Any]] = [{"time": float(i), "name": str(i)} for i in range(100)]
    events.append({"time": 3.0, "name": "late"})
    out = list(sorted_by_time(iter(events), window=10))
    times = [e["time"] for e in out]
    assert times == sorted(times)
    assert len(out) == 101


def test_names_that_qvis_would_not_open_and_the_trace_itself_are_refused(
    tmp_path: FilePath, original: list[Json]
) -> None:
    source = tracewriter.write(tmp_path / "trace.sqlog", original)
    with pytest.raises(AnalysisError, match=r"\.sqlog or \.qlogseq"):
        qvis.export(source, tmp_path / "x.json")
    with pytest.raises(AnalysisError, match=r"is the input .* which would be overwritten"):
        qvis.export(source, source)
    with pytest.raises(AnalysisError, match="no packet was sent"):
        qvis.export(tracewriter.write(tmp_path / "empty.sqlog", original[:1]), tmp_path / "y.sqlog")
