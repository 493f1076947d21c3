"""Who makes the shards: Dask's workers, threads of this machine or processes of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import distributed
from qlog_analysis import workers

from .lab import Program
from .shards import Shard
from .there import Made, Maker

Crew = workers.Workers[str, Made]


def worked(crew: Crew, shards: Iterator[Shard]) -> Iterator[tuple[Shard, Made] | None]:
    """What came of each shard, as they come; None where time passes without any."""
    return workers.worked(crew, ((shard, shard.text) for shard in shards), _died)


def _died(_: Shard, why: str) -> Made:
    return Made([], [], why)


@contextmanager
def local(jobs: int, program: Program) -> Iterator[Crew]:
    """Threads of this process, each of which waits for a cc-lab. No port is opened."""
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=jobs, processes=False, dashboard_address=None, memory_limit=0
        ) as here,
        distributed.Client(here, set_as_default=False) as client,
    ):
        maker = Maker(program.plugins, program)
        yield Crew(client.get_executor(pure=False), maker, lambda: jobs)


@contextmanager
def cluster(address: str, program: Program) -> Iterator[Crew]:
    """The workers of a scheduler. What a worker that is killed had in hand goes to another one."""
    start = f"`PYTHONPATH=tests build/venv/bin/dask worker {address}` in a checkout that is built"
    client = workers.connected(distributed, address, start)
    try:
        maker, versions = Maker(program.plugins), program.versions()
        need = f"cc-lab of this version, built from the same sources by the same compiler: {versions}"
        # One that comes later refuses the shards itself (`cc-lab shard`).
        workers.refuse_strangers(client, maker.versions, versions, need)
        yield Crew(client.get_executor(pure=False, retries=1), maker, workers.Threads(client))
    finally:
        client.close(timeout=workers.PATIENCE)
