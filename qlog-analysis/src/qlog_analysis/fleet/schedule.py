"""Who works the traces: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue

from .. import __version__, workers
from ..needs import library
from .analyse import ErrorKind, failed
from .isolated import Isolated, Limits
from .row import Found, Row

Crew = workers.Workers[Found, list[Row]]


def worked(crew: Crew, todo: Iterator[Found]) -> Iterator[tuple[Found, list[Row]] | None]:
    """The rows of each trace, as they come, none of one that is gone; None where time passes without any."""
    return workers.worked(crew, ((found, found) for found in todo), _died)


def _died(found: Found, why: str) -> list[Row]:
    return [failed(found, ErrorKind.DIED, why)]


@contextmanager
def local(jobs: int, limits: Limits) -> Iterator[Crew]:
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
        yield Crew(executor, work, lambda: jobs)
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
def cluster(address: str, limits: Limits) -> Iterator[Crew]:
    """The workers of a Dask scheduler. What a worker that is killed had in hand goes to another one."""
    client = workers.connected(library("distributed"), address, f"`dask worker {address}` where the traces can be read")
    try:
        need = f"qlog-analysis {__version__}, installed with `pip install './qlog-analysis[cluster]'`"
        workers.refuse_strangers(client, version_there, __version__, need)
        executor = client.get_executor(pure=False, retries=1)
        yield Crew(executor, _There(limits), workers.Threads(client))
    finally:
        client.close(timeout=workers.PATIENCE)


@dataclass(frozen=True, slots=True)
class _There:
    """`work_there` with limits, in a form that can be sent."""

    limits: Limits

    def __call__(self, found: Found) -> list[Row]:
        return work_there(found, self.limits)


def version_there() -> str:
    return __version__
