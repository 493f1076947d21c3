"""What a trace does to the worker that reads it costs that trace alone, and no more of it than it must."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path as FilePath

import pytest

import fleet_worker_that_fails
import fleets
import tracewriter
from made import made
from qlog_analysis.fleet import isolated
from qlog_analysis.fleet.analyse import ErrorKind
from qlog_analysis.fleet.isolated import Isolated, Limits
from qlog_analysis.fleet.row import Found


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
    worker = Isolated(Limits(3.0 if kind is ErrorKind.TIME else 30.0, 1 << 30))
    try:
        (bad,) = worker.rows(Found(str(tmp_path / name), 1, ""))
        assert bad.error_kind == kind.value
        assert expected in str(bad.error)
        assert worker.rows(fleets.found(good)[0])[0].error is None
    finally:
        worker.close()


@pytest.mark.usefixtures("failing")
def test_a_worker_that_dies_once_costs_nothing(tmp_path: FilePath) -> None:
    path = fleets.small(tmp_path, "once.sqlog")
    worker = Isolated(fleets.LIMITS)
    try:
        assert worker.rows(fleets.found(path)[0])[0].error is None
        assert (tmp_path / "died").exists()
    finally:
        worker.close()


@pytest.mark.usefixtures("failing")
@pytest.mark.parametrize("kind", [ErrorKind.TIME, ErrorKind.DIED])
def test_of_a_file_with_many_connections_those_that_are_done_are_kept(kind: ErrorKind, tmp_path: FilePath) -> None:
    name = "lasts after two.sqlog" if kind is ErrorKind.TIME else "dies after two.sqlog"
    path = many_connections(tmp_path / name, 4)
    worker = Isolated(Limits(5.0, 1 << 30))
    try:
        rows = worker.rows(fleets.found(path)[0])
        good = worker.rows(fleets.found(fleets.small(tmp_path, "good.sqlog"))[0])
    finally:
        worker.close()
    assert [(row.connection, row.error_kind) for row in rows] == [
        (1, None),
        (2, None),
        (3, kind.value),
        (4, kind.value),
    ]
    assert [row.error for row in good] == [None]


def many_connections(path: FilePath, count: int) -> FilePath:
    some = [json.loads(r) for r in tracewriter.encode(made(duration=0.3)).split(b"\x1e") if r]
    traces = [{**some[0]["trace"], "events": some[1:]} for _ in range(count)]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**{k: v for k, v in some[0].items() if k != "trace"}, "traces": traces}))
    return path


@pytest.mark.usefixtures("failing")
def test_a_worker_whose_run_was_killed_does_not_outlast_the_time_limit(tmp_path: FilePath) -> None:
    code = (
        "import sys, test_fleet_workers as tests; from qlog_analysis.fleet.isolated import Isolated, Limits; "
        f"Isolated(Limits(1.5, 1 << 30)).rows(tests.Found({str(tmp_path / 'lasts.sqlog')!r}, 1, ''))"
    )
    source = os.pathsep.join([str(FilePath(isolated.__file__).parents[2]), str(FilePath(__file__).parent)])
    patch = f"from qlog_analysis.fleet import isolated; isolated.PROGRAM = {fleet_worker_that_fails.__name__!r}; "
    run = subprocess.Popen([sys.executable, "-c", patch + code], env={**os.environ, "PYTHONPATH": source})
    try:
        fleets.wait_for(lambda: bool(fleets.children(run.pid)))
        (worker,) = fleets.children(run.pid)
        time.sleep(1.0)
    finally:
        run.kill()
        run.wait()
    fleets.wait_for(lambda: not is_running(worker), 10.0)


def is_running(process: int) -> bool:
    try:
        return FilePath(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_trace_that_became_a_pipe_is_no_trace(tmp_path: FilePath) -> None:
    path = fleets.small(tmp_path, "a.sqlog")
    (found,) = fleets.found(path)
    path.unlink()
    os.mkfifo(path)
    worker = Isolated(Limits(20.0, 1 << 30))
    try:
        (row,) = worker.rows(found)
    finally:
        worker.close()
    assert row.error_kind == ErrorKind.UNREADABLE.value
    assert "a pipe or a device" in str(row.error)
