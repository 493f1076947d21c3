"""Many idle connections on one server process, and one download beside them: cc-server beside servers of others.

    build/venv/bin/python tests/load/idle.py --connections 1000
    build/venv/bin/python tests/load/idle.py --connections 10000 --ping 600 --server cc-server --server nginx

Each connection has fetched one small file by HTTP/3 and then sends a PING now and then. Memory per connection is what
the server has more than before, by their number. Needs the example idle_clients of quiche-cc-endpoint, for quiche's own
example server `http3-server` of the package quiche, and nginx as interop/matrix/run.py installs it.
docs/results/endpoint.md has figures.

Exit codes: 0 all is measured; 1 a program did not do what it should; 2 wrong usage; 130 interrupted.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from processes import PROGRAMS, ROOT, Machine, Program, TestbedError, all_fetched, client, memory, processor_s

BUILD = PROGRAMS.parent
EXAMPLES = BUILD / "target" / "release" / "examples"
NGINX = BUILD / "peers" / "nginx" / "bin" / "nginx"
CERTIFICATES = BUILD / "quiche" / "examples"
SERVERS = ("cc-server", "quiche's example", "nginx")
SMALL, LARGE = 1000, 200_000_000
QUICHE_PORT = 4433
"""It has no option for it."""
CONF = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 65536; }}
http {{
    access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    keepalive_timeout 3600s; client_header_timeout 3600s;
    server {{
        listen 127.0.0.1:{port} quic; http3 on; ssl_protocols TLSv1.3; root {root};
        ssl_certificate {certificates}/cert.crt; ssl_certificate_key {certificates}/cert.key;
    }}
}}
"""


@dataclass(frozen=True)
class Held:
    """A server with idle connections."""

    kib_per_connection: float
    alone_mbits: float
    """Goodput of one download without the others."""
    beside_mbits: float
    server_s_per_gb: float
    """Processor time of that beside them, of what the idle connections take as well."""
    kept: int
    """Connections that were open when that download was over."""


@dataclass(frozen=True)
class Bench:
    connections: int
    ping: int
    timeout: float
    folder: Path

    def start(self, name: str) -> tuple[subprocess.Popen[bytes], str]:
        """The server, and its port."""
        root = self.folder / "examples" / "root"
        log = (self.folder / "server.log").open("wb")
        if name == "nginx":
            conf = CONF.format(folder=self.folder, root=root, certificates=CERTIFICATES, port=QUICHE_PORT)
            (self.folder / "nginx.conf").write_text(conf, encoding="utf-8")
            words = [NGINX, "-p", self.folder, "-c", self.folder / "nginx.conf", "-e", self.folder / "error.log"]
        elif name == "cc-server":
            many = str(self.connections + 100)
            words = [PROGRAMS / "cc-server", "--listen", f"127.0.0.1:{QUICHE_PORT}", "--root", root, "--cc", "cubic"]
            words += ["--max-connections", many, "--max-per-address", many, "--max-per-network", many]
            words += ["--idle-timeout", "3600", "--stall-timeout", "3600"]
        else:
            words = [EXAMPLES / "http3-server"]
        started = [str(word) for word in words]
        server = subprocess.Popen(started, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=log)
        time.sleep(1)
        if server.poll() is not None:
            raise TestbedError(f"{name} ended with {server.returncode}: {(self.folder / 'server.log').read_text()}")
        return server, str(QUICHE_PORT)

    def measure(self, name: str) -> Held:
        server, port = self.start(name)
        try:
            alone = self.download(port)
            before = memory(server.pid, "VmRSS")
            words: list[str | Path] = [
                EXAMPLES / "idle_clients",
                f"127.0.0.1:{port}",
                str(self.connections),
                str(self.ping),
                "/small",
            ]
            with Program(words, self.folder / "clients.log", stdin=subprocess.PIPE) as holder:
                ready = holder.next(self.timeout)
                if ready["open"] < self.connections:
                    raise TestbedError(f"{name} has {ready['open']} of {self.connections} connections")
                more = memory(server.pid, "VmRSS") - before
                used = processor_s(server.pid)
                beside = self.download(port)
                used = processor_s(server.pid) - used
                held = ended(holder, self.timeout)
        finally:
            server.kill()
            server.wait()
        return Held(more / 1024 / self.connections, alone, beside, used / LARGE * 1e9, held)

    def download(self, port: str) -> float:
        """Its goodput in Mbit/s."""
        (fetched,) = all_fetched([client(PROGRAMS, self.timeout, port, "/large")], self.timeout)
        return float(fetched["goodput_bits_per_second"]) / 1e6


def ended(clients: Program, timeout: float) -> int:
    """Tells the idle clients to end, and how many connections were open until then."""
    assert clients.process.stdin is not None
    clients.process.stdin.close()
    return int(clients.next(timeout)["open"])


def table(found: Sequence[Mapping[str, Held]], connections: int) -> str:
    """A row for each server: medians of the rounds."""
    head = (
        "server",
        "connections",
        "memory of each, KiB",
        "one download, Mbit/s",
        "beside them",
        "server, s/GB",
        "kept",
    )
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name in found[0]:
        columns = [
            (statistics.median(getattr(this[name], field) for this in found), digits)
            for field, digits in (
                ("kib_per_connection", 1),
                ("alone_mbits", 0),
                ("beside_mbits", 0),
                ("server_s_per_gb", 2),
                ("kept", 0),
            )
        ]
        cells = [f"{value:.{digits}f}" for value, digits in columns]
        rows.append(f"| {name} | {connections:,} | {' | '.join(cells)} |")
    return "\n".join(rows)


def measure(given: argparse.Namespace) -> list[dict[str, Held]]:
    found = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        root = folder / "examples" / "root"
        root.mkdir(parents=True)
        for name in ("cert.crt", "cert.key"):
            shutil.copy(CERTIFICATES / name, folder / "examples" / name)
        (root / "small").write_bytes(bytes(SMALL))
        (root / "large").write_bytes(bytes(LARGE))
        bench = Bench(given.connections, given.ping, given.timeout, folder)
        for number in range(given.rounds):
            this: dict[str, Held] = {}
            for name in given.server or SERVERS:
                this[name] = bench.measure(name)
                print(f"[{number + 1}/{given.rounds}] {name}: {this[name]}", file=sys.stderr, flush=True)
            found.append(this)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=1000, help="(%(default)s)")
    parser.add_argument("--ping", type=int, default=2, help="seconds between PINGs of each (%(default)s)")
    parser.add_argument("--server", action="append", choices=SERVERS, help="only this one; may be repeated")
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--timeout", type=float, default=120, help="of each step, in seconds (%(default)s)")
    given = parser.parse_args()
    if given.connections < 1 or given.rounds < 1 or given.ping < 1:
        parser.error("--connections, --rounds and --ping are at least 1")
    wanted = given.server or SERVERS
    needed = {"cc-server": PROGRAMS / "cc-server", "quiche's example": EXAMPLES / "http3-server", "nginx": NGINX}
    for file in (PROGRAMS / "cc-client", EXAMPLES / "idle_clients", *(needed[name] for name in wanted)):
        if not file.is_file():
            parser.error(f"there is no {file.relative_to(ROOT) if file.is_relative_to(ROOT) else file}")
    machine = Machine()
    try:
        print(table(measure(given), given.connections))
        print(f"\nRounds: {given.rounds}; {machine.sentence()}")
    except TestbedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
