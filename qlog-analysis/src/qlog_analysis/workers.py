"""Work for many: a loop for executors of this machine and of a Dask cluster, and what a cluster is asked first."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .errors import AnalysisError

AHEAD = 2
"""Tasks per worker that are handed out at a time: those that are worked, and the next."""
LOOK = 0.5
"""s between two looks at the time where nothing is done."""
PATIENCE = 30
"""s for a cluster to answer, and to have a worker."""

Task = TypeVar("Task")
Sent = TypeVar("Sent")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Workers(Generic[Sent, Result]):
    executor: Executor
    work: Callable[[Sent], Result]
    count: Callable[[], int]
    """How many tasks are worked at a time."""


def processors() -> int:
    """Of this machine, that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worked(
    workers: Workers[Sent, Result], todo: Iterator[tuple[Task, Sent]], died: Callable[[Task, str], Result]
) -> Iterator[tuple[Task, Result] | None]:
    """What came of each task, of which a worker is sent a part, as they come; None where time passes without any. One
    that killed its workers has `died`."""
    pending: dict[Future[Result], Task] = {}
    exhausted = False
    while True:
        while not exhausted and len(pending) < AHEAD * max(workers.count(), 1):
            following = next(todo, None)
            if following is None:
                exhausted = True
            else:
                task, sent = following
                pending[workers.executor.submit(workers.work, sent)] = task
        if not pending:
            return
        done, _ = wait(pending, timeout=LOOK, return_when=FIRST_COMPLETED)
        if not done:
            yield None
        for future in done:
            task = pending.pop(future)
            yield task, _result(future, task, died)


def _result(future: Future[Result], task: Task, died: Callable[[Task, str], Result]) -> Result:
    try:
        return future.result()
    except CancelledError as e:
        raise AnalysisError("the scheduler has dropped the work: is it still running?") from e
    except ImportError as e:
        raise AnalysisError(f"a worker of the cluster cannot load what it is to run: {e}") from e
    except Exception as e:  # of the cluster: a worker was killed again and again
        return died(task, f"{type(e).__name__}: {e}")


class Threads:
    """How many a cluster has; the scheduler is not asked for every task."""

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


def connected(distributed: Any, address: str, start: str) -> Any:
    """A client of the scheduler; `start` says how a worker is started."""
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as e:
        raise AnalysisError(f"--scheduler {address}: no Dask scheduler answers there ({e})") from e
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as e:
        client.close()
        raise AnalysisError(f"--scheduler {address}: it has no worker; start some with {start}") from e
    return client


def refuse_strangers(client: Any, version: Callable[[], str], wanted: str, need: str) -> None:
    """Workers that do not have the `version` that is `wanted` would make an error or other results of every task."""
    said = client.run(version, on_error="return")
    wrong = [f"{worker}: {answer}" for worker, answer in said.items() if answer != wanted]
    if wrong:
        raise AnalysisError(f"workers need {need}; {len(wrong)} of {len(said)} have not: {wrong[0]}")
