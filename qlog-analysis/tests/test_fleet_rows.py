"""A row says of a trace what the other commands say of it; what cannot be used has a row that says why."""

from __future__ import annotations

import json
from pathlib import Path as FilePath

import pytest

import fleets
import tampering
import tracewriter
from made import made
from qlog_analysis.check.whole import check
from qlog_analysis.explain.explanation import explain
from qlog_analysis.explain.limits import Limit
from qlog_analysis.fleet.analyse import ErrorKind
from qlog_analysis.fleet.row import LIMITED_BY, Row, columns
from qlog_analysis.load import load
from qlog_analysis.metrics import measure
from test_foreign_sparse import two_connections
from test_several import BROKEN
from traces import DEFAULT, FAST, records


def row_of(path: FilePath) -> Row:
    (one,) = fleets.found(path)
    (row,) = fleets.rows_of(one)
    return row


@pytest.mark.parametrize("kind", ["good", "falsified", "cubic"])
def test_a_row_has_what_metrics_check_and_explain_say(kind: str, request: pytest.FixtureRequest) -> None:
    path = FilePath(request.getfixturevalue(kind))
    row, trace = row_of(path), load(path)
    m, checked, told = measure(trace), check(trace), explain(trace)
    assert (row.trace, row.size_bytes, row.modified) == (str(path), path.stat().st_size, str(path.stat().st_mtime_ns))
    assert row.error is None
    assert (row.goodput_bps, row.packets_lost, row.loss_percent) == (m.goodput_bps, m.packets_lost, m.loss_percent)
    assert (row.rtt_min_ms, row.rtt_p50_ms, row.rtt_p95_ms) == (m.rtt_ms.min, m.rtt_ms.p50, m.rtt_ms.p95)
    delay = m.queueing_delay_ms
    assert (row.queueing_delay_mean_ms, row.queueing_delay_p95_ms) == (delay.mean, delay.p95)
    assert row.verdict == ("NO LAW" if checked.outcome is None else checked.outcome.value)
    assert row.disagreements == sorted(set(checked.disagreements))
    assert {limit: getattr(row, name) or 0.0 for limit, name in LIMITED_BY.items()} == {
        limit: told.limited.get(limit, 0.0) for limit in Limit
    }
    assert f"{row.controller}:{row.options}" == m.controller
    assert {"good": "PASS", "falsified": "FAIL", "cubic": "NO LAW"}[kind] == row.verdict


def test_the_readme_names_every_column() -> None:
    readme = (FilePath(__file__).parents[1] / "README.md").read_text()
    begin = readme.index("**Columns.**")
    table = readme[begin : readme.index("\n## ", begin)]
    missing = [name for name in columns() if f"`{name}`" not in table and not name.startswith("limited_by_")]
    assert not missing


def test_the_source_of_delays_and_the_peer_are_told(tmp_path: FilePath) -> None:
    some = records(FAST, 2.0, DEFAULT)
    tampering_all_sources(some, "receive_timestamps")
    row = row_of(tracewriter.write(tmp_path / "a.sqlog", some))
    assert (row.rowd_source, row.peer) == ("receive_timestamps", None)
    row = row_of(fleets.small(tmp_path, "b.sqlog"))
    assert row.rowd_source == "ack"
    assert row.peer is not None
    assert row.peer.startswith("max_ack_delay=25ms ack_delay_exponent=3 initial_max_data=")


def test_the_rule_of_a_server_says_which_controller_it_was(tmp_path: FilePath) -> None:
    some = made(duration=0.4)
    for place, data in enumerate(({"spec": "reno"}, {"spec": "bbr2", "rule": "canary", "server_name": "a.example"})):
        some.insert(3 + place, {"time": 1.0, "name": "cc:controller_chosen", "data": data})
    row = row_of(tracewriter.write(tmp_path / "a.sqlog", some))
    assert (row.controller, row.options, row.rule, row.server_name) == ("bbr2", "default", "canary", "a.example")
    row = row_of(fleets.small(tmp_path, "b.sqlog"))
    assert (row.controller, row.rule, row.server_name) == ("cubic", None, None)


def tampering_all_sources(some: list[tracewriter.Json], source: str) -> None:
    for event in some:
        if event.get("name") == "cc:hybrid_epoch_updated":
            event["data"]["source"] = source


USED_SO_FAR = ("JSON syntax", "truncated", "cut gzip", "wrong field")


@pytest.mark.parametrize("kind", [k for k in BROKEN if k not in USED_SO_FAR])
def test_a_broken_trace_is_a_row_with_its_error(kind: str, good: str) -> None:
    path = FilePath(good)
    damage, expected = BROKEN[kind]
    path.write_bytes(damage(path.read_bytes()))
    row = row_of(path)
    assert row.error is not None
    assert expected in row.error
    assert row.error_kind == ErrorKind.UNREADABLE.value
    assert (row.verdict, row.goodput_bps) == (None, None)


def test_what_can_be_read_of_a_damaged_trace_counts_but_is_not_judged(good: str) -> None:
    path = FilePath(good)
    path.write_bytes(path.read_bytes()[:-9])
    row = row_of(path)
    assert row.error is None
    assert row.goodput_bps is not None
    assert (row.verdict, row.records_not_used) == ("NOT JUDGED", 1)
    assert "a part of the trace is missing" in str(row.verdict_why)


def test_a_file_with_several_connections_has_a_row_for_each(tmp_path: FilePath) -> None:
    first, second = (
        [json.loads(r) for r in tracewriter.encode(made(duration=d)).split(b"\x1e") if r] for d in (0.3, 0.6)
    )
    traces = [{**some[0]["trace"], "events": some[1:]} for some in (first, second)]
    path = tmp_path / "two.qlog"
    path.write_text(json.dumps({**{k: v for k, v in first[0].items() if k != "trace"}, "traces": traces}))
    rows = fleets.rows_of(fleets.found(path)[0])
    assert [r.connection for r in rows] == [1, 2]
    assert [r.duration_s for r in rows] == pytest.approx([0.3, 0.6], abs=0.01)


def test_connections_whose_names_begin_with_numbers_have_a_row_each(tmp_path: FilePath) -> None:
    rows = fleets.rows_of(fleets.found(two_connections(tmp_path, ("2a01", "1b02")))[0])
    assert [(r.connection, r.error) for r in rows] == [(1, None), (2, None)]
    assert [r.duration_s for r in rows] == pytest.approx([2.0, 1.0], abs=0.01)


def test_texts_of_a_trace_are_cut_and_have_no_control_characters(tmp_path: FilePath) -> None:
    some = made(duration=0.3)
    some[0]["title"] = some[0]["trace"]["title"] = "\x00\x1b[2J" + 10_000 * "x"
    row = row_of(tracewriter.write(tmp_path / "a.sqlog", some))
    assert row.title is not None
    assert row.title.startswith("??[2Jxx")
    assert len(row.title) == 500


def test_a_verdict_of_a_falsified_trace_names_what_disagrees(tmp_path: FilePath) -> None:
    some = records(FAST, 4.0)
    tampering.shifted("delta", 1.0)(some)
    row = row_of(tracewriter.write(tmp_path / "a.sqlog", some))
    assert row.verdict == row.law == "FAIL"
    assert "delta" in (row.disagreements or [])
