"""Many downloads at once from one cc-server on loopback: controllers beside each other, round by round.

    build/venv/bin/python tests/load/downloads.py                         200 downloads, all controllers
    build/venv/bin/python tests/load/downloads.py --downloads 500 --bytes 1000000
    build/venv/bin/python tests/load/downloads.py --set workers --downloads 16 --bytes 40000000

In each round every case has a server of its own, and that many cc-clients, each a process with one download. The next
round goes through the cases in the opposite order. Clients and server share the machine's cores, so the queue is where
packets wait for a process to run, in the sockets of the clients and of the server. Figures: docs/results/endpoint.md.

Exit codes: 0 all is measured; 1 a program did not do what it should; 2 wrong usage; 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from processes import (
    PROGRAMS,
    Machine,
    Program,
    TestbedError,
    all_fetched,
    client,
    memory,
    percentile,
    processor_s,
    stopped,
)

READY_TIMEOUT = 20.0
MOST_DOWNLOADS = 2000
OFF = ("--receive-timestamps", "0")
SETS: dict[str, dict[str, Sequence[str]]] = {
    "controllers": {
        "cubic": ("--cc", "cubic"),
        "bbr2": ("--cc", "bbr2"),
        "hybrid": ("--cc", "hybrid"),
        "cubic, no timestamps": ("--cc", "cubic", *OFF),
        "bbr2, no timestamps": ("--cc", "bbr2", *OFF),
        "hybrid, no timestamps": ("--cc", "hybrid", *OFF),
    },
    "workers": {
        f"{cc}, {number} worker{'s' if number > 1 else ''}": ("--cc", cc, "--workers", str(number))
        for cc in ("cubic", "hybrid")
        for number in (1, 2)
    },
}


@dataclass(frozen=True)
class Crowd:
    """What all downloads of a case came to together."""

    mbits_per_second: float
    """Of content, from the start of the first client to the end of the last."""
    rtt_ms: float
    """Time average of a connection's smoothed RTT, by the server; the median of the connections."""
    rtt_p95_ms: float
    mib: float
    """Most memory that the server had."""
    server_s_per_gb: float
    lost: float
    """Share of the server's packets that it took for lost."""


COLUMNS: Mapping[str, tuple[Callable[[Crowd], float], int]] = {
    "goodput, Mbit/s": (lambda crowd: crowd.mbits_per_second, 0),
    "RTT, median, ms": (lambda crowd: crowd.rtt_ms, 0),
    "RTT, p95, ms": (lambda crowd: crowd.rtt_p95_ms, 0),
    "memory, MiB": (lambda crowd: crowd.mib, 0),
    "server, s/GB": (lambda crowd: crowd.server_s_per_gb, 2),
    "lost, %": (lambda crowd: crowd.lost * 100, 2),
}


@dataclass(frozen=True)
class Bench:
    """What all cases have in common."""

    programs: Path
    downloads: int
    size: int
    timeout: float

    def measure(self, options: Sequence[str], folder: Path) -> Crowd:
        """All downloads from a server that is started for them, and stopped."""
        many = str(2 * self.downloads + 100)
        limits = ("--max-connections", many, "--max-per-address", many, "--max-per-network", many)
        serve: list[str | Path] = [
            self.programs / "cc-server",
            "--listen",
            "127.0.0.1:0",
            *limits,
            "--retry-above",
            str(self.downloads),
        ]
        with Program([*serve, *options], folder / "server.log") as server:
            port = str(server.next(READY_TIMEOUT)["addresses"][0]).rpartition(":")[2]
            one, before = client(self.programs, self.timeout, port, f"/{self.size}"), processor_s(server.process.pid)
            begin = time.monotonic()
            fetched = all_fetched([one] * self.downloads, self.timeout)
            seconds = time.monotonic() - begin
            used, most = processor_s(server.process.pid) - before, memory(server.process.pid)
            closed = [line for line in stopped(server) if line["event"] == "connection_closed"]
        if len(closed) != self.downloads or any(download["bytes"] != self.size for download in fetched):
            raise TestbedError(f"{len(closed)} connections, and not all of {self.downloads} downloads are complete")
        total = self.downloads * self.size
        rtts = [float(line["rtt_mean_ms"]) for line in closed]
        return Crowd(
            mbits_per_second=total * 8 / seconds / 1e6,
            rtt_ms=percentile(rtts, 50),
            rtt_p95_ms=percentile(rtts, 95),
            mib=most / 2**20,
            server_s_per_gb=used / total * 1e9,
            lost=sum(line["packets_lost"] for line in closed) / sum(line["packets_sent"] for line in closed),
        )


Rounds = Sequence[Mapping[str, Crowd]]


def measure(bench: Bench, cases: Mapping[str, Sequence[str]], rounds: int) -> Rounds:
    """Every case in every round, in turns forwards and backwards."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            this: dict[str, Crowd] = {}
            for case in cases if number % 2 == 0 else reversed(list(cases)):
                this[case] = bench.measure(cases[case], Path(folder))
                print(f"[{number + 1}/{rounds}] {case}: {this[case]}", file=sys.stderr, flush=True)
            found.append(this)
    return found


def table(found: Rounds, cases: Sequence[str]) -> str:
    """A row for each case, in Markdown: medians of the rounds, the goodput with its extremes."""
    rows = [f"| server | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for case in cases:
        cells = []
        for name, (value, digits) in COLUMNS.items():
            values = [value(this[case]) for this in found]
            shown = f"{statistics.median(values):.{digits}f}"
            ends = f" ({min(values):.0f} to {max(values):.0f})" if name.startswith("goodput") else ""
            cells.append(shown + ends)
        rows.append(f"| {case} | {' | '.join(cells)} |")
    return "\n".join(rows)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--set", default="controllers", choices=SETS, help="cases (%(default)s)")
    made.add_argument("--case", action="append", help="only this one of them; may be repeated")
    made.add_argument("--downloads", type=int, default=200, help="at once (%(default)s)")
    made.add_argument("--bytes", type=int, default=2_000_000, help="of a download (%(default)s)")
    made.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    made.add_argument("--timeout", type=float, default=120, help="of a download, in seconds (%(default)s)")
    made.add_argument("--programs", type=Path, default=PROGRAMS, help="has cc-server and cc-client (%(default)s)")
    made.add_argument("--json", type=Path, metavar="FILE", help="the numbers of every round")
    return made


def main() -> int:
    arguments = parser()
    given = arguments.parse_args()
    cases = {name: words for name, words in SETS[given.set].items() if given.case is None or name in given.case}
    if not cases:
        arguments.error(f"--case: allowed are {'; '.join(SETS[given.set])}")
    if given.rounds < 1 or not 1 <= given.downloads <= MOST_DOWNLOADS or given.bytes < 1 or not given.timeout > 0:
        arguments.error(f"--rounds and --bytes are at least 1, --downloads 1 to {MOST_DOWNLOADS}, --timeout above 0")
    for program in ("cc-server", "cc-client"):
        if not (given.programs / program).is_file():
            arguments.error(f"there is no {given.programs / program}; cmake --build build makes it")
    machine = Machine()
    try:
        found = measure(Bench(given.programs, given.downloads, given.bytes, given.timeout), cases, given.rounds)
    except TestbedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(table(found, list(cases)))
    sizes = f"{given.downloads} downloads of {given.bytes / 1e6:g} MB"
    print(f"\nRounds: {given.rounds}, each of {sizes} in every case; {machine.sentence()}")
    if given.json:
        rows = [{name: asdict(crowd) for name, crowd in this.items()} for this in found]
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
