"""A record that cannot be used is named with its place, and the others are used; not where a verdict is given."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path as FilePath

import pytest
import zstandard

import tracewriter
from foreign_layouts import quic_go_lines
from qlog_analysis.cli import main
from qlog_analysis.errors import TraceError
from qlog_analysis.load import Choice, load
from test_foreign import LOSSY, written
from traces import DEFAULT, FAST, records
from tracewriter import encode

Output = pytest.CaptureFixture[str]
SKIP = Choice(allow_truncated=True, skip_broken=True)


def not_json(record: bytes) -> bytes:
    return record.replace(b'"name":', b'"name":!', 1)


def cut(record: bytes) -> bytes:
    return record[: len(record) // 2]


def other_type(record: bytes) -> bytes:
    return record.replace(b'"time":', b'"time":"x","was":', 1)


def broken_at(whole: bytes, places: list[int], make: Callable[[bytes], bytes]) -> bytes:
    parts = whole.split(b"\x1e")
    for place in places:
        parts[place] = make(parts[place])
    return b"\x1e".join(parts)


@pytest.mark.parametrize("make", [not_json, cut, other_type])
def test_the_rest_of_a_trace_is_read_and_the_record_named(
    tmp_path: FilePath, make: Callable[[bytes], bytes], capsys: Output
) -> None:
    whole = encode(records(FAST, 2.0))
    path = tmp_path / "a.sqlog"
    path.write_bytes(broken_at(whole, [40], make))
    offset = len(whole) - len(whole.split(b"\x1e", 40)[-1])
    assert main(["metrics", str(path), "--json", "-"]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith(f"qlog-analysis: {path}: not used: record 40 (byte offset {offset}): ")
    data = json.loads(captured.out)
    assert any("record 40" in note for note in data["notes"])
    assert main(["metrics", str(path), "--strict"]) == 2
    path.write_bytes(whole)
    assert main(["metrics", str(path), "--json", "-"]) == 0
    intact = json.loads(capsys.readouterr().out)
    assert intact["notes"] == []
    assert abs(data["packets_sent"] - intact["packets_sent"]) <= 1
    assert data["goodput_bps"] == pytest.approx(intact["goodput_bps"], rel=0.02)


def test_a_verdict_needs_every_record(tmp_path: FilePath, capsys: Output) -> None:
    path = tmp_path / "a.sqlog"
    path.write_bytes(broken_at(encode(records(FAST, 4.0, DEFAULT)), [40], not_json))
    for command in ("check", "zones"):
        assert main([command, str(path)]) == 2
        assert "record 40 (byte offset" in capsys.readouterr().err


def test_the_export_leaves_out_what_is_broken_as_well(tmp_path: FilePath) -> None:
    path, out = tmp_path / "a.sqlog", tmp_path / "b.sqlog"
    whole = encode(records(FAST, 2.0))
    path.write_bytes(whole)
    assert main(["to-qvis", str(path), "--out", str(out)]) == 0
    events = out.read_bytes().count(b"\x1e")
    for make in (not_json, cut, other_type):
        path.write_bytes(broken_at(whole, [40], make))
        assert main(["to-qvis", str(path), "--out", str(out)]) == 0
        assert events - 3 <= out.read_bytes().count(b"\x1e") < events
        for part in out.read_bytes().split(b"\x1e")[1:]:
            json.loads(part)


def test_contradictions_are_skipped_like_damage(tmp_path: FilePath) -> None:
    some = records(FAST, 2.0)
    sent = [r for r in some if r.get("name") == "quic:packet_sent"]
    sent[9]["data"]["header"]["packet_number"] = 0
    sent[12]["time"] = 0.0
    trace = load(tracewriter.write(tmp_path / "a.sqlog", some), SKIP)
    assert len(trace.sent) == len(sent) - 2
    assert ["must increase" in trace.notes[0], "time goes back" in trace.notes[1]] == [True, True]


def test_foreign_lines_are_skipped_by_their_number_and_only_ten_are_named(tmp_path: FilePath) -> None:
    path = written(tmp_path, quic_go_lines, records(LOSSY, 2.0))
    lines = path.read_bytes().split(b"\n")
    for i in range(20, 56, 3):
        lines[i] = b'{"time":'
    path.write_bytes(b"\n".join(lines))
    trace = load(path, SKIP)
    assert trace.notes[0].startswith("not used: record 21 (line 21, byte offset ")
    assert len(trace.notes) == 11
    assert trace.notes[-1] == "not used: 2 more records"


def test_a_trace_of_which_too_much_is_broken_is_refused(tmp_path: FilePath) -> None:
    whole = encode(records(FAST, 1.0))
    path = tmp_path / "a.sqlog"
    path.write_bytes(broken_at(whole, list(range(30, whole.count(b"\x1e"), 5)), not_json))
    with pytest.raises(TraceError, match=r"record 30 .*\d+ of \d+ records cannot be used"):
        load(path, SKIP)
    whole = encode(records(FAST, 0.4))
    count = whole.count(b"\x1e")
    assert count < 1000
    path.write_bytes(broken_at(whole, list(range(2, count + 1)), not_json))
    with pytest.raises(TraceError, match=rf"record 2 .*\({count - 1} of {count} records cannot be used\)"):
        load(path, SKIP)


def test_events_that_nothing_is_made_of_are_counted(tmp_path: FilePath) -> None:
    some = records(FAST, 1.0)
    some[30:30] = [{"time": some[30]["time"], "name": "app:frame_drawn", "data": {"x": i}} for i in range(3)]
    assert load(tracewriter.write(tmp_path / "a.sqlog", some)).others["app:frame_drawn"] == 3


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_of_a_cut_compressed_trace_what_can_be_unpacked_is_used(
    tmp_path: FilePath, pack: Callable[[bytes], bytes], capsys: Output
) -> None:
    whole = pack(encode(records(FAST, 2.0)))
    path, out = tmp_path / "a.sqlog.gz", tmp_path / "b.sqlog"
    path.write_bytes(whole)
    sent = len(load(path).sent)
    path.write_bytes(whole[: len(whole) * 9 // 10])
    for arguments in (["metrics", str(path)], ["to-qvis", str(path), "--out", str(out)]):
        assert main(arguments) == 0
        assert capsys.readouterr().err == f"qlog-analysis: {path}: truncated trace: the compressed file ends early\n"
    assert 0.5 * sent < len(load(path, SKIP).sent) < sent


@pytest.mark.parametrize("layout", [None, quic_go_lines])
def test_records_of_which_nearly_none_can_be_used_are_not_read_to_the_end(
    tmp_path: FilePath, layout: Callable[[FilePath, list[tracewriter.Json]], bytes] | None
) -> None:
    """A few KB can become millions of them."""
    some = records(LOSSY, 0.5)
    whole = encode(some) if layout is None else layout(tmp_path, some) + b"\n"
    good, mark = whole.count(b"\x1e") or whole.count(b"\n"), b"\x1e" if layout is None else b""
    path = tmp_path / "a.sqlog.gz"
    path.write_bytes(gzip.compress(whole + (mark + b'{"a":1}\n') * 500_000))
    began = time.process_time()
    bad = max(1001, good + 1)
    with pytest.raises(TraceError, match=rf"record {good + 1} .*\({bad} of the first {good + bad} records cannot be"):
        load(path, SKIP)
    assert time.process_time() - began < 10.0


def test_records_that_nothing_is_made_of_are_not_broken_however_many(tmp_path: FilePath) -> None:
    some = records(FAST, 0.5)
    others = [{"time": some[30]["time"], "name": "app:frame_drawn", "data": {"x": i}} for i in range(5000)]
    some[30:30] = others
    path = tracewriter.write(tmp_path / "a.sqlog", some)
    trace = load(path, SKIP)
    assert (trace.others["app:frame_drawn"], trace.notes, trace.unused_records) == (5000, [], set())
