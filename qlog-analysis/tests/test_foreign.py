"""Traces of other implementations and older drafts say the same as quiche's of the same connection."""

from __future__ import annotations

import dataclasses
import gzip
import json
from array import array
from collections.abc import Callable
from functools import partial
from pathlib import Path as FilePath

import numpy as np
import numpy.typing as npt
import pytest
import zstandard

import tracewriter
from foreign_layouts import BEGAN_MS, LAYOUTS, aioquic, mvfst, ngtcp2, picoquic, quic_go, quic_go_lines
from qlog_analysis import qvis
from qlog_analysis.check.run import check
from qlog_analysis.cli import main
from qlog_analysis.errors import TraceError, TruncatedTraceError, UnsuitableTraceError
from qlog_analysis.load import Choice, load
from qlog_analysis.metrics import TraceMetrics, measure
from qlog_analysis.model import Metrics, Trace
from simulation import Path
from traces import acks, records, trace_of
from tracewriter import Json

LOSSY = Path(loss=0.02)
Layout = Callable[[FilePath, list[Json]], bytes]


def written(folder: FilePath, layout: Layout, some: list[Json]) -> FilePath:
    path = folder / "foreign.qlog"
    path.write_bytes(layout(folder, some))
    return path


def figures(m: TraceMetrics) -> dict[str, float]:
    """What the path and the packets decide, as far as it was measured."""
    return {k: v for k, v in dataclasses.asdict(m).items() if isinstance(v, int | float)}


def flat(figure: Json) -> dict[str, float]:
    """The numbers in a figure."""
    out: dict[str, float] = {}
    for name, value in figure.items():
        if isinstance(value, dict):
            out.update({f"{name}.{k}": v for k, v in flat(value).items()})
        elif isinstance(value, int | float):
            out[name] = value
    return out


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_gives_the_figures_of_the_original(tmp_path: FilePath, layout: Layout) -> None:
    some = records(LOSSY, 4.0)
    ours = measure(trace_of(tmp_path, some))
    theirs = measure(load(written(tmp_path, layout, some)))
    # Times in ms since 1970 have no better resolution than 0.25 us.
    assert figures(theirs) == pytest.approx(figures(ours), rel=1e-6)
    of_controllers = {"application_limited_told": "the sender writes no events that tell it"}
    assert theirs.not_measured == ours.not_measured | of_controllers
    assert ours.packets_lost is not None
    assert ours.packets_lost > 0
    assert theirs.losses_from == "events packet_lost"
    for name in ("rtt_ms", "queueing_delay_ms", "relative_one_way_delay_ms", "delivery_rate_bps"):
        a, b = getattr(ours, name), getattr(theirs, name)
        assert dataclasses.asdict(b) == pytest.approx(dataclasses.asdict(a), rel=1e-4, abs=2e-3)
    for name in ("reordering_by_acks", "reordering_received", "acks_received", "application_limited"):
        a, b = (flat(dataclasses.asdict(getattr(m, name))) for m in (ours, theirs))
        assert b == pytest.approx(a, rel=1e-4, abs=2e-3), name


def held_back() -> list[Json]:
    """With ACKs that were held back for 0.8 to 2.4 ms; quiche writes the field of the frame."""
    some = records(LOSSY, 2.0)
    for i, p in enumerate(acks(some)):
        p["data"]["frames"][0]["ack_delay"] = 0.1 + 0.05 * (i % 5)
    return some


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_gives_the_same_delays_of_acks(tmp_path: FilePath, layout: Layout) -> None:
    some = held_back()
    ours = [f.ack_delay for f in trace_of(tmp_path, some).feedback if len(f.acked)]
    theirs = [f.ack_delay for f in load(written(tmp_path, layout, some)).feedback if len(f.acked)]
    assert theirs == pytest.approx(ours, abs=1e-6)
    assert max(ours) == pytest.approx(2.4e-3)


def last_of_each_time(metrics: Metrics, column: array[float]) -> npt.NDArray[np.float64]:
    """Some writers spread over several events what others write in one."""
    time = np.round(np.array(metrics.time) * 1e6)
    values: npt.NDArray[np.float64] = np.array(column)[np.append(np.diff(time) > 0.0, True)]
    return values


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_gives_the_same_window_and_rtts(tmp_path: FilePath, layout: Layout) -> None:
    some = records(LOSSY, 2.0)
    ours, theirs = trace_of(tmp_path, some).metrics, load(written(tmp_path, layout, some)).metrics
    for column in ("congestion_window", "bytes_in_flight", "pacing_rate", "latest_rtt", "smoothed_rtt", "min_rtt"):
        one, other = (last_of_each_time(m, getattr(m, column)) for m in (ours, theirs))
        np.testing.assert_allclose(other, one, atol=1e-6, err_msg=column)
    assert np.nanmax(np.array(theirs.smoothed_rtt)) < 0.3  # the guess before the first sample is no measurement


def test_the_start_of_a_trace_is_known_where_it_is_written(tmp_path: FilePath) -> None:
    some = records(LOSSY, 1.0)
    for layout in (quic_go, quic_go_lines):
        assert load(written(tmp_path, layout, some)).reference == pytest.approx(BEGAN_MS / 1e3, abs=1e-3)
    first = some[1]["time"]
    assert load(written(tmp_path, aioquic, some)).reference == pytest.approx((BEGAN_MS + first) / 1e3, abs=1e-5)
    for layout in (ngtcp2, picoquic):
        assert load(written(tmp_path, layout, some)).reference is None


def test_the_writer_is_named_and_its_controller_not_guessed(
    tmp_path: FilePath, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(written(tmp_path, quic_go, records(LOSSY, 1.0)))
    assert main(["metrics", path, "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["controller"] == "unknown controller of quic-go"
    assert data["vantage_point"] == "server"
    assert main(["check", path]) == 3


def test_events_out_of_order_are_sorted(tmp_path: FilePath) -> None:
    def swapped(folder: FilePath, some: list[Json]) -> bytes:
        lines = quic_go_lines(folder, some).split(b"\n")
        for i in range(5, len(lines) - 1, 7):
            lines[i], lines[i + 1] = lines[i + 1], lines[i]
        return b"\n".join(lines)

    some = records(LOSSY, 2.0)
    in_order, mixed = (measure(load(written(tmp_path, x, some))) for x in (quic_go_lines, swapped))
    # Which pacing rate a packet had is known by the number of the record, not by time.
    assert dataclasses.replace(in_order, pacing=None) == dataclasses.replace(mixed, pacing=None)


def test_times_may_be_differences(tmp_path: FilePath) -> None:
    def delta(folder: FilePath, some: list[Json]) -> bytes:
        header, *rows = (json.loads(r) for r in quic_go_lines(folder, some).split(b"\n"))
        header["trace"]["common_fields"]["time_format"] = "delta"
        before = 0.0
        for r in rows:
            r["time"], before = r["time"] - before, r["time"]
        return "\n".join(map(json.dumps, (header, *rows))).encode()

    some = records(LOSSY, 2.0)
    ours, theirs = measure(trace_of(tmp_path, some)), measure(load(written(tmp_path, delta, some)))
    assert theirs.duration_s == pytest.approx(ours.duration_s)
    assert theirs.rtt_ms.mean == pytest.approx(ours.rtt_ms.mean)


def without(event: str, layout: Layout, title: str, folder: FilePath, some: list[Json]) -> bytes:
    lines = [line for line in layout(folder, some).split(b"\n") if event.encode() not in line]
    return b"\n".join(lines).replace(b"quic-go qlog", title.encode())


def test_losses_of_a_writer_that_tells_none_are_found_by_the_packet_threshold(tmp_path: FilePath) -> None:
    some = records(LOSSY, 4.0)
    told = measure(trace_of(tmp_path, some)).packets_lost or 0
    found = measure(load(written(tmp_path, partial(without, "packet_lost", quic_go_lines, "other"), some)))
    assert found.losses_from == "packet threshold of RFC 9002"
    assert found.packets_lost is not None
    assert abs(found.packets_lost - told) <= 3
    assert told > 5


def test_a_writer_that_tells_its_losses_has_none_if_it_tells_none(tmp_path: FilePath) -> None:
    some = records(LOSSY, 4.0)
    m = measure(load(written(tmp_path, partial(without, "packet_lost", quic_go_lines, "quic-go qlog"), some)))
    assert (m.packets_lost, m.losses_from) == (0, "events packet_lost")


def test_without_sizes_bytes_are_not_measured_and_the_rest_is(tmp_path: FilePath) -> None:
    def sizeless(folder: FilePath, some: list[Json]) -> bytes:
        header, *rows = (json.loads(r) for r in quic_go_lines(folder, some).split(b"\n"))
        for r in rows:
            r["data"].pop("raw", None)
        return "\n".join(map(json.dumps, (header, *rows))).encode()

    some = records(LOSSY, 2.0)
    m = measure(load(written(tmp_path, sizeless, some)))
    assert m.bytes_sent is None
    assert "size" in m.not_measured["bytes_sent"]
    assert m.goodput_bps == measure(trace_of(tmp_path, some)).goodput_bps


def edited(edit: Callable[[list[Json]], None], folder: FilePath, some: list[Json]) -> bytes:
    rows = [json.loads(r) for r in quic_go_lines(folder, some).split(b"\n")]
    edit(rows)
    return "\n".join(map(json.dumps, rows)).encode()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda rows: rows[5].pop("time"), "record 6 (line 6, byte offset "),
        (lambda rows: rows[5].update(time=1e300), "is out of range"),
        (lambda rows: rows[5].update(time="soon"), "Expected `float | null`, got `str`"),
        (lambda rows: rows.append([1, "transport", "packet_sent", {}]), "expected those of `event_fields`"),
        (lambda rows: next(r for r in rows if "header" in r.get("data", ()))["data"].pop("header"), "no packet type"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(
    tmp_path: FilePath, edit: Callable[[list[Json]], None], expected: str
) -> None:
    path = written(tmp_path, partial(edited, edit), records(LOSSY, 0.5))
    with pytest.raises(TraceError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}: record ")
    assert expected in str(error.value)


@pytest.mark.parametrize("layout", [quic_go, quic_go_lines])
def test_a_cut_trace_can_be_used_as_far_as_it_goes(tmp_path: FilePath, layout: Layout) -> None:
    path = written(tmp_path, layout, records(LOSSY, 2.0))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(TruncatedTraceError):
        load(path)
    trace = load(path, Choice(allow_truncated=True))
    assert len(trace.sent) > 100
    assert any("truncated" in n for n in trace.notes)


def test_of_a_document_with_several_traces_one_is_chosen(tmp_path: FilePath) -> None:
    path = written(tmp_path, aioquic, records(LOSSY, 0.5))
    whole = json.loads(path.read_bytes())
    client = {**whole["traces"][0], "vantage_point": {"name": "aioquic", "type": "client"}}
    client["events"] = client["events"][:100]
    path.write_text(json.dumps({**whole, "traces": [*whole["traces"], client]}))
    for wrong in (None, "3", "someone"):
        with pytest.raises(TraceError, match=r"holds 2 connections, .*--connection: 1: server aioquic .*; 2: client"):
            load(path, Choice(connection=wrong))
    assert [load(path, Choice(connection=c)).vantage_point for c in ("1", "2", "cli")] == ["server", "client", "client"]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize("layout", [picoquic, mvfst, quic_go_lines])
def test_a_compressed_trace_that_was_cut_can_be_used_as_far_as_it_goes(
    tmp_path: FilePath, layout: Layout, pack: Callable[[bytes], bytes]
) -> None:
    path = written(tmp_path, layout, records(LOSSY, 2.0))
    whole, packed = load(path), pack(path.read_bytes())
    path.write_bytes(packed[: len(packed) * 9 // 10])
    with pytest.raises(TruncatedTraceError, match="the compressed file ends early"):
        load(path)
    trace = load(path, Choice(allow_truncated=True))
    assert 0.5 * len(whole.sent) < len(trace.sent) < len(whole.sent)
    assert list(trace.sent.time) == list(whole.sent.time[: len(trace.sent)])


def test_a_document_that_ends_early_can_be_used_as_far_as_it_goes(tmp_path: FilePath) -> None:
    for layout in (aioquic, picoquic, mvfst):
        path = written(tmp_path, layout, records(LOSSY, 2.0))
        whole = load(path)
        content = path.read_bytes()
        path.write_bytes(content[: 2 * len(content) // 3])
        with pytest.raises(TruncatedTraceError, match="ends early"):
            load(path)
        if layout is aioquic:  # writes the vantage point at the end
            continue
        trace = load(path, Choice(allow_truncated=True))
        assert trace.vantage_point == "server"
        assert 0.5 * len(whole.sent) < len(trace.sent) < 0.8 * len(whole.sent)
        assert list(trace.sent.time) == list(whole.sent.time[: len(trace.sent)])
        assert any("truncated" in n for n in trace.notes)


def exported(folder: FilePath) -> tuple[Trace, FilePath]:
    some = records(LOSSY, 3.0)
    source, out = tracewriter.write(folder / "a.sqlog", some), folder / "qvis.sqlog"
    qvis.export(source, out)
    return load(source), out


def test_the_export_for_qvis_can_be_measured_and_not_checked_or_exported_again(tmp_path: FilePath) -> None:
    original, path = exported(tmp_path)
    ours, theirs = measure(original), measure(load(path))
    assert figures(theirs) == figures(ours)
    assert theirs.queueing_delay_ms == ours.queueing_delay_ms
    with pytest.raises(UnsuitableTraceError, match="check the original"):
        check(load(path))
    with pytest.raises(UnsuitableTraceError, match="an export for qvis already"):
        qvis.export(path, tmp_path / "again.sqlog")
