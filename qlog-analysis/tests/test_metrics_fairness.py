"""How equally flows share a link, of traces given together."""

from __future__ import annotations

import json
from pathlib import Path as FilePath

import pytest

import tracewriter
from qlog_analysis.cli import main
from qlog_analysis.metrics import Fairness, fairness, flow_of
from qlog_analysis.model import Trace
from small import PAYLOAD, Small


def flow(folder: FilePath, began: str, packets: int, gap: float, title: str = "a") -> Small:
    """A packet every `gap` ms, each acknowledged 10 ms later."""
    s = Small(began=f"2026-11-21T07:16:{began}Z", title=title)
    events = sorted([(i * gap, 0, i) for i in range(packets)] + [(i * gap + 10.0, 1, i) for i in range(packets)])
    for time, is_ack, i in events:
        if is_ack:
            s.ack(time, [0, i])
        else:
            s.send(time)
    tracewriter.write(folder / f"{title}.sqlog", s.records)
    return s


def shares(*traces: Trace) -> list[Fairness]:
    found = fairness([flow_of(t) for t in traces])
    assert not isinstance(found, str), found
    return found


def test_shares_are_those_of_the_time_in_which_all_were_active(tmp_path: FilePath) -> None:
    one = flow(tmp_path, "00", 1000, 1.0).trace(tmp_path)
    other = flow(tmp_path, "00.5", 100, 3.0).trace(tmp_path)
    a, b = shares(one, other)
    # The other is active for 297 ms, from the first to the last ACK: 99 of its packets and 297 of the first.
    assert [a.flows, a.begin_unix_s % 1.0, a.duration_s] == pytest.approx([2, 0.51, 0.297], abs=1e-6)
    assert [a.share, b.share] == pytest.approx([0.75, 0.25], abs=0.002)
    assert b.goodput_bps == pytest.approx(8 * 99 * PAYLOAD / 0.297)
    assert a.jains_index == b.jains_index == pytest.approx(4**2 / (2 * (3**2 + 1)), abs=0.005)


def test_equal_flows_have_an_index_of_1_and_the_order_does_not_matter(tmp_path: FilePath) -> None:
    one, other = (flow(tmp_path, f"00.{i}", 500, 1.0).trace(tmp_path) for i in range(2))
    assert shares(one, other)[0].jains_index == pytest.approx(1.0, abs=1e-4)
    third = flow(tmp_path, "00.1", 400, 1.5).trace(tmp_path)
    forward, backward = shares(one, other, third), shares(third, other, one)
    assert [f.share for f in forward] == pytest.approx([f.share for f in reversed(backward)])
    assert sum(f.share for f in forward) == pytest.approx(1.0)


def test_bytes_sent_again_count_once(tmp_path: FilePath) -> None:
    s = flow(tmp_path, "00", 200, 1.0)
    again = flow(tmp_path, "00", 200, 1.0)
    for r in again.records[1:]:
        if r["name"] == "quic:packet_sent" and r["data"]["header"]["packet_number"] % 2:
            r["data"]["frames"][0]["offset"] -= PAYLOAD
    a, b = shares(s.trace(tmp_path), again.trace(tmp_path))
    assert b.share / a.share == pytest.approx(0.5, abs=0.01)


def test_why_fairness_is_not_known_is_said(tmp_path: FilePath) -> None:
    early, later = flow(tmp_path, "00", 100, 1.0).trace(tmp_path), flow(tmp_path, "30", 100, 1.0).trace(tmp_path)
    few, unknown = flow(tmp_path, "00", 5, 1.0).trace(tmp_path), flow(tmp_path, "00", 100, 1.0).trace(tmp_path)
    unknown.reference = None
    for traces, expected in (
        ((early,), "several traces"),
        ((early, later), "not all active"),
        ((early, few), "fewer than 10"),
        ((early, unknown), "when it began"),
    ):
        found = fairness([flow_of(t) for t in traces])
        assert isinstance(found, str)
        assert expected in found


def test_the_command_says_it_of_traces_that_are_given_together(
    tmp_path: FilePath, capsys: pytest.CaptureFixture[str]
) -> None:
    for title, gap in (("a", 1.0), ("b", 2.0)):
        flow(tmp_path, "00", 300, gap, title)
    paths = [str(tmp_path / "a.sqlog"), str(tmp_path / "b.sqlog")]
    out = tmp_path / "metrics.json"
    assert main(["metrics", paths[0], str(tmp_path / "gone.sqlog"), paths[1], "--json", str(out)]) == 4
    text = capsys.readouterr().out
    assert "Jain's index 0.9" in text
    assert "this assumes" in text
    a, gone, b = json.loads(out.read_text())
    assert "error" in gone
    assert (a["fairness"]["share"], b["fairness"]["share"]) == pytest.approx((2 / 3, 1 / 3), abs=0.01)
    assert "fairness" not in a["not_measured"]
    assert main(["metrics", paths[0], "--json", "-"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert alone["fairness"] is None
    assert "several traces" in alone["not_measured"]["fairness"]
