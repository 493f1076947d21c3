"""Traces of other writers, exported for qvis: what its loader and views ask for, and the figures of the original."""

from __future__ import annotations

import json
from pathlib import Path as FilePath

import pytest

from foreign_layouts import LAYOUTS, picoquic, quiche_0_24, quinn
from qlog_analysis import qvis
from qlog_analysis.errors import UnsuitableTraceError
from qlog_analysis.load import Choice, load
from qlog_analysis.metrics import TraceMetrics, measure
from test_foreign import LOSSY, Layout, figures, held_back, written
from test_foreign_sparse import two_connections
from traces import named, records
from tracewriter import Json

ALL = {**LAYOUTS, "quinn": quinn, "quiche_0_24": quiche_0_24}
EVERY_LAYOUT = pytest.mark.parametrize("layout", ALL.values(), ids=ALL)


def exported(folder: FilePath, source: FilePath, choice: Choice | None = None) -> tuple[list[Json], TraceMetrics]:
    out = folder / "export.sqlog"
    written = qvis.export(source, out, choice or Choice()).events
    result = [json.loads(part) for part in out.read_bytes().split(b"\x1e")[1:]]
    assert len(result) == written + 1
    return result, measure(load(out))


@EVERY_LAYOUT
def test_an_export_says_what_the_original_says(tmp_path: FilePath, layout: Layout) -> None:
    source = written(tmp_path, layout, records(LOSSY, 3.0))
    original, (_, copy) = measure(load(source)), exported(tmp_path, source)
    assert figures(copy) == pytest.approx(figures(original), rel=1e-9)
    for name in ("rtt_ms", "queueing_delay_ms"):
        one, other = getattr(original, name), getattr(copy, name)
        assert (other.samples, other.mean, other.max) == pytest.approx((one.samples, one.mean, one.max), abs=1e-6)
    assert original.packets_lost


@EVERY_LAYOUT
def test_delays_of_acks_are_kept(tmp_path: FilePath, layout: Layout) -> None:
    source = written(tmp_path, layout, held_back())
    exported(tmp_path, source)
    traces = (load(source), load(tmp_path / "export.sqlog"))
    one, other = ([f.ack_delay for f in t.feedback if len(f.acked)] for t in traces)
    assert other == pytest.approx(one, abs=1e-9)
    assert max(one, default=2.4e-3) == pytest.approx(2.4e-3)  # quinn has no ACKs


@EVERY_LAYOUT
def test_it_has_what_the_loader_and_the_views_of_qvis_ask_for(tmp_path: FilePath, layout: Layout) -> None:
    (header, *rows), _ = exported(tmp_path, written(tmp_path, layout, records(LOSSY, 2.0)))
    assert (header["qlog_version"], header["qlog_format"]) == ("0.3", "JSON-SEQ")
    assert isinstance(header["trace"]["common_fields"]["reference_time"], float)
    times = [e["time"] for e in rows]
    assert times == sorted(times)
    assert not any("packet_type" in e["data"] or "group_id" in e for e in rows)
    packets = [*named(rows, "transport:packet_sent"), *named(rows, "transport:packet_received")]
    assert len(packets) > 500
    for p in packets:
        assert {"packet_type", "packet_number"} <= set(p["data"]["header"])
        assert not {"packet_size", "payload_length"} & set(p["data"]["header"])
        assert p["data"].get("frames") != []
    for p in named(rows, "transport:packet_sent"):
        assert p["data"]["raw"]["length"] > 0
    frames = [f for p in packets for f in p["data"].get("frames", ())]
    assert all(f["length"] > 0 and isinstance(f["stream_id"], int) for f in frames if f["frame_type"] == "stream")
    metrics = [m["data"] for m in named(rows, "recovery:metrics_updated")]
    rtts = [m["latest_rtt"] for m in metrics if "latest_rtt" in m]
    assert 20.0 < min(rtts) < max(rtts) < 300.0  # ms
    assert any("congestion_window" in m for m in metrics)
    assert len(named(rows, "recovery:packet_lost")) > 0


def test_one_of_several_connections_is_exported(tmp_path: FilePath) -> None:
    source = two_connections(tmp_path, ("aa01", "4402"))
    with pytest.raises(UnsuitableTraceError, match="--connection"):
        exported(tmp_path, source)
    for name in ("2", "44"):
        _, copy = exported(tmp_path, source, Choice(connection=name))
        assert copy.packets_sent == measure(load(source, Choice(connection="2"))).packets_sent


def test_a_damaged_record_is_left_out(tmp_path: FilePath) -> None:
    source = written(tmp_path, picoquic, records(LOSSY, 2.0))
    document = json.loads(source.read_bytes())
    document["traces"][0]["events"][40] = [1]
    document["traces"][0]["events"][50][0] = "soon"
    source.write_text(json.dumps(document))
    choice = Choice(allow_truncated=True, skip_broken=True)
    _, copy = exported(tmp_path, source, choice)
    assert figures(copy) == pytest.approx(figures(measure(load(source, choice))), rel=1e-9)
