"""The demonstration: the same download with `cubic`, `bbr2` and `hybrid`, over the same bottleneck.

Prints a table and leaves traces, plots and a report behind. The server asks for no receive timestamps, as no client on
the internet sends any.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))

from testbed import Bottleneck, Outcome, Testbed, TestbedError

BOTTLENECK = Bottleneck(rate="10Mbps", delay="20ms", buffer="80ms")
CONTROLLERS = ("cubic", "bbr2", "hybrid")
SIZE = 15_000_000
SERVER = ("--receive-timestamps", "0")
PROGRAMS = ("cc-server", "cc-client", "cc-link", "qlog-analysis")
# Shows that a folder is of a demonstration, whether or not that came to its end.
MARK = "demo.json"
PASS, FAIL = "pass", "FAIL"
# What `qlog-analysis check` judges by the record. Its other rules would judge a machine that is busy.
BY_RECORD = {"arrivals", "deliveries", "codepoints", "true queue"}


@dataclass
class Row:
    """What the table says of one controller."""

    outcome: Outcome
    check: str
    network: str

    HEAD = ("controller", "goodput", "queueing mean", "p95", "max", "loss", "check", "network")

    def cells(self) -> tuple[str, ...]:
        outcome, delay = self.outcome, self.outcome.queueing
        return (
            outcome.cc,
            f"{outcome.goodput / 1e6:.3f} Mbit/s",
            f"{delay['mean']:.1f} ms",
            f"{delay['p95']:.1f} ms",
            f"{delay['max']:.1f} ms",
            f"{100 * outcome.loss:.2f} %",
            self.check,
            self.network,
        )


@dataclass(frozen=True)
class Analysis:
    """The analysis program."""

    program: Path

    def run(self, *arguments: str | Path, allowed: tuple[int, ...] = (0,)) -> int:
        command = [str(part) for part in (self.program, *arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in allowed:
            raise TestbedError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.returncode

    def verdicts(self, outcome: Outcome, folder: Path) -> tuple[str, str]:
        """Whether decisions follow from the trace, and whether the trace tells what the bottleneck recorded.

        How punctually packets leave is not asked: that depends on the machine."""
        found = folder / "check.json"
        self.run("check", outcome.trace, "--record", outcome.record, "--json", found, allowed=(0, 1, 3))
        told = json.loads(found.read_text())
        failed = {row["name"] for row in told["invariants"] if row["verdict"] == "fail"}
        check = str(told["law"]) if outcome.cc.startswith("hybrid") else "-"
        return PASS if check == "PASS" else check, FAIL if failed & BY_RECORD else PASS


def main() -> int:
    options = parse_arguments()
    # So that no server or link is left behind by either signal.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        look_for(options.build_dir / "bin")
        empty(options.out)
        rows = demonstrate(options)
    except KeyboardInterrupt:
        print("\nThe demonstration was interrupted.", file=sys.stderr)
        return 130
    except TestbedError as error:
        print(f"The demonstration failed: {error}", file=sys.stderr)
        return 2
    return 0 if all({row.check, row.network} <= {"-", PASS} for row in rows) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=Path, required=True, help="where bin/ lies")
    parser.add_argument(
        "--out", type=Path, required=True, help=f"folder for everything that is made; emptied first, if {MARK} is in it"
    )
    parser.add_argument("--size", type=int, default=SIZE, help="bytes to download (default: %(default)s)")
    parser.add_argument("--cc", nargs="+", default=CONTROLLERS, metavar="NAME[:OPTIONS]", help="controllers to compare")
    return parser.parse_args()


def look_for(programs: Path) -> None:
    missing = [name for name in PROGRAMS if not (programs / name).exists()]
    if missing:
        raise TestbedError(f"{programs} lacks {', '.join(missing)}; allowed: --build-dir of a complete build")


def empty(folder: Path) -> None:
    """Empties the folder, unless it may be somebody else's."""
    try:
        if folder.exists():
            if any(folder.iterdir()) and not (folder / MARK).is_file():
                raise TestbedError(
                    f"--out {folder} is not emptied; allowed: a folder that does not exist, is empty or has the"
                    f" {MARK} of an earlier demonstration"
                )
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        save([], folder / MARK)
    except OSError as error:
        raise TestbedError(f"--out {folder} cannot be used: {error}") from error


def demonstrate(options: argparse.Namespace) -> list[Row]:
    programs = options.build_dir / "bin"
    analysis = Analysis(programs / "qlog-analysis")
    testbed = Testbed(programs, options.out, server=SERVER, progress=sys.stderr.isatty())
    print(
        f"\nBottleneck: {BOTTLENECK}. Each download of {options.size / 1e6:g} MB takes a quarter of a minute.\n",
        flush=True,
    )
    rows = []
    for cc in options.cc:
        began = time.monotonic()
        print(f"  {cc} ...", end="", flush=True)
        outcome = testbed.download(cc, BOTTLENECK, f"/{options.size}")
        folder = outcome.link_log.parent
        rows.append(Row(outcome, *analysis.verdicts(outcome, folder)))
        analysis.run("to-qvis", outcome.trace, "--out", folder / "qvis.sqlog")
        print(f" {time.monotonic() - began:.0f} s", flush=True)
    report = options.out / "report.html"
    logs = [str(part) for row in rows for part in ("--link", row.outcome.link_log)]
    analysis.run(
        "report", *(row.outcome.trace for row in rows), *logs, "--title", f"Through {BOTTLENECK}", "--out", report
    )
    save(rows, options.out / MARK)
    show(rows, report)
    return rows


def show(rows: list[Row], report: Path) -> None:
    table = [Row.HEAD, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(Row.HEAD))]
    print()
    for number, line in enumerate(table):
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        if number == 0:
            print("  " + "  ".join("-" * width for width in widths))
    print(
        "\nQueueing delay (per packet) and loss are the bottleneck's own records. `qlog-analysis check` says\n"
        "check: whether every decision of the controller follows from the packets of its trace,\n"
        "network: whether the trace tells what the bottleneck recorded of each packet.\n"
    )
    print(f"  report  {report}")
    for row in rows:
        folder = row.outcome.link_log.parent
        print(f"  {row.outcome.cc}: trace {row.outcome.trace}")
        print(f"  {' ' * len(row.outcome.cc)}  for qvis {folder / 'qvis.sqlog'}")


def save(rows: list[Row], target: Path) -> None:
    def of(row: Row) -> dict[str, Any]:
        outcome = row.outcome
        return {
            "cc": outcome.cc,
            "goodput_bits_per_second": outcome.goodput,
            "queue_delay_ms": outcome.queueing,
            "loss": outcome.loss,
            "check": row.check,
            "network": row.network,
            "trace": str(outcome.trace),
            "record": str(outcome.record),
        }

    target.write_text(json.dumps({"bottleneck": str(BOTTLENECK), "runs": [of(row) for row in rows]}, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
