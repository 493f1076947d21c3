"""The two ends of a cell as processes: a peer as its data say, and our endpoint by the script of the runner's image."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import template
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from model import HERE, REPOSITORY, Case, DataError, End, Role

ENDPOINT = REPOSITORY / "interop" / "runner" / "run_endpoint.sh"
UNSUPPORTED_CODE = 127
READY_TIMEOUT = 30.0
STOP_TIMEOUT = 5.0
# What the certificate is for, beside the addresses.
NAME = "server4"


class Unsupported(Exception):
    """An end cannot do what the case asks for; the message is its reason."""


class CellError(Exception):
    """The cell failed before there was anything to check."""


class OutOfTime(CellError):
    """The client was not done in time."""


@dataclass(frozen=True)
class Place:
    """Where a cell lives. The names of folders are those that the runner mounts."""

    folder: Path
    home: Path  # of the peer's programs
    programs: Path  # ours
    address: str = ""  # of what clients talk to, if it is not loopback

    def logs(self, role: Role) -> Path:
        return self.folder / "logs" / role


def start(
    command: Sequence[str], environment: Mapping[str, str], logs: Path, output: IO[bytes], keep: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Starts a process in `logs`, in a session of its own; `keep`: file descriptors that it inherits."""
    return subprocess.Popen(
        command,
        env=dict(environment),
        cwd=logs,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=keep,
    )


class Server:
    """A running server; ends with the context."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], logs: Path, keep: Sequence[int] = ()
    ) -> None:
        """`keep`: file descriptors that it inherits."""
        self.logs = logs
        with (logs / "output.log").open("wb") as output:
            self.process = start(command, environment, logs, output, keep)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        stop(self.process)

    def output(self) -> str:
        return (self.logs / "output.log").read_text(errors="replace")[-2000:]

    def wait_for(self, port: int) -> None:
        """Until something listens on the UDP port."""
        deadline = time.monotonic() + READY_TIMEOUT
        while not _listens(port):
            if self.process.poll() is not None:
                raise CellError(f"the server ended with {self.process.returncode}: {self.output()}")
            if time.monotonic() > deadline:
                raise CellError(f"the server does not listen on port {port}: {self.output()}")
            time.sleep(0.02)

    def ours_listens_on(self) -> list[int]:
        """The ports of cc-server, which chose them itself."""
        said = self.logs / "server.jsonl"
        deadline = time.monotonic() + READY_TIMEOUT
        while time.monotonic() < deadline:
            if said.exists() and "\n" in (text := said.read_text()):
                addresses = json.loads(text.splitlines()[0])["addresses"]
                return [int(address.rsplit(":", 1)[1]) for address in addresses]
            if self.process.poll() == UNSUPPORTED_CODE:
                raise Unsupported(_reason(self.output()))
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise CellError(f"cc-server is not ready: {last_line(self.logs / 'server.log')}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and what it started."""
    for name in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, name)
        except ProcessLookupError:
            break
        try:
            process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def run_client(command: Sequence[str], environment: Mapping[str, str], logs: Path, timeout: float) -> int:
    """Its exit code; its output is appended to the log."""
    with (logs / "output.log").open("ab") as output:
        client = start(command, environment, logs, output)
        try:
            return client.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise OutOfTime(f"the client was not done within {timeout:.0f} s") from error
        finally:
            stop(client)


def our_environment(role: Role, case: Case, place: Place, alpn: str, cc: str) -> dict[str, str]:
    logs = place.logs(role)
    testcase = (case.client if role == "client" else case.server) or case.name
    return {
        "PATH": os.environ["PATH"],
        "ROLE": role,
        "TESTCASE": testcase,
        "SSLKEYLOGFILE": str(logs / "keys.log"),
        "QLOGDIR": f"{logs}/qlog/",
        "ENDPOINT_WWW": str(place.folder / "www"),
        "ENDPOINT_DOWNLOADS": str(place.folder / "downloads"),
        "ENDPOINT_CERTS": str(place.folder / "certs"),
        "ENDPOINT_LOGS": str(logs),
        "ENDPOINT_PROGRAMS": str(place.programs),
        "ENDPOINT_CC": cc,
        "ENDPOINT_HTTP3": "1" if alpn == "h3" else "",
    }


def last_line(log: Path) -> str:
    """What a program said last."""
    text = log.read_text(errors="replace").strip() if log.exists() else ""
    return text.splitlines()[-1] if text else "it said nothing"


def our_reason(place: Place) -> str:
    """Why our client ended with 127."""
    return _reason((place.logs("client") / "output.log").read_text())


def _reason(output: str) -> str:
    last = output.strip().splitlines()[-1] if output.strip() else ""
    return "quiche-cc: " + last.partition('": ')[2] if '": ' in last else "quiche-cc: not a case of its endpoint"


def peer_values(end: End, role: Role, case: Case, place: Place, alpn: str, port: int) -> dict[str, str | Sequence[str]]:
    address = place.address or ("::1" if case.family == "ipv6" else "127.0.0.1")
    host = f"[{address}]" if case.family == "ipv6" else address
    testcase = "http3" if alpn == "h3" and case.alpn == "h3" else (case.client if role == "client" else case.server)
    return {
        "home": str(place.home),
        "folder": str(place.folder),
        "matrix": str(HERE),
        "address": address,
        "name": NAME,
        "host": NAME if end.host == "name" else host,
        "port": str(port),
        "certs": str(place.folder / "certs"),
        "www": str(place.folder / "www"),
        "downloads": str(place.folder / "downloads"),
        "logs": str(place.logs(role)),
        "testcase": end.testcases.get(case.name, testcase or case.name),
        "case": case.name,
        **certificate_values(place.folder / "certs"),
        "quic_address": "quic6" if case.family == "ipv6" else "quic4",
        "host_address": host,
        "no_ipv6": "false" if case.family == "ipv6" else "true",
    }


def certificate_values(certs: Path) -> dict[str, str]:
    """The server's certificate in the forms that peers want."""
    chain = (certs / "cert.pem").read_bytes()
    public = x509.load_pem_x509_certificates(chain)[0].public_key()
    spki = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return {
        "certificate": chain.decode(),
        "key": (certs / "priv.key").read_text(),
        "spki": base64.b64encode(hashlib.sha256(spki).digest()).decode(),
    }


def peer_command(end: End, case: Case, alpn: str, values: template.Values, first: bool) -> list[str]:
    """With `{options}` replaced by what protocol and case add, or those at the end."""
    more = list(end.hq if alpn == "hq-interop" else end.h3)
    more += end.first.get(case.name, []) if first else end.cases.get(case.name, [])
    filled = {**values, "options": template.words(more, values)}
    command = list(end.command) if "{options}" in end.command else [*end.command, "{options}"]
    return template.words(command, filled)


def peer_environment(end: End, values: template.Values) -> dict[str, str]:
    own = {name: template.text(value, values) for name, value in end.environment.items()}
    return {"PATH": os.environ["PATH"], "HOME": str(values["logs"]), **own}


@contextmanager
def origin(www: Path) -> Iterator[int]:
    """The files over HTTP/1.1 on loopback, for servers that only pass them on; its port."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(www))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def write_files(end: End, values: template.Values) -> None:
    for name, content in end.files.items():
        target = Path(str(values["logs"])) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(template.text(content, values))


def choose_alpn(end: End, case: Case) -> str:
    """HTTP/0.9 where the peer has it, as the runner wants; otherwise the same case with HTTP/3."""
    if not case.alpn:
        return end.alpn[0]
    if case.alpn not in end.alpn:
        raise Unsupported(f"speaks {', '.join(end.alpn)} only")
    return case.alpn


def free_port(family: str) -> int:
    kind, host = (socket.AF_INET6, "::1") if family == "ipv6" else (socket.AF_INET, "127.0.0.1")
    with socket.socket(kind, socket.SOCK_DGRAM) as finder:
        finder.bind((host, 0))
        port: int = finder.getsockname()[1]
    return port


def _listens(port: int) -> bool:
    """Whether a UDP socket is bound to it in this network namespace."""
    ports = []
    for table in ("/proc/net/udp", "/proc/net/udp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError as error:
            raise DataError(f"{table} cannot be read: the matrix needs Linux") from error
        ports += [int(line.split()[1].rsplit(":", 1)[1], 16) for line in lines]
    return port in ports
