"""Values that a peer or a damaged writer chooses: none ends in a traceback, a wrong figure or a terminal's command."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path as FilePath

import pytest

from foreign_layouts import events, ngtcp2, quic_go_lines
from qlog_analysis import compiled
from qlog_analysis.cli import main
from qlog_analysis.commands import used
from qlog_analysis.load import load
from qlog_analysis.metrics import measure
from test_broken import SKIP
from traces import FAST, acks, named, records, trace_of
from tracewriter import Json, encode, write

Output = pytest.CaptureFixture[str]
TEXT = "\x1b[2Jall is well\u202e\x9b"


def received(time: float, frame: Json) -> Json:
    header = {"packet_type": "1RTT", "packet_number": 99_999}
    return {
        "time": time,
        "name": "quic:packet_received",
        "data": {"header": header, "raw": {"length": 60}, "frames": [frame]},
    }


@pytest.mark.parametrize("command", ["metrics", "explain", "check"])
def test_what_a_terminal_obeys_is_escaped(tmp_path: FilePath, command: str, capsys: Output) -> None:
    some = records(FAST, 2.0)
    closed = {"frame_type": "connection_close", "error_space": "application", "reason": TEXT}
    some.append(received(some[-1]["time"], closed))
    wild = {"time": 1e12, "name": f"quic:{TEXT}\nqlog-analysis: forged", "data": {}}
    path = write(tmp_path / "a.sqlog", [*some, wild])
    main([command, str(path)])
    told = capsys.readouterr()
    assert not set(told.out + told.err) & set(TEXT) - set("[2Jall is well")
    assert "\nqlog-analysis: forged" not in told.err
    if command == "explain":
        assert r"\u001b[2Jall is well\u202e\u009b" in told.out.replace("\n", "").replace(" " * 21, "")


def test_a_fault_of_the_program_is_told_as_one(
    tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    def faulty(*_: object) -> None:
        raise ZeroDivisionError("of nothing")

    monkeypatch.setattr(used, "load", faulty)
    path = write(tmp_path / "a.sqlog", records(FAST, 2.0))
    assert main(["check", str(path)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"qlog-analysis: {path}: a fault of this program")
    assert "ZeroDivisionError in test_hostile_values.py, line " in told


def test_a_folder_that_may_not_be_read_is_named(tmp_path: FilePath, capsys: Output) -> None:
    name = tmp_path / ("x" * 300)
    for arguments in (
        ["metrics", str(name)],
        ["plot", str(write(tmp_path / "a.sqlog", records(FAST, 2.0))), "--out", str(name)],
    ):
        assert main(arguments) == 2
        assert name.name in capsys.readouterr().err


def test_a_file_name_that_is_not_text_stands_in_a_page(tmp_path: FilePath) -> None:
    path = FilePath(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.sqlog"))
    path.write_bytes(encode(records(FAST, 2.0)))
    page = tmp_path / "page.html"
    assert main(["explain", str(path), "--html", str(page)]) == 0
    assert b"\\udcff" in page.read_bytes()


@pytest.mark.parametrize("number", [1 << 63, 1 << 70, -(1 << 63)])
def test_a_packet_number_that_is_none_costs_its_record(tmp_path: FilePath, number: int) -> None:
    rows = ngtcp2(tmp_path, records(FAST, 2.0)).split(b"\x1e")
    changed = json.loads(rows[300])
    changed["data"]["header"]["packet_number"] = number
    path = tmp_path / "a.qlog"
    path.write_bytes(b"\x1e".join([*rows[:300], json.dumps(changed).encode() + b"\n", *rows[301:]]))
    trace = load(path, SKIP)
    assert [note for note in trace.unused if "packet_number" in note]
    assert (measure(trace).goodput_bps or 0.0) > 0.0


@pytest.mark.parametrize("wild", [1e300, 1.7e308, 1e15, -1e6])
def test_a_wild_difference_between_times_costs_its_record(tmp_path: FilePath, wild: float) -> None:
    lines = [json.loads(line) for line in quic_go_lines(tmp_path, records(FAST, 2.0)).decode().split("\n")]
    lines[0]["trace"]["common_fields"]["time_format"] = "delta"
    before = 0.0
    for row in lines[1:]:
        before, row["time"] = row["time"], row["time"] - before
    lines[300]["time"] = wild
    path = tmp_path / "a.qlog"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    trace = load(path, SKIP)
    assert len(trace.unused) == 1
    assert 1.0 < trace.end < 3.0


def test_times_that_begin_before_0_keep_their_distances(tmp_path: FilePath) -> None:
    some = records(FAST, 2.0)
    lines = [json.loads(line) for line in quic_go_lines(tmp_path, some).decode().split("\n")]
    path = tmp_path / "a.qlog"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    honest = measure(load(path))
    for row in lines[1:]:
        row["time"] -= 500.0
    path.write_text("\n".join(json.dumps(line) for line in lines))
    moved = measure(load(path))
    assert moved.goodput_bps == pytest.approx(honest.goodput_bps, rel=1e-3)
    assert asdict(moved.rtt_ms) == pytest.approx(asdict(honest.rtt_ms), rel=1e-6)


def test_a_first_event_long_after_all_others_is_not_the_beginning(tmp_path: FilePath, capsys: Output) -> None:
    lines = quic_go_lines(tmp_path, records(FAST, 2.0)).decode().split("\n")
    first = json.loads(lines[1]) | {"time": 10_500.0}
    path = tmp_path / "a.qlog"
    path.write_text("\n".join([lines[0], json.dumps(first), *lines[2:]]))
    assert main(["metrics", str(path)]) == 2
    assert "out of range" in capsys.readouterr().err


def test_one_ack_delay_moves_no_other_delay(tmp_path: FilePath) -> None:
    some = records(FAST, 3.0)
    honest = measure(trace_of(tmp_path, some))
    acks(some)[40]["data"]["frames"][0]["ack_delay"] = 24.0
    lied = measure(trace_of(tmp_path, some))
    assert asdict(lied.queueing_delay_ms) == pytest.approx(asdict(honest.queueing_delay_ms), abs=1.0)


@pytest.mark.parametrize("reader", [compiled.READER, None], ids=["installed", "Python"])
@pytest.mark.parametrize("name", ["quic:packet_sent", "quic:packet_received"])
def test_a_frame_with_more_than_a_packet_costs_its_record(
    tmp_path: FilePath, name: str, reader: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "READER", reader)
    some = records(FAST, 2.0)
    honest = measure(trace_of(tmp_path, some)).goodput_bps
    frame = {"frame_type": "stream", "stream_id": 0, "offset": 0, "raw": {"payload_length": 1 << 61}}
    named(some, name)[50]["data"]["frames"].append(frame)
    path = write(tmp_path / "a.sqlog", some)
    trace = load(path, SKIP)
    assert [note for note in trace.unused if "expected at most 65535" in note]
    assert measure(trace).goodput_bps == pytest.approx(honest, rel=0.05)


@pytest.mark.parametrize("reader", [compiled.READER, None], ids=["installed", "Python"])
def test_a_round_trip_of_centuries_costs_its_record(
    tmp_path: FilePath, reader: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "READER", reader)
    some = records(FAST, 2.0)
    named(some, "quic:recovery_metrics_updated")[50]["data"]["latest_rtt"] = 1e300
    trace = load(write(tmp_path / "a.sqlog", some), SKIP)
    assert [note for note in trace.unused if "latest_rtt" in note]


def test_an_event_of_no_use_does_not_end_the_trace(tmp_path: FilePath) -> None:
    some = records(FAST, 2.0)
    assert load(write(tmp_path / "a.sqlog", [*some, {"time": 9e10, "name": "quic:foo", "data": {}}])).end < 3.0


def test_a_choice_that_is_no_number_is_refused(tmp_path: FilePath, capsys: Output) -> None:
    path = tmp_path / "a.qlog"
    trace = {"vantage_point": {"type": "server"}, "events": events(tmp_path, records(FAST, 2.0))}
    path.write_text(json.dumps({"qlog_version": "0.3", "traces": [trace, trace]}))
    for connection in ("²", "9" * 5000):
        assert main(["metrics", str(path), "--connection", connection]) == 2
        assert "choose one with --connection" in capsys.readouterr().err
