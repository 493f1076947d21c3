"""Who works the traces: processes of this machine, or a Dask cluster. Both are executors: one loop serves both."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from .. import __version__
from ..errors import AnalysisError
from .analyse import ErrorKind, failed
from .isolated import Isolated, Limits
from .needs import library
from .row import Found, Row

AHEAD = 2
"""Traces per worker that are handed out at a time: those that are worked, and the next."""
LOOK = 0.5
"""s between two looks at the time where nothing is done."""
PATIENCE = 30
"""s for a cluster to answer, and to have a worker."""


@dataclass(frozen=True, slots=True)
class Workers:
    executor: Executor
    work: Callable[[Found], list[Row]]
    count: Callable[[], int]
    """How many traces are worked at a time."""


def processors() -> int:
    """Of this machine, that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worked(workers: Workers, todo: Iterator[Found]) -> Iterator[list[Row] | None]:
    """The rows of each trace, as they come; None where time passes without any."""
    pending: dict[Future[list[Row]], Found] = {}
    exhausted = False
    while True:
        while not exhausted and len(pending) < AHEAD * max(workers.count(), 1):
            found = next(todo, None)
            if found is None:
                exhausted = True
            else:
                pending[workers.executor.submit(workers.work, found)] = found
        if not pending:
            return
        done, _ = wait(pending, timeout=LOOK, return_when=FIRST_COMPLETED)
        if not done:
            yield None
        for future in done:
            yield _result(future, pending.pop(future))


def _result(future: Future[list[Row]], found: Found) -> list[Row]:
    try:
        return future.result()
    except CancelledError as e:
        raise AnalysisError("the scheduler has dropped the work: is it still running?") from e
    except ImportError as e:
        raise AnalysisError(f"a worker of the cluster cannot load qlog-analysis: {e}") from e
    except Exception as e:  # of the cluster: a worker was killed again and again
        return [failed(found, ErrorKind.DIED, f"{type(e).__name__}: {e}")]


@contextmanager
def local(jobs: int, limits: Limits) -> Iterator[Workers]:
    """Processes of this machine, one per thread that waits for it."""
    all_of_them = [Isolated(limits) for _ in range(jobs)]
    idle: SimpleQueue[Isolated] = SimpleQueue()
    for worker in all_of_them:
        idle.put(worker)

    def work(found: Found) -> list[Row]:
        worker = idle.get()
        try:
            return worker.rows(found)
        finally:
            idle.put(worker)

    executor = ThreadPoolExecutor(jobs)
    try:
        yield Workers(executor, work, lambda: jobs)
    finally:
        for worker in all_of_them:
            worker.kill()
        executor.shutdown(wait=True, cancel_futures=True)
        for worker in all_of_them:
            worker.close()


_here = threading.local()


def work_there(found: Found, limits: Limits) -> list[Row]:
    """What a worker of the cluster does: each of its threads has a process of its own for it, with its limits."""
    if not hasattr(_here, "worker"):
        _here.worker = Isolated(limits)
    rows: list[Row] = _here.worker.rows(found)
    return rows


@contextmanager
def cluster(address: str, limits: Limits) -> Iterator[Workers]:
    """The workers of a Dask scheduler. What a worker that is killed had in hand goes to another one."""
    client = _connected(library("distributed"), address)
    try:
        _refuse_strangers(client)
        executor = client.get_executor(pure=False, retries=1)
        yield Workers(executor, _There(limits), _Threads(client))
    finally:
        client.close(timeout=PATIENCE)


class _Threads:
    """How many there are; the scheduler is not asked for every trace."""

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


@dataclass(frozen=True, slots=True)
class _There:
    """`work_there` with limits, in a form that can be sent."""

    limits: Limits

    def __call__(self, found: Found) -> list[Row]:
        return work_there(found, self.limits)


def _connected(distributed: Any, address: str) -> Any:
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as e:
        raise AnalysisError(f"--scheduler {address}: no Dask scheduler answers there ({e})") from e
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as e:
        client.close()
        raise AnalysisError(
            f"--scheduler {address}: it has no worker; start some with `dask worker {address}` where the traces "
            "can be read"
        ) from e
    return client


def _refuse_strangers(client: Any) -> None:
    """Workers without this package, or with another version, would make an error or other figures of every trace."""
    said = client.run(version_there, on_error="return")
    wrong = [f"{worker}: {answer}" for worker, answer in said.items() if answer != __version__]
    if wrong:
        raise AnalysisError(
            f"workers need qlog-analysis {__version__}, installed with `pip install './qlog-analysis[cluster]'`; "
            f"{len(wrong)} have not: {wrong[0]}"
        )


def version_there() -> str:
    return __version__
