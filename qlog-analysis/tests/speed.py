"""How fast traces are read, beside Python's own JSON reader, and how much memory that takes.

    PYTHONPATH=src python tests/speed.py --lab ../build/bin/cc-lab

makes traces of a download at 200 Mbit/s, reads each in several ways in one process, and prints MB/s of processor time.
Ways are compared with `json.loads` of the same records in the same run. With `--memory 2000` it also makes a trace of
2,000 MB and prints how much memory `metrics` takes for it, or other commands that are named. It fails if a bound is
given and missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from qlog_analysis import compiled
from qlog_analysis.compiled import columns_of
from qlog_analysis.invariants import run as invariants
from qlog_analysis.load import load
from qlog_analysis.metrics import measure
from qlog_analysis.read import pieces
from qlog_analysis.record import Block

SCENARIO = Path(__file__).resolve().parents[2] / "tests" / "scenarios" / "one-flow.toml"
RATE = "200Mbps"
SPECS = ("hybrid", "cubic")
ROUNDS = 3
"""The best counts: what else the machine does makes every way slower."""
MB = 1e6
MB_PER_SECOND = 22.0
"""A trace of hybrid at that rate, by the time in it."""

JSON = "json.loads"


def make(lab: Path, spec: str, seconds: float, folder: Path) -> Path:
    """A trace of so many seconds."""
    sets = (f"link.bottleneck.rate={RATE}", f"duration={seconds:.1f}s", "warmup=1s")
    values = [part for value in sets for part in ("--set", value)]
    out = folder / spec
    command = [str(lab), "run", str(SCENARIO), "--cc", spec, "--qlog", "--jobs", "1", *values, "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True, timeout=1800)
    return out / "qlog" / "main.sqlog"


def _json(path: Path) -> None:
    with path.open("rb") as f:
        for line in f:
            json.loads(line[1:])


def _decode(path: Path) -> None:
    for piece in pieces(path):
        if isinstance(piece, Block):
            columns_of(piece)


WAYS: dict[str, Callable[[Path], object]] = {
    JSON: _json,
    "decode": _decode,
    "metrics": lambda path: measure(load(path)),
    "invariants": lambda path: invariants.judge(load(path)),
}


def speeds(path: Path) -> dict[str, float]:
    """MB/s of processor time, by way."""
    size = path.stat().st_size / MB
    best = dict.fromkeys(WAYS, 0.0)
    for _ in range(ROUNDS):
        for what, way in WAYS.items():
            gc.collect()
            begin = time.process_time()
            way(path)
            best[what] = max(best[what], size / (time.process_time() - begin))
    return best


WATCH = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
child.returncode = os.waitstatus_to_exitcode(status)
print(child.returncode, usage.ru_maxrss)
"""
"""A small process that starts another: what the starting one holds counts as memory of the one that it starts."""


def memory(path: Path, what: str = "metrics", *more: str) -> float:
    """MB that a command takes for a trace, with more arguments."""
    command = [sys.executable, "-m", "qlog_analysis", what, str(path), *more]
    environment = {**os.environ, "PYTHONPATH": str(Path(compiled.__file__).parents[1])}  # this source, in any clone
    watcher = subprocess.run(
        [sys.executable, "-c", WATCH, *command], capture_output=True, text=True, env=environment, check=True
    )
    code, kib = map(int, watcher.stdout.split()[-2:])
    if code not in (0, 3):  # `check` knows no equations of cubic
        raise SystemExit(f"{' '.join(command)}: exit code {code}")
    return kib * 1024 / MB


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lab", type=Path, required=True, help="cc-lab")
    parser.add_argument("--size", type=float, default=100.0, metavar="MB", help="of hybrid's trace, about")
    parser.add_argument("--memory", type=float, metavar="MB", help="measure the memory for a trace of about this size")
    parser.add_argument("--commands", nargs="+", default=["metrics"], help="whose memory (default: metrics)")
    parser.add_argument(
        "--folder", type=Path, help="for the traces, which are removed; as the system chooses if not given"
    )
    parser.add_argument(
        "--least", action="append", default=[], metavar="WHAT=RATIO", help="times json.loads, of hybrid"
    )
    parser.add_argument("--most-memory", type=float, metavar="SHARE", help="of the size of the trace")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    missed = []
    print(f"qlog-analysis {compiled.told()}")
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        for spec in SPECS:
            path = make(args.lab, spec, args.size / MB_PER_SECOND, Path(folder))
            found = speeds(path)
            print(f"{spec}, {path.stat().st_size / MB:.0f} MB")
            for what, speed in found.items():
                print(f"  {what:12} {speed:7.1f} MB/s {speed / found[JSON]:6.2f} times json.loads")
            path.unlink()
            if spec == SPECS[0]:
                missed += _missed(args.least, found)
        if args.memory is not None:
            path = make(args.lab, SPECS[0], args.memory / MB_PER_SECOND, Path(folder))
            size = path.stat().st_size / MB
            for command in args.commands:
                taken = memory(path, command)
                print(f"memory of {command}: {taken:.0f} MB for {size:.0f} MB")
                if args.most_memory is not None and taken > args.most_memory * size:
                    missed.append(f"memory of {command}: more than {args.most_memory} of the trace's size")
    for what in missed:
        print(f"MISSED: {what}", file=sys.stderr)
    return 1 if missed else 0


def _missed(bounds: list[str], found: dict[str, float]) -> list[str]:
    out = []
    for bound in bounds:
        what, _, least = bound.partition("=")
        if found[what] < float(least) * found[JSON]:
            out.append(f"{what}: {found[what] / found[JSON]:.2f} times json.loads, expected {least} at least")
    return out


if __name__ == "__main__":
    sys.exit(main())
