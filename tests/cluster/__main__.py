"""The command: `PYTHONPATH=tests python -m cluster --help`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import msgspec
from qlog_analysis.workers import processors

from . import engine
from .errors import ClusterError
from .lab import Listing, Program, built, listed
from .progress import Progress
from .shards import cut
from .store import Store

COMMANDS = ("compare", "claims")


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cluster", description="Make the runs that a command of cc-lab lacks on many machines, then call it."
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="work on the Dask cluster of this scheduler, as tcp://HOST:8786"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=_count, help="runs at a time on this machine; default: one per processor"
    )
    parser.add_argument("--build-dir", metavar="DIR", type=Path, help="where bin/cc-lab is; default: build")
    parser.add_argument(
        "command",
        metavar="COMMAND ...",
        nargs=argparse.REMAINDER,
        help="of cc-lab: compare or claims, with its options",
    )
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 1 to 10000")
    return int(text)


def main(words: list[str] | None = None) -> int:
    """Ends in cc-lab, with its exit code, unless something is in the way."""
    parser = arguments()
    given = parser.parse_args(words)
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not any(word in COMMANDS for word in command):
        parser.error("name the command of cc-lab: compare or claims; others keep no runs that could be made elsewhere")
    if given.scheduler is not None and given.jobs is not None:
        parser.error("--jobs is for this machine; on a cluster its workers say how many runs they make at a time")
    try:
        program = Program.for_command(built(given.build_dir), command)
        _make(given, program, command)
        sys.stdout.flush()
        # What was forgotten must not be forgotten again.
        final = [str(program.file), *(word for word in command if word != "--again")]
        os.execv(program.file, final)
    except (ClusterError, OSError, msgspec.MsgspecError) as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("cluster: stopped; what is done is kept, and the same command goes on (without --again)", file=sys.stderr)
        return 2


def _make(given: argparse.Namespace, program: Program, command: list[str]) -> None:
    """All that is missing. What cc-lab said it failed at stays missing, and cc-lab says it again in the end."""
    listing = listed(program, command)
    print(f"cluster: {listing.store} lacks {len(listing.jobs):,} runs", file=sys.stderr)
    if not listing.jobs:
        return
    if given.scheduler is not None:
        chosen = engine.cluster(given.scheduler, program)
    else:
        chosen = engine.local(given.jobs or processors(), program)
    store = Store(listing.store, listing.jobs)
    with chosen as workers:
        failed = _gather(workers, listing, store)
    lost = [
        job.name for job in store.missing.values() if not any(said.startswith(f"run {job.name}:") for said in failed)
    ]
    if lost:
        raise ClusterError(
            f"{len(lost):,} runs have no result, such as {lost[0]}; the same command tries again what is missing "
            "(without --again), and cc-lab by itself makes it here"
        )


def _gather(workers: engine.Crew, listing: Listing, store: Store) -> list[str]:
    """What cc-lab said of runs that failed."""
    failed: list[str] = []
    progress = Progress(listing.jobs.values())
    for over in engine.worked(workers, cut(listing, workers.count())):
        if over is not None:
            shard, made = over
            wrong = store.add(made.lines)
            progress.add(shard.jobs, len(made.lines) - len(wrong))
            failed += made.failed
            for problem in [*made.failed, *wrong, made.problem]:
                if problem:
                    print(f"cluster: {problem}", file=sys.stderr)
        progress.tell()
    progress.finish()
    return failed


if __name__ == "__main__":
    sys.exit(main())
