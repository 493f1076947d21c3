"""Parts of what is missing, each with all that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .lab import Job, Listing

PARTS = 8
"""Shards per worker, so that all of them end at about the same time and one that is killed loses little."""
OF_A_RUN = 4_000
"""Packets in whose time a run begins and ends, whatever it does."""
MOST = 10_000_000
"""A minute of 1 Gbit/s is 6 million. What would be more are paths with round trips of minutes, which nobody fills."""


@dataclass(frozen=True)
class Shard:
    jobs: list[Job]
    text: str
    """What `cc-lab shard` reads."""


def size(job: Job) -> int:
    """How long it takes, beside others."""
    return min(job.packets, MOST) + OF_A_RUN


def cut(listing: Listing, workers: int) -> Iterator[Shard]:
    """All runs, those that take longest first."""
    jobs = sorted(listing.jobs.values(), key=lambda job: (-size(job), job.run))
    most = sum(map(size, jobs)) / (PARTS * max(workers, 1))
    part: list[Job] = []
    for job in jobs:
        if part and sum(map(size, part)) + size(job) > most:
            yield _shard(listing, part)
            part = []
        part.append(job)
    if part:
        yield _shard(listing, part)


def _shard(listing: Listing, jobs: list[Job]) -> Shard:
    recordings = {digest for job in jobs for digest in job.recordings.values()}
    keys = [*sorted(recordings), *(job.run for job in jobs)]
    return Shard(jobs, "".join(f"{listing.lines[key]}\n" for key in keys))
