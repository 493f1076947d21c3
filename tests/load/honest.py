"""Runs the load tests of cc-server at full size, and makes a table of what they print.

    build/venv/bin/python tests/load/honest.py --rounds 5

The tests are in interop/endpoint/tests/load.rs and leaks.rs: how many times as long an honest client waits beside a
load, and what connections leave behind. docs/results/endpoint.md has figures.

Exit codes: 0 all is measured; 1 a test failed, or cargo did; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from processes import Machine

ROOT = Path(__file__).resolve().parents[2]
CARGO = os.environ.get("CARGO", "cargo")
LINE = re.compile(
    r"measured: (?P<name>.+): (?P<median>[\d.]+) and (?P<quartile>[\d.]+) times, (?P<mib>\d+) MiB, "
    r"bound (?P<bound>[\d.]+)$"
)
LEFT = re.compile(
    r"measured: (?P<count>\d+) connections: (?P<before>\d+) KiB, \d+ more after as many again: (?P<after>\d+) KiB, "
    r"descriptors (?P<files>\d+) and (?P<more>\d+)$"
)


class LoadError(Exception):
    """A test that failed."""


def run(test: str) -> list[str]:
    """The lines that a file of tests prints with what it measures."""
    command = [CARGO, "test", "--locked", "--release", "-p", "quiche-cc-endpoint", "--test", test, "--", "--ignored"]
    command += ["--test-threads", "1", "--nocapture"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line[line.index("measured: ") :] for line in done.stdout.splitlines() if "measured: " in line]
    for line in lines:
        print(line, file=sys.stderr, flush=True)
    if done.returncode != 0:
        raise LoadError(f"cargo test --test {test} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return lines


def waits(rounds: list[list[str]]) -> str:
    """A row for each load: medians and extremes of the rounds."""
    found: dict[str, list[re.Match[str]]] = defaultdict(list)
    for match in filter(None, map(LINE.match, (line for lines in rounds for line in lines))):
        found[match["name"]].append(match)
    rows = ["| beside | times as long, median | lower quartile | bound | more memory, MiB |", "|---" * 5 + "|"]
    for name, matches in found.items():
        median, quartile = (spread([float(match[which]) for match in matches]) for which in ("median", "quartile"))
        memory = max(int(match["mib"]) for match in matches)
        rows.append(f"| {name} | {median} | {quartile} | {matches[0]['bound']} | {memory} |")
    return "\n".join(rows)


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def left(lines: list[str]) -> str:
    """What the connections left behind."""
    rows = ["| connections | memory, KiB | after as many again, KiB | descriptors |", "|---|---|---|---|"]
    for match in filter(None, map(LEFT.match, lines)):
        files = f"{match['files']}, {match['more']}"
        rows.append(f"| {int(match['count']):,} | {int(match['before']):,} | {int(match['after']):,} | {files} |")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="of the tests beside a load (%(default)s)")
    parser.add_argument("--waits", type=Path, help="file for their table (standard output)")
    parser.add_argument("--left", type=Path, help="file for the table of what is left behind (standard output)")
    given = parser.parse_args()
    try:
        left_behind, machine = left(run("leaks")), Machine()
        beside = waits([run("load") for _ in range(given.rounds)])
    except LoadError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    beside += f"\n\nRounds: {given.rounds}; {machine.sentence()}"
    for file, text in ((given.left, left_behind), (given.waits, beside)):
        if file:
            file.write_text(text + "\n", encoding="utf-8")
        else:
            print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
