"""One transfer of a program over the emulated bottleneck: what runs, what proves its controller, and the delay."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec
import neighbours  # noqa: F401  (makes the shared modules importable)
from certificates import write_chain
from ends import CellError, Server, free_port
from table import Place
from testbed import Bottleneck, Program, Testbed, TestbedError

RATE, DELAY, BUFFER = "5Mbps", "20ms", "200ms"
SIZE = 5_000_000
# Of each transfer with one of our controllers; the median counts.
REPEATS = 3
TIMEOUT = 120.0
READY = 30.0

# What gives a program on the C library its controller, and what also holds its packets back.
FORCED: Mapping[str, str] = {"QUICHE_CC": "hybrid"}
HELD: Mapping[str, str] = {"QUICHE_CC": "hybrid", "QUICHE_CC_HOLD": "1"}

Direction = Literal["down", "up"]

_NAMED = re.compile(r'"cc:parameters_set".{0,40}?"controller":"([^"]+)"')
_SAID = re.compile(r"^libquiche: .*$", re.MULTILINE)


class TrialError(Exception):
    """A run that gave no figures; the message says why."""


class Result(msgspec.Struct):
    """What one run showed. Without `p95_ms` nothing was transferred that could queue."""

    run: str
    way: str
    asked: str
    proof: list[str]
    command: str
    p95_ms: float | None = None
    others_ms: list[float] = []  # of the other runs
    loss: float | None = None
    error: str = ""


@dataclass(frozen=True)
class Run:
    """A way to start a program. In `command` and `environment` stand {port}, {peer}, {folder} and {certs}.

    {port} is where a server has to listen, {peer} where a client finds one, through the bottleneck.
    """

    name: str
    way: str  # how the program gets its controller: "as it is", "configuration", "environment", "relink"
    asked: str  # which controller it should run
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)  # what has to be in {folder}
    # What cc-client fetches from a server; empty if the program answers with next to nothing.
    urls: Sequence[str] = (f"/{SIZE}",)
    options: Sequence[str] = ()  # of cc-client
    peer: Sequence[str] = ()  # the server that a client talks to; empty for cc-server
    bulk: Direction | None = "down"  # None: nothing that could queue
    refuses: bool = False  # whether the server may refuse some of the urls


@dataclass(frozen=True)
class Bench:
    """Where runs take place."""

    place: Place

    def measure(self, run: Run) -> Result:
        """The run whose delay is the median."""
        several = REPEATS if run.bulk and run.asked == "hybrid" else 1
        return median([self._once(run) for _ in range(several)])

    def _once(self, run: Run) -> Result:
        folder = self.place.home / "runs" / re.sub(r"[^a-z0-9]+", "-", run.name.lower()).strip("-")
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.rglob("*.*log*"):
            old.unlink()
        (folder / "qlog").mkdir(exist_ok=True)
        (folder / "certs").mkdir(exist_ok=True)
        write_chain(folder / "certs", 1)
        shown = " ".join([*(f"{name}={value}" for name, value in run.environment.items()), *run.command])
        result = Result(run.name, run.way, run.asked, [], self._shortened(shown, folder))
        try:
            self._transfer(run, folder, result)
        except (TrialError, TestbedError, CellError, subprocess.TimeoutExpired) as error:
            result.error = str(error)
        result.proof = proof(folder)
        return result

    def paced(self) -> Result:
        """The reference: cc-server, which sends when the pacer says so."""
        return median([self._paced_once() for _ in range(REPEATS)])

    def _paced_once(self) -> Result:
        bed = Testbed(self.place.programs, self.place.home / "runs", server=("--receive-timestamps", "0"))
        outcome = bed.download("hybrid", Bottleneck(RATE, DELAY, BUFFER), f"/{SIZE}", label="paced")
        named = [f"qlog: {name}" for name in controllers(outcome.trace)]
        return Result(
            "cc-server", "configuration", "hybrid", named, "cc-server --cc hybrid --receive-timestamps 0",
            outcome.queueing["p95"], loss=outcome.loss,
        )  # fmt: skip

    def _transfer(self, run: Run, folder: Path, result: Result) -> None:
        is_client = run.bulk == "up" or bool(run.peer)
        values = {"folder": str(folder), "certs": str(folder / "certs"), "port": str(free_port("ipv4"))}
        for name, text in run.files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(_fill(text, values))
        environment = os.environ | {name: _fill(value, values) for name, value in run.environment.items()}
        serve = [_fill(word, values) for word in (run.peer if is_client else run.command)]
        logs = folder / "server"
        logs.mkdir(exist_ok=True)
        with Server(serve, dict(os.environ) if is_client else environment, logs) as server:
            server.wait_for(int(values["port"]))
            with Program(self._link(run, values["port"], folder), folder / "link.log") as link:
                values["peer"] = link.next(READY)["listen"].rsplit(":", 1)[1]
                if is_client:
                    command = [_fill(word, values) for word in run.command]
                    self._watch(command, environment, folder)
                else:
                    self._fetch(run, values["peer"], folder)
                summary = link.stop()
        if run.bulk is not None:
            way: dict[str, Any] = summary[run.bulk]
            result.p95_ms, result.loss = float(way["queue_delay_ms"]["p95"]), float(way["loss"])

    def _link(self, run: Run, port: str, folder: Path) -> list[str | Path]:
        own = "--up-" if run.bulk == "up" else "--"
        shape = [f"{own}rate", RATE, f"{own}buffer", BUFFER, "--delay", DELAY]
        to: list[str | Path] = ["--listen", "127.0.0.1:0", "--to", f"127.0.0.1:{port}", "--log", folder / "link.jsonl"]
        return [self.place.programs / "cc-link", "--quiet", *to, *shape]

    def _fetch(self, run: Run, port: str, folder: Path) -> None:
        command = [self.place.programs / "cc-client", "--json", "--insecure", "--null", "--no-progress"]
        urls = [f"https://127.0.0.1:{port}{url}" for url in run.urls]
        words = [str(word) for word in [*command, "--timeout", str(int(TIMEOUT)), *run.options, *urls]]
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT + READY, check=False)
        (folder / "client.json").write_text(done.stdout)
        if done.returncode != 0 and not (run.refuses and done.returncode == 1):
            raise TrialError(f"cc-client ended with {done.returncode}: {done.stdout}{done.stderr}"[:300])
        (connection,) = json.loads(done.stdout)["connections"]
        if all(download["seconds"] is None for download in connection["downloads"]):
            raise TrialError("cc-client got nothing")

    def _watch(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        with (folder / "client.log").open("wb") as log:
            done = subprocess.run(
                command, env=dict(environment), cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                timeout=TIMEOUT, check=False,
            )  # fmt: skip
        if done.returncode != 0:
            raise TrialError(f"ended with {done.returncode}: {(folder / 'client.log').read_text()[-1000:]}")

    def _shortened(self, command: str, folder: Path) -> str:
        """Without the folders of this machine."""
        for long, short in (
            (str(folder), "."),
            (str(self.place.home), "build/programs"),
            (str(self.place.build), "build"),
        ):
            command = command.replace(long, short)
        return command


def median(results: Sequence[Result]) -> Result:
    """The result with the median delay; the first that failed, if one did."""
    for result in results:
        if result.error or result.p95_ms is None:
            return result
    ordered = sorted(results, key=lambda result: result.p95_ms or 0.0)
    middle = ordered.pop(len(ordered) // 2)
    middle.others_ms = [result.p95_ms or 0.0 for result in ordered]
    return middle


def proof(folder: Path) -> list[str]:
    """What says which controller ran: traces, and what the library printed."""
    named = {name for trace in sorted(folder.glob("qlog/*")) for name in controllers(trace)}
    found = [f"qlog: {name}" for name in sorted(named)]
    for log in (folder / "client.log", folder / "server/output.log"):
        if log.exists():
            found += [f"log: {line}" for line in dict.fromkeys(_SAID.findall(log.read_text(errors="replace")))]
    return found


def controllers(trace: Path) -> list[str]:
    """The controllers that a trace names."""
    return list(dict.fromkeys(_NAMED.findall(trace.read_text(errors="replace"))))


def _fill(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
