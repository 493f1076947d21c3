"""Traces that leave much out, as quinn's, which has no frames, or say it in another way than most."""

from __future__ import annotations

import json
from pathlib import Path as FilePath

import numpy as np
import pytest

import tracewriter
from foreign_layouts import aioquic, ngtcp2, picoquic, quiche_0_24, quinn
from qlog_analysis.cli import main
from qlog_analysis.dialect.writers import QUINN
from qlog_analysis.errors import TraceError
from qlog_analysis.explain.explanation import explain
from qlog_analysis.explain.story import tell
from qlog_analysis.load import Choice, load
from qlog_analysis.metrics import measure
from qlog_analysis.plots.panels import panels
from simulation import Path
from test_foreign import LOSSY, written
from traces import records, trace_of
from tracewriter import Json

Output = pytest.CaptureFixture[str]


def test_of_packets_without_frames_rates_are_not_measured_and_losses_and_round_trips_are(tmp_path: FilePath) -> None:
    some = records(LOSSY, 4.0)
    ours = measure(trace_of(tmp_path, some))
    theirs = load(written(tmp_path, quinn, some))
    m = measure(theirs)
    assert theirs.writer is QUINN
    assert (m.packets_lost, m.bytes_sent, m.packets_sent) == (ours.packets_lost, ours.bytes_sent, ours.packets_sent)
    assert m.losses_from == "events packet_lost"
    assert (m.goodput_bps, m.stream_bytes_sent, m.stream_bytes_acked, m.stream_bytes_received) == (None,) * 4
    assert {"goodput_bps", "stream_bytes_acked"} <= set(m.not_measured)
    assert m.rtt_from == "recovery metrics of quinn"
    assert ours.rtt_from == "ACK frames"
    assert "rtt_ms" not in m.not_measured
    assert m.rtt_ms.mean == pytest.approx(ours.rtt_ms.mean, rel=0.02)
    assert m.rtt_ms.min == pytest.approx(ours.rtt_ms.min, rel=0.05)  # theirs has the handshake's as well
    assert m.rtt_ms.max is not None
    assert m.rtt_ms.max < 300.0  # the guess of 333 ms is no measurement
    assert np.nanmax(np.array(theirs.metrics.smoothed_rtt)) < 0.3


def test_an_explanation_of_it_guesses_neither_handshake_nor_rates(tmp_path: FilePath) -> None:
    story = tell(explain(load(written(tmp_path, quinn, records(LOSSY, 4.0)))))
    kinds = {f.kind for f in story.findings}
    assert "no_frames" in kinds
    assert not kinds & {"handshake_incomplete", "no_acks"}
    assert "of streams" not in story.summary
    assert not any("bit/s acknowledged" in t.text for t in story.timeline)
    for what in ("handshake", "goodput"):
        assert f"{what}: the packets of the trace have no frames" in story.unknown


def test_an_explanation_of_too_few_round_trips_names_no_delay_at_all(tmp_path: FilePath) -> None:
    few = written(tmp_path, ngtcp2, records(LOSSY, 4.0))
    few.write_bytes(b"".join(few.read_bytes().splitlines(keepends=True)[:28]))
    story = tell(explain(load(few)))
    assert story.delay == ["unknown: too few round trips were measured"]
    assert story.timeline
    assert not any("queueing delay" in moment.text for moment in story.timeline)


def test_what_is_drawn_is_what_a_trace_tells(tmp_path: FilePath) -> None:
    some = records(LOSSY, 4.0)
    sparse = load(written(tmp_path, quinn, some))
    rate = next(p for p in panels(explain(sparse)) if p.title.startswith("Rate"))
    (sent,) = (s for s in rate.series if s.name == "sent")
    assert sum(sent.y) / len(sent.y) == pytest.approx(8e-6 * sum(sparse.sent.size) / sparse.sent.time[-1], rel=0.01)
    receiver = load(rewritten(written(tmp_path, aioquic, some), other_side))
    rate = panels(explain(receiver))[0]
    (came,) = (s for s in rate.series if s.name == "streams received")
    carried = 8e-6 * sum(receiver.received.length) / receiver.received.time[-1]
    assert sum(came.y) / len(came.y) == pytest.approx(carried, rel=0.01)


def other_side(trace: Json) -> None:
    """What was sent was received, and the other way round."""
    names = {"transport:packet_sent": "transport:packet_received", "transport:packet_received": "transport:packet_sent"}
    for e in trace["events"]:
        e["name"] = names.get(e["name"], e["name"])


def two_connections(folder: FilePath, names: tuple[str, str] = ("aa01", "bb02")) -> FilePath:
    """Of one server, one among the other, each after a Retry, with which a client's numbers go on."""
    events = []
    for duration, group in zip((2.0, 1.0), names, strict=True):
        header, *rows = (json.loads(r) for r in quinn(folder, records(LOSSY, duration), group=group).split(b"\x1e")[1:])
        first = {"header": {"packet_type": "initial", "packet_number": 1}}
        rows.insert(0, {"time": 0.0, "name": "transport:packet_received", "data": first, "group_id": group})
        events += rows
    path = folder / "two.sqlog"
    path.write_bytes(tracewriter.encode([header, *sorted(events, key=lambda e: e["time"])]))
    return path


def test_of_several_connections_in_one_file_one_is_chosen(tmp_path: FilePath, capsys: Output) -> None:
    path = two_connections(tmp_path)
    assert main(["metrics", str(path)]) == 2
    error = capsys.readouterr().err
    assert "holds 2 connections, choose one with --connection: 1: aa01 (" in error
    assert "; 2: bb02 (" in error
    alone = [measure(load(written(tmp_path, quinn, records(LOSSY, t)))) for t in (2.0, 1.0)]
    for name, expected in (("1", alone[0]), ("2", alone[1]), ("aa", alone[0]), ("bb02", alone[1])):
        m = measure(load(path, Choice(connection=name)))
        assert (m.packets_sent, m.packets_lost) == (expected.packets_sent, expected.packets_lost)
    with pytest.raises(TraceError, match="none of them is 'cc'"):
        load(path, Choice(connection="cc"))


def test_a_number_has_precedence_over_names_that_begin_with_it(tmp_path: FilePath) -> None:
    path = two_connections(tmp_path, ("2a01", "1b02"))
    first, second = (len(load(written(tmp_path, quinn, records(LOSSY, t))).sent) for t in (2.0, 1.0))
    for name, expected in (("1", first), ("2", second), ("2a", first), ("1b", second)):
        assert len(load(path, Choice(connection=name)).sent) == expected
    path = two_connections(tmp_path, ("3a01", "4401"))  # of quinn's names some begin with digits alone
    for name, expected in (("1", first), ("3", first), ("44", second), ("4401", second)):
        assert len(load(path, Choice(connection=name)).sent) == expected
    with pytest.raises(TraceError, match="none of them is '5'"):
        load(path, Choice(connection="5"))
    path = two_connections(tmp_path, ("7a01", "7b02"))
    with pytest.raises(TraceError, match="none of them is '7'"):
        load(path, Choice(connection="7"))


def test_of_a_file_with_one_connection_no_other_can_be_chosen(tmp_path: FilePath, capsys: Output) -> None:
    native = tracewriter.write(tmp_path / "native.sqlog", records(LOSSY, 1.0))
    named = written(tmp_path, quinn, records(LOSSY, 1.0))
    document = written(tmp_path, aioquic, records(LOSSY, 1.0))
    for path in (native, named, document):
        for wrong in ("7", "0", "zz"):
            assert main(["metrics", str(path), "--connection", wrong]) == 2
            told = f"{path}: the file holds 1 connection, and '{wrong}' is not it: leave --connection out, or give 1"
            assert told in capsys.readouterr().err
        assert len(load(path, Choice(connection="1")).sent) == len(load(path).sent) > 100


def test_a_connection_may_get_another_name_while_it_lasts(tmp_path: FilePath) -> None:
    path = written(tmp_path, quinn, records(LOSSY, 1.0))
    whole = measure(load(path))
    parts = path.read_bytes().split(b"\x1e")
    later = next(i for i, part in enumerate(parts) if b"packet_sent" in part and b'"1RTT"' in part)
    parts[later:] = [part.replace(b'"99c5"', b'"aa01"') for part in parts[later:]]
    path.write_bytes(b"\x1e".join(parts))
    assert b'"99c5"' in path.read_bytes()
    assert measure(load(path)) == whole


def test_an_older_quiche_is_read_like_todays(tmp_path: FilePath) -> None:
    some = records(Path(loss=0.02), 4.0)
    ours, theirs = measure(trace_of(tmp_path, some)), measure(load(written(tmp_path, quiche_0_24, some)))
    assert theirs.queueing_delay_ms.mean == pytest.approx(ours.queueing_delay_ms.mean, rel=1e-6)
    assert theirs.goodput_bps == ours.goodput_bps
    assert theirs.losses_from == "packet threshold of RFC 9002"
    assert abs((theirs.packets_lost or 0) - (ours.packets_lost or 0)) <= 3


def rewritten(path: FilePath, edit: object) -> FilePath:
    assert callable(edit)
    document = json.loads(path.read_bytes())
    edit(document["traces"][0])
    path.write_text(json.dumps(document))
    return path


def test_numbers_may_begin_anew_after_a_retry_and_only_then(tmp_path: FilePath) -> None:
    def retried(trace: Json, packet: str = "retry") -> None:
        first = next(e for e in trace["events"] if e["name"] == "transport:packet_sent")
        answer = {"header": {"packet_type": packet, "packet_number": 0}, "frames": []}
        begin = trace["events"].index(first)
        event = {"time": first["time"], "name": "transport:packet_received", "data": answer}
        trace["events"][begin:begin] = [first, event]

    path = written(tmp_path, aioquic, records(LOSSY, 1.0))
    whole = load(path)
    again = load(rewritten(path, retried))
    assert len(again.sent) == len(whole.sent) + 1
    assert measure(again).rtt_ms == measure(whole).rtt_ms
    path = written(tmp_path, aioquic, records(LOSSY, 1.0))
    with pytest.raises(TraceError, match="numbers must increase"):
        load(rewritten(path, lambda t: retried(t, "handshake")))


def test_what_ends_a_list_without_being_an_event_is_passed_over(tmp_path: FilePath) -> None:
    path = written(tmp_path, picoquic, records(LOSSY, 1.0))
    whole = measure(load(path))
    assert measure(load(rewritten(path, lambda t: t["events"].append([])))) == whole


@pytest.mark.parametrize("time", ["77270268701", 5.0, "0"])
def test_a_clock_that_does_not_count_from_1970_is_no_date(tmp_path: FilePath, time: object) -> None:
    path = written(tmp_path, picoquic, records(LOSSY, 0.5))
    assert load(rewritten(path, lambda t: t["common_fields"].update(reference_time=time))).reference is None
    later = load(rewritten(path, lambda t: t["common_fields"].update(reference_time="1795245376720000")))
    assert later.reference == pytest.approx(1795245376.72)


def test_a_record_without_its_line_feed_is_used_if_it_is_whole(tmp_path: FilePath) -> None:
    path = written(tmp_path, quinn, records(LOSSY, 1.0))
    whole = measure(load(path))
    path.write_bytes(path.read_bytes().replace(b"\n\x1e", b"\x1e"))
    assert measure(load(path)) == whole


def test_version_and_format_may_stand_in_a_line_of_their_own(tmp_path: FilePath) -> None:
    path = written(tmp_path, quinn, records(LOSSY, 1.0))
    whole = measure(load(path))
    events = path.read_bytes().split(b"\x1e", 2)[2].replace(b"\x1e", b"")
    path.write_bytes(b'{"qlog_format":"JSON-SEQ","qlog_version":"0.3"}\n' + events)
    assert measure(load(path)) == whole


def test_a_loss_may_be_told_without_a_packet_type(tmp_path: FilePath) -> None:
    def typeless(trace: Json) -> None:
        for e in trace["events"]:
            if e["name"] == "recovery:packet_lost":
                e["data"].pop("type")

    path = written(tmp_path, aioquic, records(LOSSY, 4.0))
    lost = measure(load(path)).packets_lost
    assert measure(load(rewritten(path, typeless))).packets_lost == lost
    assert lost
