"""Goodput of cc-server on loopback: controllers beside a reference, round by round.

    build/venv/bin/python tests/cost/goodput.py                                  hybrid and bbr2 beside cubic
    build/venv/bin/python tests/cost/goodput.py --timestamps on,off --rounds 20
    build/venv/bin/python tests/cost/goodput.py --client 'gtlsclient ... {address} {port} https://localhost:{port}/{bytes}'

In each round every controller serves one download from a server of its own, in an order that the next round turns
around; what is compared are the two of a round. Server and client share the machine's cores, so seconds of the server's
processor time per gigabyte say more than the goodput when something else runs, too. docs/cost.md has figures.

Exit codes: 0 all is measured; 1 a program did not do what it should; 2 wrong usage; 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "interop" / "testbed"))

from rounds import Download, table
from testbed import CLOSE_TIMEOUT, READY_TIMEOUT, Program, TestbedError

HERE = Path(__file__).resolve().parent
PROGRAMS = Path(os.environ.get("QUICHE_CC_BIN_DIR", HERE.parents[1] / "build" / "bin"))
TIMESTAMPS = {"on": (), "off": ("--receive-timestamps", "0")}
MOST_BYTES = 10**12


@dataclass(frozen=True)
class Case:
    """A server as it is compared with others."""

    cc: str
    timestamps: str

    @property
    def name(self) -> str:
        return self.cc if self.timestamps == "on" else f"{self.cc}, no timestamps"


@dataclass(frozen=True)
class Bench:
    """What all downloads have in common."""

    programs: Path
    size: int
    timeout: float
    client: str

    def download(self, case: Case, folder: Path) -> Download:
        """From a server that is started for it, and stopped."""
        authority = folder / "server.pem"
        serve: list[str | Path] = [self.programs / "cc-server", "--listen", "127.0.0.1:0", "--cc", case.cc]
        serve += ["--save-cert", authority, *TIMESTAMPS[case.timestamps]]
        before = processor_time()
        with Program(serve, folder / "server.log") as server:
            address, _, port = str(server.next(READY_TIMEOUT)["addresses"][0]).rpartition(":")
            seconds = self._fetch(address, port, authority)
            client = processor_time() - before
            closed = server.next(CLOSE_TIMEOUT)
            server.stop()
        return Download(
            bits_per_second=self.size * 8 / seconds,
            server_seconds_per_gb=(processor_time() - before - client) / self.size * 1e9,
            client_seconds_per_gb=client / self.size * 1e9,
            lost=closed["packets_lost"] / max(closed["packets_sent"], 1),
        )

    def _fetch(self, address: str, port: str, authority: Path) -> float:
        """How long it took: as cc-client says from the request to the last byte, of other clients the whole process."""
        words = {"address": address, "port": port, "bytes": str(self.size), "ca": str(authority)}
        command = [word.format_map(words) for word in shlex.split(self.client)]
        # What another client prints may be the content.
        own = Path(command[0]).name == "cc-client"
        said = subprocess.PIPE if own else subprocess.DEVNULL
        begin = time.monotonic()
        try:
            done = subprocess.run(
                command, stdout=said, stderr=subprocess.PIPE, text=True, timeout=self.timeout, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise TestbedError(f"the client took more than {self.timeout:g} s (--timeout)") from error
        except OSError as error:
            raise TestbedError(f"{command[0]} cannot be called: {error.strerror}") from error
        whole = time.monotonic() - begin
        if done.returncode != 0:
            raise TestbedError(f"{command[0]} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return reported(done.stdout, self.size) if own else whole


def reported(summary: str, size: int) -> float:
    """The seconds of cc-client's only download."""
    download: dict[str, Any] = json.loads(summary)["connections"][0]["downloads"][0]
    if download["bytes"] != size:
        raise TestbedError(f"{download['bytes']} bytes arrived, not {size}")
    return float(download["seconds"])


def processor_time() -> float:
    """Of all processes that were started here and are over, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(bench: Bench, cases: Sequence[Case], rounds: int) -> list[dict[str, Download]]:
    """A download of each case in every round, in turns forwards and backwards."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            this: dict[str, Download] = {}
            for case in cases if number % 2 == 0 else reversed(cases):
                this[case.name] = bench.download(case, Path(folder))
                print(f"[{number + 1}/{rounds}] {case.name}: {this[case.name]}", file=sys.stderr, flush=True)
            found.append(this)
    return found


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument(
        "--cc",
        default="cubic hybrid bbr2",
        help="controllers, with blanks between; the first is the reference (%(default)s)",
    )
    made.add_argument(
        "--timestamps", default="on", metavar="on,off", help="whether servers ask for receive timestamps (%(default)s)"
    )
    made.add_argument("--rounds", type=int, default=10, help="(%(default)s)")
    made.add_argument("--bytes", type=int, default=1_000_000_000, help="of a download (%(default)s)")
    made.add_argument("--timeout", type=float, default=120, help="of a download, in seconds (%(default)s)")
    made.add_argument(
        "--client", help="command instead of cc-client's; {address}, {port}, {bytes} and {ca} are filled in"
    )
    made.add_argument("--programs", type=Path, default=PROGRAMS, help="has cc-server and cc-client (%(default)s)")
    made.add_argument("--json", type=Path, metavar="FILE", help="every download's numbers")
    return made


def cases_of(given: argparse.Namespace) -> list[Case]:
    """Controllers outermost.

    Raises ValueError if something is not allowed."""
    states, ccs = given.timestamps.split(","), given.cc.split()
    if unknown := [state for state in states if state not in TIMESTAMPS]:
        raise ValueError(f"--timestamps: {unknown[0]!r} is neither `on` nor `off`")
    if len(set(ccs)) < max(len(ccs), 2) or len(set(states)) < len(states):
        raise ValueError("--cc names at least two controllers, each of them once, and --timestamps each state once")
    if given.rounds < 1 or not 1 <= given.bytes <= MOST_BYTES or not given.timeout > 0:
        raise ValueError(f"--rounds is at least 1, --bytes 1 to {MOST_BYTES}, --timeout above 0")
    for program in ("cc-server", "cc-client"):
        if not (given.programs / program).is_file():
            raise ValueError(f"there is no {given.programs / program}; cmake --build build makes it")
    return [Case(cc, state) for cc in ccs for state in states]


def main() -> int:
    arguments = parser()
    given = arguments.parse_args()
    try:
        cases = cases_of(given)
    except ValueError as error:
        arguments.error(str(error))
    own = [given.programs / "cc-client", "--json", "--null", "--no-progress", "--timeout", f"{given.timeout:.0f}"]
    client = shlex.join(map(str, own)) + " --ca {ca} --connect-to {address}:{port} https://localhost:{port}/{bytes}"
    bench = Bench(given.programs, given.bytes, given.timeout, given.client or client)
    try:
        found = measure(bench, cases, given.rounds)
    except TestbedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    references = {case.name: Case(cases[0].cc, case.timestamps).name for case in cases}
    print(table(found, references))
    if given.json:
        rows = [{name: asdict(download) for name, download in this.items()} for this in found]
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
