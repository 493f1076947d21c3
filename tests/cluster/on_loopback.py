"""A scheduler and workers of Dask as processes of this machine, for tests and measurements."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import distributed

from .lab import ROOT

WAIT = 60
"""s for all of them to be there."""

Process = subprocess.Popen[bytes]


def environment(build: Path | None = None) -> dict[str, str]:
    """With the packages of the tests, and cc-lab of another build folder if there is one."""
    other = {} if build is None else {"QUICHE_CC_BUILD_DIR": str(build)}
    return {**os.environ, "PYTHONPATH": str(ROOT / "tests"), **other}


def _dask(*words: str, build: Path | None = None) -> Process:
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", *words, "--host", "127.0.0.1", "--no-dashboard"]
    return subprocess.Popen(command, env=environment(build), stdout=quiet, stderr=quiet)


@contextmanager
def scheduler() -> Iterator[tuple[str, Process]]:
    """With its address. Gone in the end, as the workers are."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    process = _dask("distributed.cli.dask_scheduler", "--port", str(port))
    try:
        yield f"tcp://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


@contextmanager
def workers(address: str, folder: Path, *builds: Path | None) -> Iterator[list[Process]]:
    """One for each build folder, all of them there, each with one thread."""
    own = ("--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    processes = [_dask("distributed.cli.dask_worker", address, *own, build=build) for build in builds]
    try:
        with distributed.Client(address, timeout=WAIT, set_as_default=False) as client:
            client.wait_for_workers(len(builds), timeout=WAIT)
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()
