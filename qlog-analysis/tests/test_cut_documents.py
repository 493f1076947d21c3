"""JSON documents that end early, or have more in them than anything can hold: what is said, and at what cost."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from contextlib import suppress
from pathlib import Path as FilePath

import pytest

from foreign_layouts import aioquic, quic_go_lines
from qlog_analysis.errors import SeveralConnectionsError, TraceError, TruncatedTraceError
from qlog_analysis.load import Choice, load
from qlog_analysis.read import records as records_of
from qlog_analysis.record import Record
from test_broken import SKIP
from test_foreign import LOSSY, written
from traces import records


def two_traces(folder: FilePath, title: str = "first") -> tuple[FilePath, int]:
    """A document with the same events twice, whose first trace is whole, and where the second one begins."""
    path = written(folder, aioquic, records(LOSSY, 0.5))
    whole = json.loads(path.read_bytes())
    (trace,) = whole["traces"]
    traces = [{"title": name, "vantage_point": trace["vantage_point"], **trace} for name in (title, "second")]
    text = json.dumps({**whole, "traces": traces}, ensure_ascii=False).encode()
    path.write_bytes(text)
    return path, text.index(b'{"title": "second"')


def tolerant(connection: str | None) -> Choice:
    return Choice(allow_truncated=True, connection=connection)


@pytest.mark.parametrize("bytes_", [-1, -300, -20_000])
def test_a_cut_document_with_several_traces_lists_all_and_the_choice_counts(tmp_path: FilePath, bytes_: int) -> None:
    path, _ = two_traces(tmp_path)
    whole = [load(path, Choice(connection=c)) for c in ("1", "2")]
    path.write_bytes(path.read_bytes()[:bytes_])
    for wrong in (None, "3"):
        listed = (
            r"holds 2 connections, .*--connection: 1: server aioquic first \(\d+ events\); 2: server aioquic second"
        )
        with pytest.raises(SeveralConnectionsError, match=listed):
            load(path, tolerant(wrong))
    first, second = (load(path, tolerant(c)) for c in ("1", "2"))
    assert (first.header.trace.title, second.header.trace.title) == ("first", "second")
    assert list(first.sent.time) == list(whole[0].sent.time)
    assert list(second.sent.time) == list(whole[1].sent.time[: len(second.sent)])
    missing = len(whole[1].sent) - len(second.sent)
    assert missing == 0 if bytes_ > -1000 else 0 < missing < len(whole[1].sent)
    for choice in (Choice(connection="1"), Choice(connection="2")):
        with pytest.raises(TruncatedTraceError, match="ends early"):
            load(path, choice)


def test_a_document_cut_before_its_second_trace_has_events_is_its_first(tmp_path: FilePath) -> None:
    path, second = two_traces(tmp_path)
    path.write_bytes(path.read_bytes()[: second + 20])
    assert load(path, tolerant(None)).header.trace.title == "first"


def as_far_as_it_goes(path: FilePath, connection: str) -> list[Record]:
    found: list[Record] = []
    with suppress(TruncatedTraceError):
        found.extend(records_of(path, connection))
    return found


@pytest.mark.parametrize("bytes_", [None, -300])
def test_offsets_are_bytes_of_the_trace_that_was_chosen(tmp_path: FilePath, bytes_: int | None) -> None:
    """Also behind text that has fewer characters than bytes."""
    path, second = two_traces(tmp_path, "größer")
    text = path.read_bytes()[:bytes_]
    path.write_bytes(text)
    for connection, begin, end in (("1", 0, second), ("2", second, len(text))):
        found = as_far_as_it_goes(path, connection)
        assert len(found) > 100
        for record in found[1:]:
            assert begin < record.offset < end
            assert text[record.offset :].startswith(record.text)


def test_small_events_cost_no_more_memory_than_the_text_of_them(tmp_path: FilePath) -> None:
    path = tmp_path / "a.qlog.gz"
    size = 4 << 20
    text = b'{"qlog_version":"0.3","traces":[{"events":[' + b"1," * (size // 2)
    for end in (b"1]}]}", b""):
        path.write_bytes(gzip.compress(text + end))
        tracemalloc.start()
        try:
            with pytest.raises(TraceError, match=r"record 2 .*Expected `object`, got `int` \(1001 of the first 1002 "):
                load(path, SKIP)
            assert tracemalloc.get_traced_memory()[1] < 8 * size
        finally:
            tracemalloc.stop()


def test_more_traces_than_any_endpoint_writes_are_refused(tmp_path: FilePath) -> None:
    path = tmp_path / "a.qlog"
    text = b'{"qlog_version":"0.3","traces":[' + b'{"events":[1]},' * 20_000
    for end in (b'{"events":[1]}]}', b""):
        path.write_bytes(text + end)
        with pytest.raises(TraceError, match="holds more than 10000 traces"):
            load(path, SKIP)


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"\n", b"\xef\xbb\xbf\r\n \n"])
@pytest.mark.parametrize("layout", [quic_go_lines, aioquic])
def test_a_byte_order_mark_and_empty_lines_may_come_first(tmp_path: FilePath, layout: object, before: bytes) -> None:
    path = written(tmp_path, layout, records(LOSSY, 0.5))  # type: ignore[arg-type]  # one of two layouts
    text = path.read_bytes()
    whole = load(path)
    path.write_bytes(before + text)
    assert list(load(path).sent.time) == list(whole.sent.time)
    offsets = [record.offset for record in records_of(path)][1:]
    path.write_bytes(text)
    assert offsets == [record.offset + len(before) for record in records_of(path)][1:]
