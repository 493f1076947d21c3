"""Who makes the shards: Dask's workers, threads of this machine or processes of a cluster. One loop serves both."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import distributed

from .errors import ClusterError
from .lab import Program
from .shards import Shard
from .there import Made, Maker

AHEAD = 2
"""Shards per worker that are handed out at a time: those that are made, and the next."""
LOOK = 0.5
"""s between two looks at the time where nothing is done."""
PATIENCE = 30
"""s for a cluster to answer, and to have a worker."""


@dataclass(frozen=True)
class Workers:
    executor: Executor
    make: Callable[[str], Made]
    count: Callable[[], int]
    """How many shards are made at a time."""


def processors() -> int:
    """Of this machine, that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worked(workers: Workers, shards: Iterator[Shard]) -> Iterator[tuple[Shard, Made] | None]:
    """What came of each shard, as they come; None where time passes without any."""
    pending: dict[Future[Made], Shard] = {}
    exhausted = False
    while True:
        while not exhausted and len(pending) < AHEAD * max(workers.count(), 1):
            shard = next(shards, None)
            if shard is None:
                exhausted = True
            else:
                pending[workers.executor.submit(workers.make, shard.text)] = shard
        if not pending:
            return
        done, _ = wait(pending, timeout=LOOK, return_when=FIRST_COMPLETED)
        if not done:
            yield None
        for future in done:
            yield pending.pop(future), _result(future)


def _result(future: Future[Made]) -> Made:
    try:
        return future.result()
    except CancelledError as e:
        raise ClusterError("the scheduler has dropped the work: is it still running?") from e
    except ImportError as e:
        raise ClusterError(f"a worker cannot load this package: {e}") from e
    except Exception as e:  # of the cluster: one worker after the other was killed
        return Made([], [], f"{type(e).__name__}: {e}")


@contextmanager
def local(jobs: int, program: Program) -> Iterator[Workers]:
    """Threads of this process, each of which waits for a cc-lab. No port is opened."""
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=jobs, processes=False, dashboard_address=None, memory_limit=0
        ) as here,
        distributed.Client(here, set_as_default=False) as client,
    ):
        maker = Maker(program.plugins, program)
        yield Workers(client.get_executor(pure=False), maker, lambda: jobs)


@contextmanager
def cluster(address: str, program: Program) -> Iterator[Workers]:
    """The workers of a scheduler. What a worker that is killed had in hand goes to another one."""
    client = _connected(address)
    try:
        maker = Maker(program.plugins)
        _refuse_strangers(client, maker, program.versions())
        yield Workers(client.get_executor(pure=False, retries=1), maker, _Threads(client))
    finally:
        client.close(timeout=PATIENCE)


class _Threads:
    """How many there are; the scheduler is not asked for every shard."""

    AGE = 5.0
    """s"""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._asked, self._count = -self.AGE, 0

    def __call__(self) -> int:
        now = time.monotonic()
        if now - self._asked >= self.AGE:
            self._asked, self._count = now, sum(self._client.nthreads().values())
        return self._count


def _connected(address: str) -> Any:
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as e:
        raise ClusterError(f"--scheduler {address}: no Dask scheduler answers there ({e})") from e
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as e:
        client.close()
        raise ClusterError(
            f"--scheduler {address}: it has no worker; start some with "
            f"`PYTHONPATH=tests build/venv/bin/dask worker {address}` in a checkout that is built"
        ) from e
    return client


def _refuse_strangers(client: Any, maker: Maker, versions: str) -> None:
    """Their results would be others. A worker that comes later refuses the shards itself (`cc-lab shard`)."""
    said = client.run(maker.versions, on_error="return")
    wrong = [f"{worker}: {answer}" for worker, answer in said.items() if answer != versions]
    if wrong:
        raise ClusterError(
            f"workers need cc-lab of this version, built from the same sources by the same compiler: {versions}; "
            f"{len(wrong)} of {len(said)} have not: {wrong[0]}"
        )
