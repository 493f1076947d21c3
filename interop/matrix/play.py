"""Plays one cell: folders, certificates, files, server, network, client."""

from __future__ import annotations

import hashlib
import random
import string
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import browser
import ends
import pcap
from certificates import write_chain
from ends import CellError, Place, Server, Unsupported
from model import OTHER, Case, End, Peer, Role
from simulator import Captured, Simulator
from simulator import Mischief as Simulated
from testbed import Program

READY_TIMEOUT = 20.0
RECORD = "link.parquet"
"""In a cell's folder: what its link did with every packet (docs/run-record.md)."""


@dataclass
class Played:
    """What came of it."""

    folder: Path
    peer_role: Role
    case: Case
    captured: list[Captured] = field(default_factory=list)
    damaged: int = 0
    moved: list[Captured] = field(default_factory=list)  # in front of the second address of our server
    server: tuple[str, int] = ("", 0)
    link: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    files: list[str] = field(default_factory=list)
    alpn: str = ""

    @property
    def our_role(self) -> Role:
        return OTHER[self.peer_role]

    @property
    def capture(self) -> Path:
        return self.folder / "capture.pcapng"


@dataclass(frozen=True)
class Cell:
    """One field of the matrix."""

    peer: Peer
    role: Role  # the peer's
    case: Case
    cc: str

    @property
    def name(self) -> str:
        cc = "".join(letter if letter.isalnum() else "-" for letter in self.cc)
        return f"{self.peer.name}.{self.role}.{self.case.name}.{cc}"

    @property
    def end(self) -> End:
        end = self.peer.end(self.role)
        if end is None:
            raise Unsupported(self.peer.missing_role)
        return end


def play(cell: Cell, place: Place, path: Mapping[str, str], own_network: bool) -> Played:
    """Runs the cell; what it left behind is for the checks. `own_network`: the network namespace is its own."""
    refuse_what_cannot_be(cell, own_network)
    played = Played(place.folder, cell.role, cell.case, alpn=ends.choose_alpn(cell.end, cell.case))
    played.files = prepare(cell, place)
    with ExitStack() as stack:
        host = "::1" if cell.case.family == "ipv6" else "127.0.0.1"
        second = _second_path(cell, place, path, stack) if cell.case.moves else None
        ports = serve(cell, place, played.alpn, stack, second.entrance if second else 0)
        played.server = (host, ports[0])
        if second:
            second.simulator.to = (host, ports[-1])
        simulator = stack.enter_context(Simulator(played.server, _simulated(cell.case)))
        with link(path, cell.case.link, simulator.address, place) as relay:
            port = int(relay.next(READY_TIMEOUT)["listen"].rsplit(":", 1)[1])
            if cell.case.rebind:
                # As in the runner: one NAT for both ends of the link. What comes from the client has the new address
                # when it leaves the link, and what is on it towards the old address is lost.
                port = stack.enter_context(Simulator((host, port), Simulated(), behind=simulator)).address[1]
            began = time.monotonic()
            try:
                fetch(cell, place, played, port)
            finally:
                played.seconds = time.monotonic() - began
                played.captured, played.damaged = simulator.captured, simulator.damaged
                played.moved = second.simulator.captured if second else []
                played.link = relay.stop()
                _save(played, place)
    return played


@dataclass(frozen=True)
class _SecondPath:
    """To the address that the server prefers."""

    simulator: Simulator
    entrance: int


def _second_path(cell: Cell, place: Place, path: Mapping[str, str], stack: ExitStack) -> _SecondPath:
    """Where it leads to is known when the server runs."""
    simulator = stack.enter_context(Simulator(("127.0.0.1", 0), _simulated(cell.case)))
    if cell.role == "server":
        # Its program listens itself at the address that it names, so nothing can stand in between.
        return _SecondPath(simulator, ends.free_port(cell.case.family))
    relay = stack.enter_context(link(path, cell.case.link, simulator.address, place, "preferred"))
    stack.callback(relay.stop)  # in good order, for its record
    return _SecondPath(simulator, int(relay.next(READY_TIMEOUT)["listen"].rsplit(":", 1)[1]))


def refuse_what_cannot_be(cell: Cell, own_network: bool) -> None:
    """What the data say beforehand."""
    if reason := cell.end.unsupported.get(cell.case.name):
        raise Unsupported(reason)
    ends.choose_alpn(cell.end, cell.case)
    if (cell.end.root or cell.end.port) and not own_network:
        raise Unsupported("needs root or user namespaces, which are not there")


def prepare(cell: Cell, place: Place) -> list[str]:
    """Folders, certificates and files; the names of the files."""
    case = cell.case
    generator = random.Random(case.name)
    for name in ("www", "downloads", "certs", "logs/server/qlog", "logs/client/qlog"):
        (place.folder / name).mkdir(parents=True)
    write_chain(place.folder / "certs", case.chain)
    names = []
    for size in [*case.files] * case.repeat:
        names.append("".join(generator.choices(string.ascii_lowercase, k=case.name_length)))
        (place.folder / "www" / names[-1]).write_bytes(generator.randbytes(size))
    if cell.end.driver == "browser":
        browser.write_page(place.folder / "www")
    return names


def serve(cell: Cell, place: Place, alpn: str, stack: ExitStack, preferred: int = 0) -> list[int]:
    """Starts the server, which names the port `preferred` if there is one; the ports that it listens on."""
    case, logs = cell.case, place.logs("server")
    if cell.role == "client":
        listen = "[::1]:0" if case.family == "ipv6" else "127.0.0.1:0"
        environment = ends.our_environment("server", case, place, alpn, cell.cc)
        environment |= {"ENDPOINT_LISTEN": listen, "SERVER_PARAMS": f"CC={cell.cc}"}
        if preferred:
            environment |= {"ENDPOINT_LISTEN": f"{listen} {listen}", "ENDPOINT_PREFERRED": f"127.0.0.1:{preferred}"}
        return stack.enter_context(Server([str(ends.ENDPOINT)], environment, logs)).ours_listens_on()
    port = cell.end.port or ends.free_port(case.family)
    values = ends.peer_values(cell.end, "server", case, place, alpn, port) | {"preferred": str(preferred)}
    if cell.end.origin:
        values["origin"] = str(stack.enter_context(ends.origin(place.folder / "www")))
    values |= {name: options.get(case.name, "") for name, options in cell.end.words.items()}
    ends.write_files(cell.end, values)
    command = ends.peer_command(cell.end, case, alpn, values, first=False)
    server = stack.enter_context(Server(command, ends.peer_environment(cell.end, values), logs))
    server.wait_for(port)
    return [port]


def _simulated(case: Case) -> Simulated:
    return Simulated(
        corrupt=case.mischief.corrupt,
        drop_to_server=frozenset(case.mischief.drop_to_server),
        rebind=case.rebind,
        own_addresses=case.mischief.own_addresses,
    )


def link(
    path: Mapping[str, str], more: Mapping[str, str], to: tuple[str, int], place: Place, name: str = "link"
) -> Program:
    host = f"[{to[0]}]" if ":" in to[0] else to[0]
    command: list[str | Path] = [
        place.programs / "cc-link",
        "--quiet",
        "--listen",
        f"{host}:0",
        "--to",
        f"{host}:{to[1]}",
    ]
    for option, value in {**path, **more}.items():
        command += [f"--{option}", value]
    command += ["--log", place.folder / f"{name}.jsonl", "--record", place.folder / f"{name}.parquet"]
    return Program(command, place.folder / f"{name}.log")


def fetch(cell: Cell, place: Place, played: Played, port: int) -> None:
    files, case = played.files, cell.case
    parts = [[name] for name in files] if case.one_by_one else [files]
    if cell.role == "server":
        _fetch_ours(cell, place, played.alpn, port, files)
        return
    if case.first_alone and not cell.end.both_in_one:
        parts = [files[:1], files[1:]]
    deadline = time.monotonic() + case.timeout
    for number, part in enumerate(parts):
        first = case.first_alone and number == 0 and not cell.end.both_in_one
        _fetch_theirs(cell, place, played.alpn, port, part, first, deadline - time.monotonic())


def _fetch_ours(cell: Cell, place: Place, alpn: str, port: int, files: Sequence[str]) -> None:
    host = "[::1]" if cell.case.family == "ipv6" else "127.0.0.1"
    environment = ends.our_environment("client", cell.case, place, alpn, cell.cc)
    environment |= {
        "REQUESTS": " ".join(f"https://{ends.NAME}:443/{name}" for name in files),
        "CLIENT_PARAMS": f"--connect-to {host}:{port} CC={cell.cc}",
    }
    code = ends.run_client([str(ends.ENDPOINT)], environment, place.logs("client"), cell.case.timeout)
    if code == ends.UNSUPPORTED_CODE:
        raise Unsupported(ends.our_reason(place))
    if code != 0:
        raise CellError(f"our client ended with {code}: {ends.last_line(place.logs('client') / 'client.log')}")


def _fetch_theirs(
    cell: Cell, place: Place, alpn: str, port: int, files: Sequence[str], first: bool, timeout: float
) -> None:
    end, logs = cell.end, place.logs("client")
    values = ends.peer_values(end, "client", cell.case, place, alpn, port)
    urls = [f"https://{values['host']}:{port}/{name}" for name in files]
    values |= {"urls": urls, "files": list(files)}
    ends.write_files(end, values)
    command = ends.peer_command(end, cell.case, alpn, values, first)
    environment = ends.peer_environment(end, values)
    if end.driver == "browser":
        page = f"https://{values['host']}:{port}/{browser.PAGE}"
        browser.fetch(command, environment, page, files, place.folder / "downloads", logs, timeout)
        return
    code = ends.run_client(command, environment, logs, timeout)
    if code != 0:
        raise CellError(f"the client ended with {code}")


def _save(played: Played, place: Place) -> None:
    keys = place.logs(played.our_role) / "keys.log"
    keylog = keys.read_bytes() if keys.exists() else b""
    pcap.write(played.capture, played.captured, played.server, keylog)


def differing(played: Played) -> list[str]:
    """Files that did not arrive, or arrived otherwise."""
    sent, got = played.folder / "www", played.folder / "downloads"
    return [name for name in played.files if not (got / name).exists() or not _same(sent / name, got / name)]


def _same(one: Path, other: Path) -> bool:
    return hashlib.sha256(one.read_bytes()).digest() == hashlib.sha256(other.read_bytes()).digest()
