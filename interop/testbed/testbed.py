"""Server, bottleneck and client as real processes on loopback."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

READY_TIMEOUT = 20.0
# The packet that closes a connection may get lost; then the server's idle timeout does it.
CLOSE_TIMEOUT = 45.0
STOP_TIMEOUT = 20.0


class TestbedError(Exception):
    """A program did not do what it should; the message holds what it said."""

    __test__ = False


@dataclass(frozen=True)
class Bottleneck:
    """What lies between server and client. Rate, buffer and loss act on the way to the client."""

    rate: str = "1Mbps"
    delay: str = "50ms"  # one way, in each direction
    buffer: str = "400ms"
    loss: str = "0%"
    seed: int = 1
    extra: Sequence[str] = ()

    def arguments(self) -> list[str]:
        shape = ["--rate", self.rate, "--delay", self.delay, "--buffer", self.buffer, "--loss", self.loss]
        return [*shape, "--seed", str(self.seed), *self.extra]

    def __str__(self) -> str:
        loss = "" if self.loss == "0%" else f", {self.loss} random loss"
        return f"{self.rate}, {self.delay} each way, {self.buffer} drop-tail buffer{loss}"


@dataclass
class Outcome:
    """One download: what client, server and bottleneck say of it."""

    cc: str
    client: dict[str, Any]
    link: dict[str, Any]
    server: dict[str, Any]
    trace: Path  # of the server
    client_trace: Path
    link_log: Path
    record: Path  # what the bottleneck did with every packet (docs/run-record.md)
    downloads: list[dict[str, Any]] = field(default_factory=list)

    @property
    def goodput(self) -> float:
        """Mean goodput of the downloads, in bit/s, from the request to the last byte."""
        return sum(float(d["goodput_bits_per_second"]) for d in self.downloads)

    @property
    def queueing(self) -> dict[str, float]:
        """Queueing delay of the packets towards the client, in ms, as the bottleneck measured it."""
        delays: dict[str, float] = self.link["down"]["queue_delay_ms"]
        return delays

    @property
    def loss(self) -> float:
        """Share of packets towards the client that were dropped."""
        return float(self.link["down"]["loss"])


class Program:
    """A program that prints JSON lines, the first of which says that it is ready."""

    def __init__(self, command: Sequence[str | Path], log: Path, stdin: int = subprocess.DEVNULL) -> None:
        self.name = Path(command[0]).name
        self.log = log
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def next(self, timeout: float) -> dict[str, Any]:
        """The next line; an error if the program ends or says nothing in time."""
        try:
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            line = None
        if line is None:
            raise TestbedError(f"{self.name} did not answer within {timeout:.0f} s:\n{self.errors()}")
        message: dict[str, Any] = json.loads(line)
        return message

    def errors(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]

    def stop(self) -> dict[str, Any]:
        """Ends the program in good order and gives the last line it printed."""
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired as error:
            self.process.kill()
            raise TestbedError(f"{self.name} did not stop within {STOP_TIMEOUT:.0f} s:\n{self.errors()}") from error
        last: dict[str, Any] = {}
        while (line := self.lines.get(timeout=STOP_TIMEOUT)) is not None:
            last = json.loads(line)
        return last

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


@dataclass(frozen=True)
class Testbed:
    """Where the programs are, and where their output goes."""

    __test__ = False
    programs: Path
    out: Path
    root: Path | None = None  # files that the server offers
    server: Sequence[str] = ()  # further options of the server
    progress: bool = False

    def download(self, cc: str, bottleneck: Bottleneck, *paths: str, timeout: float = 300, label: str = "") -> Outcome:
        """Downloads `paths` from a server that runs `cc`, through `bottleneck`."""
        folder = self.out / (label or cc.replace(":", "-").replace(",", "-").replace("=", "-"))
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*qlog/*"):
            old.unlink()
        authority = folder / "server.pem"
        serve: list[str | Path] = [self.programs / "cc-server", "--listen", "127.0.0.1:0", "--cc", cc]
        serve += ["--qlog", folder / "qlog", "--save-cert", authority, *self.server]
        if self.root:
            serve += ["--root", self.root]
        link_log, record = folder / "link.jsonl", folder / "record.parquet"
        with Program(serve, folder / "server.log") as server:
            address = server.next(READY_TIMEOUT)["addresses"][0]
            relay: list[str | Path] = [self.programs / "cc-link", "--quiet", "--listen", "127.0.0.1:0", "--to", address]
            relay += ["--log", link_log, "--record", record, *bottleneck.arguments()]
            with Program(relay, folder / "link.log") as link:
                entrance = link.next(READY_TIMEOUT)["listen"]
                client = self._fetch(entrance, authority, folder, paths, timeout)
                closed = server.next(CLOSE_TIMEOUT)
                server.stop()
                summary = link.stop()
        of_server, of_client = (_only_trace(folder / name) for name in ("qlog", "client-qlog"))
        downloads = client["connections"][0]["downloads"]
        return Outcome(cc, client, summary, closed, of_server, of_client, link_log, record, downloads)

    def _fetch(
        self, entrance: str, authority: Path, folder: Path, paths: Sequence[str], timeout: float
    ) -> dict[str, Any]:
        command = [self.programs / "cc-client", "--json", "--ca", authority, "--hash", "--timeout", str(int(timeout))]
        command += ["--out", folder / "downloads", "--connect-to", entrance, "--qlog", folder / "client-qlog"]
        command += [] if self.progress else ["--no-progress"]
        port = entrance.rsplit(":", 1)[1]
        urls = [f"https://localhost:{port}{path}" for path in paths]
        errors = None if self.progress else subprocess.PIPE
        done = subprocess.run(
            [str(part) for part in [*command, *urls]],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            timeout=timeout + 30,
            check=False,
        )
        if done.returncode != 0:
            raise TestbedError(f"cc-client ended with {done.returncode}:\n{done.stdout}\n{done.stderr or ''}")
        summary: dict[str, Any] = json.loads(done.stdout)
        return summary


def _only_trace(folder: Path) -> Path:
    traces = sorted(folder.glob("*.sqlog"))
    if len(traces) != 1:
        raise TestbedError(f"{len(traces)} traces in {folder}, not one")
    return traces[0]
