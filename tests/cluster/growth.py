"""How the cluster grows: `PYTHONPATH=tests python -m cluster.growth --out DIR` (docs/cluster.md).

One and two workers on loopback make the same runs, in turns. Besides seconds it takes processor time, which other
programs on the machine change less: what workers, scheduler and command add to the runs themselves.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from statistics import median

import psutil

from . import engine
from .lab import ROOT, Listing, Program, built, listed
from .on_loopback import Process, scheduler, workers
from .shards import cut, size
from .store import Store
from .there import Made

SUITES = ROOT / "tests" / "suites"
TIMED = ("compare", str(SUITES / "headline-wifi.toml"), "--cc", "bbr2,reno")
"""Quiche's own controllers, so that a change of ours is none of what is measured."""


EMPTY = 500
"""Shards that nobody makes, for what it costs to hand one out."""


@dataclass(frozen=True)
class Spent:
    """s of processor time: of all cc-lab, and of workers, scheduler and command themselves."""

    runs: float
    workers: float
    scheduler: float
    command: float

    def since(self, before: Spent) -> Spent:
        return Spent(*(late - early for late, early in zip(astuple(self), astuple(before), strict=True)))


@dataclass(frozen=True)
class Turn:
    seconds: float
    spent: Spent
    shards: int
    busy: float
    """The share of the time in which a worker has a shard in hand."""


def own(one: psutil.Process) -> float:
    spent = one.cpu_times()
    return float(spent.user + spent.system)


def children(one: psutil.Process) -> float:
    spent = one.cpu_times()
    return float(spent.children_user + spent.children_system)


@contextmanager
def cluster(out: Path, count: int) -> Iterator[tuple[str, Callable[[], Spent]]]:
    """The scheduler's address, and what was spent up to now."""
    with scheduler() as (address, of_scheduler), workers(address, out / "dask", *[None] * count) as of_workers:
        here, process, processes = psutil.Process(), psutil.Process(of_scheduler.pid), list(map(_looked_at, of_workers))
        yield (
            address,
            lambda: Spent(sum(map(children, processes)), sum(map(own, processes)), own(process), own(here)),
        )


def _looked_at(process: Process) -> psutil.Process:
    return psutil.Process(process.pid)


def turn(out: Path, count: int) -> Turn:
    """All runs, from an empty store."""
    program = Program(built())
    shutil.rmtree(out, ignore_errors=True)
    listing = listed(program, [*TIMED, "--out", str(out)])
    with cluster(out, count) as (address, spent):
        before, begin = spent(), time.monotonic()
        made = gathered(address, program, listing)
        seconds = time.monotonic() - begin
        busy = sum(one.seconds for one in made) / seconds / count
        return Turn(seconds, spent().since(before), len(made), busy)


def nothing(_: str) -> Made:
    return Made([], [])


def handed_out(out: Path) -> Iterator[str]:
    """To one worker, which does nothing."""
    listing = listed(Program(built()), [*TIMED, "--out", str(out / "none")])
    shard = next(cut(listing, 1))
    with cluster(out, 1) as (address, spent), engine.cluster(address, Program(built())) as crew:
        before = spent()
        for _ in engine.worked(replace(crew, work=nothing), iter([shard] * EMPTY)):
            pass
        each = spent().since(before)
    yield "| to hand out a shard, ms of processor time: scheduler | command | worker |"
    yield "|---|---|---|"
    yield f"| {' | '.join(f'{1e3 * of / EMPTY:.1f}' for of in (each.scheduler, each.command, each.workers))} |"


def gathered(address: str, program: Program, listing: Listing) -> list[Made]:
    """What came of every shard."""
    store, made = Store(listing.store, listing.jobs), []
    with engine.cluster(address, program) as crew:
        for over in engine.worked(crew, cut(listing, crew.count())):
            if over is not None:
                store.add(over[1].lines)
                made.append(over[1])
    if store.missing:
        raise SystemExit(f"{len(store.missing)} runs have no result")
    return made


def of_children() -> float:
    """s of processor time, to the microsecond."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def planned(out: Path) -> Iterator[str]:
    """What every suite and every folder of claims would be for a cluster; nothing is run."""
    yield "| command | runs | all of them, by the longest | to list a run, ms | kB of a run |"
    yield "|---|---|---|---|---|"
    suites = [("compare", str(suite.relative_to(ROOT))) for suite in sorted(SUITES.glob("*.toml"))]
    claims = [("claims", "--claims", f"tests/{folder}") for folder in ("papers", "targets", "safety", "rfc9743")]
    for command in suites + claims:
        begin = of_children()
        listing = listed(Program(built()), [*command, "--out", str(out / "none")])
        spent = of_children() - begin
        sizes = [size(job) for job in listing.jobs.values()]
        text = sum(len(line) for line in listing.lines.values())
        per_run = f"{1e3 * spent / len(sizes):.2f} | {text / 1e3 / len(sizes):.1f}"
        yield f"| `{' '.join(command)}` | {len(sizes):,} | {sum(sizes) / max(sizes):.0f} | {per_run} |"


def measured(out: Path, rounds: int) -> Iterator[str]:
    turns: dict[int, list[Turn]] = {1: [], 2: []}
    for _ in range(rounds):
        for count, of in turns.items():
            of.append(turn(out / "runs", count))
            print(count, of[-1], file=sys.stderr, flush=True)
    yield "| workers | s | shards | shard in hand | processor time, s: runs | workers | scheduler | command |"
    yield "|---|---|---|---|---|---|---|---|"
    for count, of in turns.items():
        spent = [median(parts) for parts in zip(*(astuple(one.spent) for one in of), strict=True)]
        shown = (
            f"{median(one.seconds for one in of):.0f} | {of[0].shards} | {100 * median(one.busy for one in of):.0f} %"
        )
        yield f"| {count} | {shown} | {' | '.join(f'{part:.1f}' for part in spent)} |"


def main() -> int:
    parser = argparse.ArgumentParser(prog="cluster.growth", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for runs, which are removed")
    parser.add_argument("--rounds", type=int, default=3, help="pairs of one and two workers (%(default)s)")
    given = parser.parse_args()
    for line in (*planned(given.out), "", *handed_out(given.out), "", *measured(given.out, given.rounds)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
