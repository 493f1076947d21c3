"""Damaged, foreign and hostile files: a clear error that says where and what was expected, in bounded memory."""

from __future__ import annotations

import gzip
import io
import re
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

import tracewriter
from qlog_analysis import read
from qlog_analysis.check.run import check
from qlog_analysis.check.verdict import Outcome
from qlog_analysis.errors import TraceError, TruncatedTraceError
from qlog_analysis.events import HybridEpoch, HybridParameters, PaperEpoch, PaperParameters
from qlog_analysis.load import Choice, load
from qlog_analysis.metrics import measure
from qlog_analysis.qvis.export import export
from qlog_analysis.read import split
from traces import DEFAULT, FAST, PAPER, named, records, trace_of, verdict_of
from tracewriter import Json, encode, header


def refused(tmp_path: Path, content: bytes) -> str:
    path = tmp_path / "trace.sqlog"
    path.write_bytes(content)
    with pytest.raises(TraceError) as error:
        load(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


HEADER = encode([header("hybrid")])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "the file is empty"),
        (b"\x1e\n\x1e\n", "no record found"),
        (b'{"qlog_version":"0.3","traces":[]}', "holds no trace with events"),
        (b'{"a":1}', "JSON, but not qlog"),
        (b'{"qlog_version":"0.3","traces":[{"events":[{},]}]}', "not valid JSON"),
        (b'{"qlog_version":"0.3",\n"traces":[{"events":[{},!]}]}', "line 2, byte offset "),
        (b'{"qlog_version":"0.3","traces":[{"events":[', "ends early"),
        (b'{"qlog_version":"0.3","trace":{}}\n{"time":1,"na', "record 2 (byte offset 34): truncated"),
        (b'{"qlog_version":"0.3","trace":{}}\n\n{"time":1,}\n', "record 2 (line 3, byte offset 35): event: not valid"),
        (b"\x89PNG\r\n", "found 0x89"),
        (b"\x28\xb5\x2f\xfd\xff" + bytes(90), "damaged zstd file"),
        (b'\x1e{"qlog_version":"0.9","qlog_format":"JSON-SEQ","trace":{}}\n', "qlog version '0.9' is not supported"),
        (b'\x1e{"qlog_version":"0.3","qlog_format":"CBOR","trace":{}}\n', "format 'CBOR' is not supported"),
        (b'\x1e{"a":1}\n', "neither `file_schema` nor `qlog_version`"),
        (b'\x1e{"file_schema":"urn:ietf:params:qlog:file:other","traces":[]}\n', "is not supported"),
        (b'\x1e{"file_schema":7}\n', "file schema 7 is not supported"),
        (b"\x1enot json\n", "record 1 (byte offset 1): header: not valid JSON"),
        (b"\x1e[1]\n", "Expected `object`"),
        (HEADER + b"\x1e{\n", f"record 2 (byte offset {len(HEADER) + 1}): event: not valid JSON"),
        (HEADER + b'\x1e{"name":"x"}\n', "missing required field `time`"),
        (HEADER + b'\x1e{"time":"1","name":"x"}\n', "Expected `float`, got `str` - at `$.time`"),
        (HEADER + b'\x1e{"time":NaN,"name":"x"}\n', "not valid JSON"),
        (HEADER + b'\x1e{"time":1e999,"name":"x"}\n', "out of range"),
        (HEADER + b'\x1e{"time":-1,"name":"x"}\n', "out of range"),
        (HEADER + b'\x1e{"time":1,"name":"\xff\xfe"}\n', "UTF-8"),
        (
            HEADER + b'\x1e{"time":1,"name":"quic:packet_sent","data":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
            "deep",
        ),
        (HEADER + b'\x1e{"time":1,"name":"x"}', "truncated"),
        (HEADER + b'\x1e{"time":1,"na\x1e{"time":2,"name":"x"}\n', "the next record begins"),
    ],
)
def test_what_is_no_trace_of_quiche_is_refused_with_the_reason(tmp_path: Path, content: bytes, expected: str) -> None:
    assert expected in refused(tmp_path, content)


def test_a_missing_file_and_a_directory_are_errors_not_tracebacks(tmp_path: Path) -> None:
    for path in (tmp_path / "none.sqlog", tmp_path):
        with pytest.raises(TraceError, match="cannot read"):
            load(path)


def change(name: str, at: int, edit: Callable[[Json], None]) -> bytes:
    some = records(FAST, 0.5)
    edit(named(some, name)[at]["data"])
    return encode(some)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            change("quic:packet_sent", 5, lambda d: d["header"].update(packet_number="7")),
            "Expected `int | null`, got `str`",
        ),
        (change("quic:packet_sent", 5, lambda d: d["header"].update(packet_number=0)), "numbers must increase"),
        (change("quic:packet_sent", 5, lambda d: d["header"].pop("packet_number")), "is missing"),
        (change("quic:packet_sent", 5, lambda d: d["raw"].update(length=-1)), ">= 0"),
        (change("quic:packet_sent", 5, lambda d: d["raw"].update(length=10**9)), "expected 1 to 65535"),
        (change("quic:packet_sent", 5, lambda d: d.pop("raw")), "expected 1 to 65535"),
        (change("quic:packet_received", 4, lambda d: d["frames"][0].update(acked_ranges=[[3, 1]])), "first <= last"),
        (change("quic:packet_received", 4, lambda d: d["frames"][0].update(acked_ranges=[[]])), "range [] is not"),
        (change("quic:packet_received", 4, lambda d: d["frames"][0].update(acked_ranges=[[0, 2**63]])), "<= 4611686"),
        (change("quic:packet_received", 4, lambda d: d["frames"][0].update(acked_ranges=[[-1]])), ">= 0"),
        (change("quic:packet_received", 4, lambda d: d["frames"][0].update(ack_delay=-0.1)), ">= 0.0"),
        (change("cc:hybrid_epoch_updated", 1, lambda d: d.update(delta="1.5")), "Expected `float | null`, got `str`"),
        (change("cc:hybrid_epoch_updated", 1, lambda d: d.pop("window")), "missing required field `window`"),
        (change("cc:hybrid_epoch_updated", 1, lambda d: d.update(zone=4)), "<= 3"),
        (change("cc:parameters_set", 0, lambda d: d["parameters"].pop("d1")), "missing required field `d1`"),
        (change("cc:parameters_set", 0, lambda d: d.update(max_datagram_size=0)), ">= 1"),
    ],
)
def test_a_field_of_the_wrong_kind_is_named_with_its_record(tmp_path: Path, content: bytes, expected: str) -> None:
    message = refused(tmp_path, content)
    assert expected in message
    assert message.startswith("record ")
    assert "byte offset" in message


def test_packets_that_go_back_in_time_are_refused(tmp_path: Path) -> None:
    some = records(FAST, 0.5)
    named(some, "quic:packet_sent")[9]["time"] = 0.0
    assert "time goes back" in refused(tmp_path, encode(some))


def test_a_truncated_trace_can_be_used_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "cut.sqlog"
    whole = encode(records(FAST, 1.0))
    path.write_bytes(whole[:-20])
    with pytest.raises(TruncatedTraceError, match="the file ends"):
        load(path)
    trace = load(path, Choice(allow_truncated=True))
    assert len(trace.sent) > 50
    assert any("truncated" in n for n in trace.notes)


def two_zstd_frames(content: bytes) -> bytes:
    half = len(content) // 2
    return zstandard.compress(content[:half]) + zstandard.compress(content[half:])


COMPRESSIONS = pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress, two_zstd_frames])


@COMPRESSIONS
def test_compressed_is_read_like_plain_and_a_cut_one_is_truncated(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    content = encode(records(FAST, 1.0))
    plain, packed, cut = (tmp_path / n for n in ("a.sqlog", "a.sqlog.packed", "b.sqlog.packed"))
    plain.write_bytes(content)
    packed.write_bytes(compress(content))
    cut.write_bytes(compress(content)[:-400])
    assert len(load(packed).sent) == len(load(plain).sent)
    with pytest.raises(TruncatedTraceError):
        load(cut)
    damaged = bytearray(compress(content))
    damaged[len(damaged) // 2] ^= 0xFF
    cut.write_bytes(bytes(damaged))
    with pytest.raises(TraceError):
        load(cut)


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_compression_bombs_are_refused_in_bounded_memory(
    tmp_path: Path, compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "FREE_EXPANSION", 4 << 20)
    blank = b"\x1e" + b'{"time":1,"name":"x"}'.ljust(1 << 15) + b"\n"
    path = tmp_path / "bomb"
    path.write_bytes(compress(HEADER + blank * 3000))  # 98 MiB of almost nothing
    assert path.stat().st_size < 1 << 19

    def run() -> None:
        with pytest.raises(TraceError, match="expands more than 200-fold"):
            load(path)

    assert peak_of(run) < 96 << 20


class Endless(io.RawIOBase):
    """`size` bytes of a repeated pattern that never stand in memory."""

    def __init__(self, first: bytes, pattern: bytes, size: int) -> None:
        self._first, self._pattern, self._left = first, pattern, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._first or self._pattern * max(min(len(buffer), self._left) // len(self._pattern), 0)
        self._first = b""
        data = data[: len(buffer)]
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)


def endless(first: bytes, pattern: bytes, size: int) -> io.BufferedReader:
    return io.BufferedReader(Endless(first, pattern, size), 1 << 16)


def peak_of(run: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_huge_file_is_streamed() -> None:
    record = b"\x1e" + b'{"time":1,"name":"x"}'.ljust((1 << 15) - 2) + b"\n"
    stream = endless(b"", record, 256 << 20)
    counted: list[int] = []
    peak = peak_of(lambda: counted.append(sum(1 for _ in split(stream))))
    assert counted[0] > 7000
    assert peak < 16 << 20


def test_a_record_without_end_is_refused_before_it_fills_the_memory() -> None:
    stream = endless(b"\x1e", b"x" * 1024, 1 << 40)

    def run() -> None:
        with pytest.raises(TraceError, match="longer than 16 MiB"):
            list(split(stream))

    assert peak_of(run) < 128 << 20


def test_gigantic_ranges_cost_no_more_than_what_they_acknowledge(tmp_path: Path) -> None:
    some = records(FAST, 2.0)
    for r in named(some, "quic:packet_received"):
        r["data"]["frames"][0]["acked_ranges"] = [[0, 2**62 - 1]] * 200
    path = tmp_path / "trace.sqlog"
    path.write_bytes(encode(some))
    began = time.monotonic()
    trace = load(path)
    assert time.monotonic() - began < 20.0
    assert len(trace.acked) <= len(trace.sent)


@pytest.mark.parametrize("spec", [PAPER, DEFAULT])
def test_the_profile_of_hybrid_is_told_by_what_a_trace_holds_also_in_its_conversion(tmp_path: Path, spec: str) -> None:
    kinds = (PaperEpoch, PaperParameters) if spec is PAPER else (HybridEpoch, HybridParameters)
    original = tracewriter.write(tmp_path / "original.sqlog", records(FAST, 2.0, spec))
    export(original, tmp_path / "export.sqlog")
    trace, converted = load(original), load(tmp_path / "export.sqlog")
    assert {type(u.data) for u in trace.updates} == {type(u.data) for u in converted.updates} == {kinds[0]}
    assert {type(p.parameters) for p in trace.parameters} == {kinds[1]}


def test_estimates_of_a_profile_without_equations_for_them_change_no_verdict(tmp_path: Path) -> None:
    some = records(FAST, 2.0)
    before = verdict_of(tmp_path, some)
    estimate = {
        "target": 1e6,
        "least": 9e5,
        "most": None,
        "queueing_delay": 0.5,
        "state": "steady",
        "evidence_age": 3.0,
    }
    after_epochs = [n for n, r in enumerate(some) if r.get("name") == "cc:hybrid_epoch_updated"]
    for place in reversed(after_epochs):
        some.insert(place + 1, {"time": some[place]["time"], "name": "cc:estimate_updated", "data": estimate})
    estimates = trace_of(tmp_path, some).estimates
    assert {e.data.target for e in estimates} == {1e6}
    assert len(estimates) == len(after_epochs) > 10
    told = verdict_of(tmp_path, some)
    assert (told.outcome, told.findings) == (before.outcome, before.findings)


def test_the_schemas_of_today_and_of_the_draft_after_are_read_alike(tmp_path: Path) -> None:
    """quic-13 has the names and fields of quic-12 that are read here."""
    figures = []
    for draft in ("12", "13"):
        some = records(FAST, 3.0, DEFAULT)
        schemas = some[0]["trace"]["event_schemas"]
        some[0]["trace"]["event_schemas"] = [re.sub(r":(quic|http3)-12$", rf":\1-{draft}", s) for s in schemas]
        assert any(s.endswith(f":quic-{draft}") for s in some[0]["trace"]["event_schemas"])
        trace = trace_of(tmp_path, some)
        assert trace.native
        assert check(trace).outcome is Outcome.PASS
        figures.append(measure(trace))
    assert figures[0] == figures[1]
