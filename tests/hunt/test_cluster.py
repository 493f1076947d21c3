"""Runs of the hunt on workers of Dask on loopback."""

from __future__ import annotations

import threading
from pathlib import Path as File

import pytest
from cluster import engine
from cluster.lab import Program
from cluster.on_loopback import scheduler, workers
from cluster.small import other_program, wait_for

from .lab import Crew, HuntError, Lab, Maker, Run
from .test_lab import PROGRAM, SHORT

RUNS = [Run(SHORT, cc, True, seed) for seed in (1, 2, 3, 4) for cc in ("hybrid", "cubic")]
HELD = """case "$*" in *run*) touch "$0.held"; while kill -0 $PPID; do sleep 0.1; done;; *) exec "$LAB" "$@";; esac"""
"""Makes no run until its worker is dead."""


def test_a_worker_that_is_killed_changes_no_figure(tmp_path: File) -> None:
    other, store, found = other_program(tmp_path / "other", HELD), tmp_path / "runs.jsonl", []
    with (
        scheduler() as (address, _),
        workers(address, tmp_path / "dask", other, None) as both,
        engine.cluster(address, Program(PROGRAM)) as crew,
    ):
        lab = Lab(PROGRAM, store, Crew(crew.count(), crew.executor))
        asking = threading.Thread(target=lambda: found.extend(lab.figures(RUNS)))
        asking.start()
        wait_for((other / "bin" / "cc-lab.held").exists)
        both[0].kill()
        asking.join(60.0)
    assert found == Lab(PROGRAM, tmp_path / "here.jsonl").figures(RUNS)
    assert lab.made == len(store.read_text().splitlines()) == len(RUNS)


def test_a_worker_of_another_version_makes_no_run() -> None:
    with pytest.raises(HuntError, match="is of another version"):
        Maker("of long ago")(RUNS[0].scenario(), 1, ["hybrid"])
