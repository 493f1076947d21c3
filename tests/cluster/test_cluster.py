"""On a scheduler and two workers on loopback, as processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import distributed
import pytest

from .__main__ import main
from .on_loopback import scheduler, workers
from .small import alone, laid, other_program, same, started, wait_for

LINK = ("compare", "suite.toml", "--out", "out")
HELD = """case "$*" in *shard*) "$LAB" "$@" > "$0.made"; head -n 1 "$0.made"; mv "$0.made" "$0.held"
while kill -0 $PPID; do sleep 0.1; done;; *) exec "$LAB" "$@";; esac"""
"""Makes a shard, and says the first result of it and then nothing more until its worker is dead."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with scheduler() as (found, _):
        yield found


def test_a_scheduler_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("qlog_analysis.workers.PATIENCE", 0.5)
    monkeypatch.chdir(laid(tmp_path / "here"))
    assert main(["--scheduler", "tcp://127.0.0.1:1", *LINK]) == 2
    assert "--scheduler tcp://127.0.0.1:1: no Dask scheduler answers there" in capsys.readouterr().err


def test_a_scheduler_without_workers_says_how_to_start_one(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with distributed.Client(address, timeout=60, set_as_default=False):
        monkeypatch.setattr("qlog_analysis.workers.PATIENCE", 0.5)
        monkeypatch.chdir(laid(tmp_path / "here"))
        assert main(["--scheduler", address, *LINK]) == 2
    assert f"bin/dask worker {address}`" in capsys.readouterr().err


def test_a_worker_that_is_killed_half_way_loses_nothing_and_nothing_counts_twice(address: str, tmp_path: Path) -> None:
    here, plain = laid(tmp_path / "here"), laid(tmp_path / "plain")
    other = other_program(tmp_path / "other", HELD)
    store = here / "out" / "runs.jsonl"
    with workers(address, tmp_path / "dask", other, None) as both:
        run = started(here, "--scheduler", address, "--", *LINK, parts=1)
        held = other / "bin" / "cc-lab.held"
        wait_for(lambda: held.exists() and store.read_text() != "")
        assert run.poll() is None
        both[0].kill()
        output, said = run.communicate(timeout=120)
    wanted = alone(plain, *LINK)
    assert wanted.returncode == 0, wanted.stderr
    assert (run.returncode, output) == (0, wanted.stdout), said
    assert "cluster: 8 of 8 runs" in said
    assert "8 of 8 runs are taken" in said
    # What the dead worker had made is made again, and stands there once.
    assert len(held.read_text().splitlines()) > 1
    same(here / "out", plain / "out")


def test_workers_of_another_version_are_refused_before_any_run(address: str, tmp_path: Path) -> None:
    folder = laid(tmp_path / "here")
    older = """case "$*" in *versions*) echo '{"model":"0","controllers":"0"}';; *) exec "$LAB" "$@";; esac"""
    without = tmp_path / "empty"
    for build, why in ((other_program(tmp_path / "other", older), '"model":"0"'), (without, "does not exist")):
        with workers(address, tmp_path / "dask", build, None):
            run = started(folder, "--scheduler", address, *LINK)
            _, said = run.communicate(timeout=120)
        assert run.returncode == 2
        assert "workers need cc-lab of this version" in said
        assert "1 of 2 have not: tcp://127.0.0.1:" in said
        assert why in said
        assert (folder / "out" / "runs.jsonl").read_text() == ""
