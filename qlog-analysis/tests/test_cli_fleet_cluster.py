"""The same on a Dask cluster of two workers on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path as FilePath

import pytest

import fleets
from qlog_analysis.cli import main

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

ON_LOOPBACK = ("--host", "127.0.0.1", "--no-dashboard")


def started(*arguments: str, source: str | None = None) -> subprocess.Popen[bytes]:
    found = str(FilePath(__file__).parents[1] / "src") if source is None else source
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        env={**os.environ, "PYTHONPATH": found},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def worker(address: str, folder: FilePath, source: str | None = None) -> subprocess.Popen[bytes]:
    own = ("--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    return started("distributed.cli.dask_worker", address, *own, *ON_LOOPBACK, source=source)


@pytest.fixture
def address() -> Iterator[str]:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    scheduler = started("distributed.cli.dask_scheduler", "--port", str(port), *ON_LOOPBACK)
    try:
        yield f"tcp://127.0.0.1:{port}"
    finally:
        scheduler.kill()
        scheduler.wait()


def test_a_worker_of_the_cluster_that_is_killed_loses_nothing(address: str, tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    fleets.long_ones(traces, 12)
    (traces / "broken.sqlog").write_bytes(b"hello")
    workers = [worker(address, tmp_path / f"worker-{i}") for i in range(2)]
    try:
        run = fleets.started("fleet", traces, "--store", store, "--scheduler", address)
        fleets.wait_for(lambda: len(list(store.glob("*.parquet"))) >= 3)
        workers[0].kill()
        _, said = run.communicate(timeout=120)
    finally:
        for w in workers:
            w.kill()
            w.wait()
    assert run.returncode == 4, said
    assert fleets.names(store, "error IS NULL") == [f"{i:03}.sqlog" for i in range(12)]
    assert fleets.names(store, "error IS NOT NULL") == ["broken.sqlog"]


def test_workers_without_this_package_are_refused(
    address: str, tmp_path: FilePath, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = fleets.small(tmp_path, "a.sqlog")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "qlog_analysis.py").write_text("raise ImportError('no qlog_analysis')")  # also where it is installed
    stranger = worker(address, tmp_path / "worker", source=str(elsewhere))
    try:
        assert main(["fleet", str(trace), "--store", str(tmp_path / "store"), "--scheduler", address]) == 2
    finally:
        stranger.kill()
        stranger.wait()
    assert "workers need qlog-analysis" in capsys.readouterr().err
