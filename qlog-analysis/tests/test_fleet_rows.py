"""A row says of a trace what the other commands say of it; what cannot be used has a row that says why."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path as FilePath
from typing import Any

import fsspec
import pytest
import zstandard

import fleet_worker_that_fails
import fleets
import tampering
import tracewriter
from made import made
from qlog_analysis.check.whole import check
from qlog_analysis.cli import main
from qlog_analysis.errors import AnalysisError
from qlog_analysis.explain.explanation import explain
from qlog_analysis.explain.limits import Limit
from qlog_analysis.fleet import find, isolated
from qlog_analysis.fleet.analyse import ErrorKind, rows_of
from qlog_analysis.fleet.isolated import Isolated, Limits
from qlog_analysis.fleet.row import LIMITED_BY, Found, Row, columns
from qlog_analysis.load import load
from qlog_analysis.metrics import measure
from test_foreign_sparse import two_connections
from test_several import BROKEN
from traces import DEFAULT, FAST, records


def found(where: FilePath | str) -> list[Found]:
    problems: list[str] = []
    out = sorted(find.traces(str(where), problems.append), key=lambda f: f.trace)
    assert not problems
    return out


def row_of(path: FilePath) -> Row:
    (one,) = found(path)
    (row,) = rows_of(one)
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
    rows = rows_of(found(path)[0])
    assert [r.connection for r in rows] == [1, 2]
    assert [r.duration_s for r in rows] == pytest.approx([0.3, 0.6], abs=0.01)


def test_connections_whose_names_begin_with_numbers_have_a_row_each(tmp_path: FilePath) -> None:
    rows = rows_of(found(two_connections(tmp_path, ("2a01", "1b02")))[0])
    assert [(r.connection, r.error) for r in rows] == [(1, None), (2, None)]
    assert [r.duration_s for r in rows] == pytest.approx([2.0, 1.0], abs=0.01)


def test_texts_of_a_trace_are_cut_and_have_no_control_characters(tmp_path: FilePath) -> None:
    some = made(duration=0.3)
    some[0]["title"] = some[0]["trace"]["title"] = "\x00\x1b[2J" + 10_000 * "x"
    row = row_of(tracewriter.write(tmp_path / "a.sqlog", some))
    assert row.title is not None
    assert row.title.startswith("??[2Jxx")
    assert len(row.title) == 500


def test_traces_are_found_by_their_endings_once_and_below_folders(tmp_path: FilePath) -> None:
    content = fleets.small(tmp_path / "a" / "b", "one.sqlog").read_bytes()
    (tmp_path / "two.qlog.gz").write_bytes(gzip.compress(content))
    (tmp_path / "three.sqlog.zst").write_bytes(zstandard.compress(content))
    (tmp_path / "notes.txt").write_text("no trace")
    (tmp_path / "folder.sqlog").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "link.sqlog").symlink_to(tmp_path / "a" / "b" / "one.sqlog")
    os.mkfifo(tmp_path / "pipe.sqlog")
    wanted = {"one.sqlog", "two.qlog.gz", "three.sqlog.zst"}
    assert {FilePath(f.trace).name for f in found(tmp_path)} == wanted
    assert fleets.gathered(tmp_path / "store", tmp_path).worked == 3
    assert {*fleets.names(tmp_path / "store", "error IS NULL")} == wanted


def test_a_name_that_is_no_text_is_named(tmp_path: FilePath) -> None:
    content = fleets.small(tmp_path, "a.sqlog").read_bytes()
    (tmp_path / "t").mkdir()
    FilePath(os.fsdecode(bytes(tmp_path / "t") + b"/\xff.sqlog")).write_bytes(content)
    fleets.gathered(tmp_path / "store", tmp_path / "t")
    ((trace, error),) = fleets.rows(tmp_path / "store", "trace, error")
    assert trace.endswith("\\xff.sqlog")
    assert "not UTF-8" in error


def test_a_folder_without_traces_and_one_that_is_not_there_are_named(tmp_path: FilePath) -> None:
    with pytest.raises(AnalysisError, match=r"no trace in .*names of traces end in \.sqlog"):
        fleets.gathered(tmp_path / "store", tmp_path)
    with pytest.raises(AnalysisError, match="there is no such folder"):
        fleets.gathered(tmp_path / "store", tmp_path / "gone")


def test_a_folder_that_cannot_be_searched_is_named_and_the_others_are(
    tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleets.small(tmp_path / "t", "a.sqlog")
    fleets.small(tmp_path / "t" / "closed", "b.sqlog")
    search = os.scandir

    def refuses(folder: Any) -> Any:
        if str(folder).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return search(folder)

    monkeypatch.setattr(os, "scandir", refuses)
    problems: list[str] = []
    assert [FilePath(f.trace).name for f in find.traces(str(tmp_path / "t"), problems.append)] == ["a.sqlog"]
    assert problems == [f"cannot search {tmp_path}/t/closed: Permission denied"]
    assert main(["fleet", str(tmp_path / "t"), "--store", str(tmp_path / "store")]) == 4


def test_traces_of_an_object_store_are_read(tmp_path: FilePath) -> None:
    content = fleets.small(tmp_path, "a.sqlog").read_bytes()
    memory = fsspec.filesystem("memory")
    for name in ("day/1/a.sqlog", "day/2/b.sqlog.gz", "daylight/c.sqlog", "night/d.sqlog", "day/x.txt"):
        memory.pipe(f"/bucket/{name}", gzip.compress(content) if name.endswith("gz") else content)
    assert [f.trace for f in found("memory://bucket/day")] == [
        "memory:///bucket/day/1/a.sqlog",
        "memory:///bucket/day/2/b.sqlog.gz",
    ]
    assert len(found("memory://bucket/da")) == 3  # how a name begins
    one, two = (rows_of(f)[0] for f in found("memory://bucket/day"))
    assert one.error is two.error is None
    assert one.goodput_bps == two.goodput_bps == row_of(tmp_path / "a.sqlog").goodput_bps
    memory.rm("/bucket/day/1/a.sqlog")
    (gone,) = rows_of(Found("memory:///bucket/day/1/a.sqlog", 1, ""))
    assert "cannot read: FileNotFoundError" in str(gone.error)


def test_an_address_that_nothing_reads_is_named() -> None:
    with pytest.raises(AnalysisError, match="cannot search nowhere://x"):
        found("nowhere://x")


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated, "PROGRAM", fleet_worker_that_fails.__name__)
    monkeypatch.setenv("PYTHONPATH", str(FilePath(__file__).parent))


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("dies.sqlog", ErrorKind.DIED, "its worker died 2 times: Segmentation fault"),
        ("leaves.sqlog", ErrorKind.DIED, "exit code 7, these are my last words"),
        ("lasts.sqlog", ErrorKind.TIME, "it takes longer than the 3 s that --time-limit allows"),
        ("grows.sqlog", ErrorKind.MEMORY, "--memory-limit"),
        ("raises.sqlog", ErrorKind.FAILED, "ZeroDivisionError"),
    ],
)
def test_a_hostile_trace_is_named_and_the_next_is_worked(
    name: str, kind: ErrorKind, expected: str, tmp_path: FilePath
) -> None:
    good = fleets.small(tmp_path, "good.sqlog")
    worker = Isolated(Limits(3.0, 1 << 30))
    try:
        (bad,) = worker.rows(Found(str(tmp_path / name), 1, ""))
        assert bad.error_kind == kind.value
        assert expected in str(bad.error)
        assert worker.rows(found(good)[0])[0].error is None
    finally:
        worker.close()


@pytest.mark.usefixtures("failing")
def test_a_worker_that_dies_once_costs_nothing(tmp_path: FilePath) -> None:
    path = fleets.small(tmp_path, "once.sqlog")
    worker = Isolated(fleets.LIMITS)
    try:
        assert worker.rows(found(path)[0])[0].error is None
        assert (tmp_path / "died").exists()
    finally:
        worker.close()


def test_a_verdict_of_a_falsified_trace_names_what_disagrees(tmp_path: FilePath) -> None:
    some = records(FAST, 4.0)
    tampering.shifted("delta", 1.0)(some)
    row = row_of(tracewriter.write(tmp_path / "a.sqlog", some))
    assert row.verdict == row.law == "FAIL"
    assert "delta" in (row.disagreements or [])
