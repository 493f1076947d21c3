"""What `fleet` takes: processor time for traces, and for a report on a store of many connections, with its memory.

    build/venv/bin/python qlog-analysis/tests/fleet_speed.py --lab build/bin/cc-lab

prints a table in Markdown. cc-lab makes the traces. One process reads them, one after the other: first a single one,
then its copies. The difference is what the copies took, without the start of the program. Processor time grows with
what else runs, if less than the time by the clock.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # this source, in any clone

import duckdb

from qlog_analysis import compiled
from qlog_analysis.fleet.row import columns
from qlog_analysis.fleet.store import Store

SOURCE = Path(compiled.__file__).parents[1]
SCENARIO = Path(__file__).resolve().parents[2] / "tests" / "scenarios" / "one-flow.toml"
TRACES = (
    ("`hybrid`, whose equations are recomputed", "hybrid", 3.0, 20),
    ("cubic", "cubic", 1.5, 20),
    ("cubic, short", "cubic", 0.2, 200),
)
"""Name, controller, s of a download, copies."""
RATE = "4Mbps"
MB = 1e6
PARTS = 20
"""Files of the large store."""
WATCH = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
child.returncode = os.waitstatus_to_exitcode(status)
print(child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""
"""A small process that starts another: what the starting one holds counts as memory of the one that it starts."""


@dataclass(frozen=True)
class Taken:
    """By the program and its workers."""

    seconds: float
    """Of processor time."""
    megabytes: float
    """The most that one of them had."""


def fleet(*arguments: str | Path) -> Taken:
    command = [sys.executable, "-m", "qlog_analysis", "fleet", *map(str, arguments)]
    found = os.environ.get("PYTHONPATH")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), *([found] if found else [])])}
    watcher = subprocess.run(
        [sys.executable, "-c", WATCH, *command], stdout=subprocess.PIPE, text=True, env=environment, check=True
    )
    code, seconds, kib = watcher.stdout.split()[-3:]
    if code != "0":
        raise SystemExit(f"{' '.join(command)}: exit code {code}")
    return Taken(float(seconds), int(kib) * 1024 / MB)


def make(lab: Path, spec: str, seconds: float, folder: Path) -> Path:
    """A trace of so many seconds."""
    sets = (f"link.bottleneck.rate={RATE}", f"duration={seconds}s", f"warmup={seconds / 4}s")
    values = [part for value in sets for part in ("--set", value)]
    command = [lab, "run", SCENARIO, "--cc", spec, "--qlog", "--jobs", "1", *values, "--out", folder]
    subprocess.run(list(map(str, command)), check=True, capture_output=True, timeout=600)
    return folder / "qlog" / "main.sqlog"


def rows(lab: Path, folder: Path) -> Iterator[str]:
    """Of traces; the stores that they make stay in the folder."""
    for number, (name, spec, seconds, copies) in enumerate(TRACES):
        trace, traces = make(lab, spec, seconds, folder / f"run-{number}"), folder / f"traces-{number}"
        traces.mkdir()
        shutil.copy(trace, traces / "first.sqlog")
        call = (traces, "--store", folder / f"store-{number}", "--jobs", "1")
        before = fleet(*call)
        for copy in range(copies):
            shutil.copy(trace, traces / f"{copy}.sqlog")
        after, size = fleet(*call), trace.stat().st_size / MB
        # Both calls start the program and report on what is there.
        each = (after.seconds - before.seconds) / copies
        yield f"| {name} | {size:.2f} | {1 / each:.1f} | {size / each:.1f} | {after.megabytes:.0f} |"


def large(folder: Path, connections: int) -> Path:
    """A store as of so many different traces: the numbers of the small ones, each times what was drawn at random."""
    store = Store.made(folder / "large")
    listed = sorted(str(part) for number in (0, 1) for part in (folder / f"store-{number}").glob("*.parquet"))
    drawn = {name: f"{name} * (0.5 + random()) AS {name}" for name, kind in columns().items() if kind == "DOUBLE"}
    database = duckdb.connect(":memory:", config={"threads": 1})
    database.execute("SELECT setseed(0.5)")
    database.execute(
        "CREATE TABLE small AS SELECT * FROM read_parquet(?) QUALIFY row_number() OVER (PARTITION BY controller) = 1",
        [listed],
    )
    for number in range(PARTS):
        count = connections // PARTS // 2
        trace = f"'/var/lib/cc-server/' || md5({number} || '-' || i || controller) || '.sqlog'"
        shown = [f"{trace} AS trace" if name == "trace" else drawn.get(name, name) for name in columns()]
        query = f"SELECT {trace} AS key, seen, run, {', '.join(shown)} FROM small, range({count}) t(i)"
        database.execute(f"COPY ({query}) TO '{store.path}/{number:03}.parquet' (FORMAT parquet, COMPRESSION zstd)")
    return store.path


def report(folder: Path, connections: int) -> str:
    store = large(folder, connections)
    size = sum(part.stat().st_size for part in store.iterdir()) / MB
    taken = fleet("--store", store, "--only", "controller=hybrid", "--against-only", "controller=unknown*")
    return (
        f"The report on a store of {connections:,} connections ({size:.0f} MB), with a comparison of two halves, took "
        f"{taken.seconds:.0f} s of processor time and {taken.megabytes:.0f} MB of memory."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lab", type=Path, required=True, help="cc-lab")
    parser.add_argument("--connections", type=int, default=1_000_000, help="of the large store (%(default)s)")
    args = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="fleet-speed-") as folder:
        print("| trace | MB | traces per s of processor time | MB per s of processor time | memory, MB |")
        print("|---|---|---|---|---|")
        for row in rows(args.lab, Path(folder)):
            print(row, flush=True)
        print(f"\n{report(Path(folder), args.connections)}")
    print(f"\n{os.cpu_count()} processors with a load of {load:.1f}; {compiled.told()}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
