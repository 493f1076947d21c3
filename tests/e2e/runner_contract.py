"""Plays the quic-interop-runner for two endpoints: directories, environment, files, network, exit codes."""

from __future__ import annotations

import json
import os
import random
import string
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from certificates import write_chain
from simulator import Captured, Mischief, Simulator
from testbed import Program

ENDPOINT = Path(__file__).resolve().parents[2] / "interop" / "runner" / "run_endpoint.sh"
UNSUPPORTED = 127
READY_TIMEOUT = 20.0
STOP_TIMEOUT = 5.0
# What the runner's simulator does in most cases: 10 Mbit/s, 15 ms and 25 packets each way.
DELAY = "15ms"
_NOWHERE = ("127.0.0.1", 0)
LINK = ("--rate", "10Mbps", "--up-rate", "10Mbps", "--buffer", "25p", "--up-buffer", "25p")


@dataclass(frozen=True)
class Case:
    """A test case of the runner, as endpoints and network see it."""

    client: str  # TESTCASE of the client
    files: Sequence[int]  # sizes in bytes
    server: str = ""  # TESTCASE of the server, if it is not the client's
    delay: str = DELAY
    link: Sequence[str] = ()  # further options of cc-link
    mischief: Mischief = field(default_factory=Mischief)  # in front of the server
    nat: Mischief = field(default_factory=Mischief)  # in front of the client: what is on the link is lost, too
    chain: int = 1  # certificates between the root and the end
    host: str = "server4"
    listen: str = "127.0.0.1:0"
    moves: bool = False  # whether the server has a second address, with a path of its own, that it prefers
    name_length: int = 10
    cc: str = ""
    timeout: float = 60.0


@dataclass
class Play:
    """What came of a case."""

    folder: Path
    code: int  # exit code of the client
    captured: list[Captured]
    damaged: int  # datagrams that were corrupted on the way
    link: dict[str, Any]
    seconds: float
    files: list[str] = field(default_factory=list)
    moved: list[Captured] = field(default_factory=list)  # on the path to the server's preferred address

    def logs(self, role: str) -> Path:
        return self.folder / "logs" / role

    def qlogs(self, role: str) -> list[list[dict[str, Any]]]:
        """The traces of an endpoint, in the order in which the connections began."""
        traces = [_records(path) for path in (self.logs(role) / "qlog").glob("*.sqlog")]
        return sorted(traces, key=_began)

    def keylog(self, role: str) -> dict[str, set[str]]:
        """By label, the client randoms of which there are secrets."""
        found: dict[str, set[str]] = {}
        for line in (self.logs(role) / "keys.log").read_text().splitlines():
            label, client_random, _ = line.split()
            found.setdefault(label, set()).add(client_random)
        return found

    def secret(self, role: str, label: str) -> bytes:
        """The secret of this label, of the only connection."""
        lines = (self.logs(role) / "keys.log").read_text().splitlines()
        (secret,) = {line.split()[2] for line in lines if line.startswith(f"{label} ")}
        return bytes.fromhex(secret)

    def reports(self) -> list[dict[str, Any]]:
        """The client's connections, as it reported them."""
        lines = (self.logs("client") / "client.jsonl").read_text().splitlines()
        return [connection for line in lines for connection in json.loads(line)["connections"]]

    def missing(self) -> list[str]:
        """Files that the client does not have, or has otherwise."""
        sent, got = self.folder / "www", self.folder / "downloads"
        same = (name for name in self.files if (got / name).exists())
        good = {name for name in same if (got / name).read_bytes() == (sent / name).read_bytes()}
        return [name for name in self.files if name not in good]


def packets(trace: list[dict[str, Any]], what: str, kind: str = "") -> Iterator[dict[str, Any]]:
    """The `data` of packets that were `sent` or `received`, of one type or all."""
    for event in trace:
        if event.get("name") == f"quic:packet_{what}":
            data: dict[str, Any] = event["data"]
            if kind in ("", data["header"]["packet_type"]):
                yield data


def frames(trace: list[dict[str, Any]], what: str, frame_type: str, kind: str = "") -> Iterator[dict[str, Any]]:
    """The frames of one type in packets that were `sent` or `received`."""
    for packet in packets(trace, what, kind):
        yield from (frame for frame in packet.get("frames", []) if frame["frame_type"] == frame_type)


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(record) for record in path.read_bytes().split(b"\x1e") if record.strip()]


def _began(trace: list[dict[str, Any]]) -> str:
    began: str = trace[0]["trace"]["common_fields"]["reference_time"]["wall_clock_time"]
    return began


def environment(role: str, testcase: str, folder: Path, programs: Path) -> dict[str, str]:
    """What the runner sets in a container, and where to find what it mounts there."""
    logs = folder / "logs" / role
    return {
        "PATH": os.environ["PATH"],
        "ROLE": role,
        "TESTCASE": testcase,
        "SSLKEYLOGFILE": str(logs / "keys.log"),
        "QLOGDIR": f"{logs}/qlog/",
        "ENDPOINT_WWW": str(folder / "www"),
        "ENDPOINT_DOWNLOADS": str(folder / "downloads"),
        "ENDPOINT_CERTS": str(folder / "certs"),
        "ENDPOINT_LOGS": str(logs),
        "ENDPOINT_PROGRAMS": str(programs),
    }


def play(case: Case, folder: Path, programs: Path) -> Play:
    """Runs a case with this project's endpoint in both roles."""
    files = prepare(case, folder)
    server_says = {"SERVER_PARAMS": f"CC={case.cc}" if case.cc else "", "ENDPOINT_LISTEN": case.listen}
    with ExitStack() as network:
        preferred = network.enter_context(Simulator(_NOWHERE, case.mischief)) if case.moves else None
        if preferred:
            link, entrance = _link(case, folder / "preferred.log", programs, preferred, network)
            network.callback(link.stop)  # in good order, for its record
            server_says |= {"ENDPOINT_LISTEN": f"{case.listen} {case.listen}", "ENDPOINT_PREFERRED": entrance}
        server_environment = environment("server", case.server or case.client, folder, programs) | server_says
        server = subprocess.Popen([ENDPOINT], env=server_environment, stderr=subprocess.DEVNULL)
        try:
            addresses = _listening(server, folder)
            if preferred:
                preferred.to = addresses[1]
            with Simulator(addresses[0], case.mischief) as simulator:
                result, seconds, summary = _through_link(case, files, folder, programs, simulator)
            server.terminate()
            stopped = server.wait(STOP_TIMEOUT)
        finally:
            server.kill()
            server.wait()
    assert stopped == 0, (folder / "logs/server/server.log").read_text()
    moved = preferred.captured if preferred else []
    return Play(folder, result, simulator.captured, simulator.damaged, summary, seconds, files, moved)


def prepare(case: Case, folder: Path) -> list[str]:
    """Makes the directories, certificates and files; the files' names."""
    generator = random.Random(len(case.files))
    for name in ("www", "downloads", "certs", "logs/server/qlog", "logs/client/qlog"):
        (folder / name).mkdir(parents=True)
    write_chain(folder / "certs", case.chain)
    names = []
    for size in case.files:
        names.append("".join(generator.choices(string.ascii_lowercase, k=case.name_length)))
        (folder / "www" / names[-1]).write_bytes(generator.randbytes(size))
    return names


def _listening(server: subprocess.Popen[bytes], folder: Path) -> list[tuple[str, int]]:
    """Waits until the server is ready, and says where."""
    said = folder / "logs/server/server.jsonl"
    deadline = time.monotonic() + READY_TIMEOUT
    while time.monotonic() < deadline and server.poll() is None:
        if said.exists() and "\n" in (text := said.read_text()):
            pairs = (address.rpartition(":") for address in json.loads(text.splitlines()[0])["addresses"])
            return [(host.strip("[]"), int(port)) for host, _, port in pairs]
        time.sleep(0.01)
    raise AssertionError(f"the server is not ready; its exit code is {server.poll()}")


def _link(case: Case, log: Path, programs: Path, simulator: Simulator, network: ExitStack) -> tuple[Program, str]:
    """Starts a link to the simulator; it and where it listens."""
    host, port = simulator.address
    literal = f"[{host}]" if ":" in host else host
    relay: list[str | Path] = [programs / "cc-link", "--quiet", "--listen", f"{literal}:0", "--to", f"{literal}:{port}"]
    relay += [*LINK, "--delay", case.delay, *case.link, "--record", log.with_suffix(".parquet")]
    link = network.enter_context(Program(relay, log))
    return link, link.next(READY_TIMEOUT)["listen"]


def _through_link(
    case: Case, files: Sequence[str], folder: Path, programs: Path, simulator: Simulator
) -> tuple[int, float, dict[str, Any]]:
    with ExitStack() as network:
        link, entrance = _link(case, folder / "link.log", programs, simulator, network)
        if case.nat.rebind:
            host, _, port = entrance.rpartition(":")
            nat = network.enter_context(Simulator((host, int(port)), case.nat))
            entrance = f"{nat.address[0]}:{nat.address[1]}"
        params = f"--connect-to {entrance}" + (f" CC={case.cc}" if case.cc else "")
        urls = " ".join(f"https://{case.host}:443/{name}" for name in files)
        client_says = {"REQUESTS": urls, "CLIENT_PARAMS": params}
        start = time.monotonic()
        done = subprocess.run(
            [ENDPOINT],
            env=environment("client", case.client, folder, programs) | client_says,
            stderr=subprocess.DEVNULL,
            timeout=case.timeout,
            check=False,
        )
        seconds = time.monotonic() - start
        return done.returncode, seconds, link.stop()
