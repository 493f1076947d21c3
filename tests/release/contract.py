"""Runs the endpoint's image as the quic-interop-runner runs it: two containers, its variables and its folders.

Unlike the runner's, both containers are on one loopback, without a simulator between them. tests/e2e has the network,
and looks into the packets; here it is asked whether the image does what the script in it does outside.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from image import TAG, Store
from steps import ROOT, Failure, Report, attempt, run

sys.path.insert(0, str(ROOT / "interop" / "testbed"))

from certificates import write_chain

NEEDS = ("buildah", "umoci", "crun")
UNSUPPORTED = 127
READY_S = 30.0
CASE_S = 120.0
KB, MB = 1 << 10, 1 << 20
# No cgroups: limits are the runner's matter. crun refuses a machine with both kinds of them all the same, so one goes
# from its sight.
HIDING = ("unshare", "--mount", "sh", "-c", 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"', "hiding")
HOSTS = "127.0.0.1 localhost server server4 sim\n::1 localhost server6\n"
WAITED = ["setup.sh", "wait-for-it.sh sim:57832 -s -t 30"]
"""What a client has called of the simulator's scripts."""


@dataclass(frozen=True)
class Case:
    """A test case of the runner: what both are told, and what has to arrive."""

    client: str  # TESTCASE
    files: tuple[int, ...] = (KB,)  # sizes in bytes
    server: str = ""  # TESTCASE of the server, if it is not the client's
    host: str = "server4"
    params: str = ""  # SERVER_PARAMS


CASES = (
    Case("handshake"),
    Case("transfer", (2 * MB, 3 * MB, 5 * MB)),
    Case("transfer", (5 * MB,), params="CC=hybrid"),
    Case("transfer", (5 * MB,), host="server6"),
    Case("multiconnect", (KB,) * 20),
    Case("retry"),
    Case("resumption", (5 * KB, 10 * KB)),
    Case("zerortt", (32,) * 40),
    Case("http3", (5 * KB, 10 * KB, 500 * KB)),
    Case("ecn", (5 * KB,)),
    Case("keyupdate", (3 * MB,), server="transfer"),
    Case("transfer", (2 * MB,), server="connectionmigration"),
    Case("handshake", server="chacha20"),
)
REFUSED = (("server", "v2"), ("client", "v2"), ("client", "chacha20"), ("server", "qzxkwv"), ("client", "qzxkwv"))
"""Roles and cases that end with UNSUPPORTED. By a name that is no case the runner finds out what an image is worth."""


def lacking() -> str:
    missing = [name for name in NEEDS if shutil.which(name) is None]
    return f"not installed: {', '.join(missing)} (Debian has packages of these names)" if missing else ""


class Containers:
    """Containers of one image, in a network that is nothing but a loopback."""

    def __init__(self, store: Store, folder: Path, network: int) -> None:
        self.folder = folder
        self.network = network
        store.run("push", "--quiet", TAG, f"oci:{folder / 'oci'}:latest")
        run("umoci", "unpack", "--image", f"{folder / 'oci'}:latest", folder / "unpacked")
        self._config = read(folder / "unpacked" / "config.json")
        self._crun = [*HIDING, "crun", f"--root={folder / 'crun'}", "--cgroup-manager=disabled"]

    def lay(self, name: str, variables: dict[str, str], folders: Path) -> Path:
        """A bundle with what the runner sets and mounts."""
        config: dict[str, Any] = json.loads(self._config)
        process, linux = config["process"], config["linux"]
        process["terminal"] = False
        process["env"] += [f"{key}={value}" for key, value in variables.items()]
        config["hostname"] = name
        config["root"] = {"path": str(self.folder / "unpacked" / "rootfs"), "readonly": False}
        linux["namespaces"] = [space for space in linux["namespaces"] if space["type"] not in ("network", "cgroup")]
        linux["namespaces"].append({"type": "network", "path": f"/proc/{self.network}/ns/net"})
        linux.pop("resources", None)
        config["mounts"] = [mount for mount in config["mounts"] if mount["type"] != "cgroup"]
        config["mounts"] += mounts(folders, name)
        bundle = folders / f"bundle-{name}"
        bundle.mkdir()
        (bundle / "config.json").write_text(json.dumps(config), encoding="utf-8")
        return bundle

    def to_the_end(self, name: str, bundle: Path) -> int:
        code, said, error = attempt(*self._crun, "run", f"--bundle={bundle}", name, limit=CASE_S)
        (bundle / "said").write_text(said + error, encoding="utf-8")
        return code

    @contextmanager
    def beside(self, name: str, bundle: Path) -> Iterator[subprocess.Popen[bytes]]:
        """Until the block ends; then it gets the signal that ends a container, and has to end with 0."""
        with (bundle / "said").open("wb") as said:
            process = subprocess.Popen([*self._crun, "run", f"--bundle={bundle}", name], stdout=said, stderr=said)
            try:
                yield process
                run(*self._crun, "kill", name, "TERM")
                if (code := process.wait(READY_S)) != 0:
                    raise Failure(f"the {name} ended with {code}: {read(bundle / 'said')}")
            finally:
                attempt(*self._crun, "delete", "--force", name)
                process.wait(READY_S)


def mounts(folders: Path, role: str) -> list[dict[str, Any]]:
    """As in the runner's docker-compose.yml: what is only to be read cannot be written."""
    places = [
        (folders / "www", "/www", "ro"),
        (folders / "certs", "/certs", "ro"),
        (folders / "hosts", "/etc/hosts", "ro"),
    ]
    places += [(folders / "downloads", "/downloads", "rw"), (folders / "logs" / role, "/logs", "rw")]
    return [
        {"destination": to, "type": "bind", "source": str(source), "options": ["bind", how]}
        for source, to, how in places
    ]


def variables(role: str, testcase: str, params: str = "", requests: str = "") -> dict[str, str]:
    given = {"ROLE": role, "TESTCASE": testcase, "SSLKEYLOGFILE": "/logs/keys.log", "QLOGDIR": "/logs/qlog/"}
    return given | {f"{role.upper()}_PARAMS": params, "REQUESTS": requests}


def prepare(folders: Path, sizes: Sequence[int]) -> list[str]:
    """The runner's folders with certificates and files; the files' names."""
    for name in ("www", "downloads", "certs", "logs/server/qlog", "logs/client/qlog"):
        (folders / name).mkdir(parents=True)
    write_chain(folders / "certs", 1)
    (folders / "hosts").write_text(HOSTS, encoding="utf-8")
    generator = Random(len(sizes))
    names = [f"file{number}" for number in range(len(sizes))]
    for name, size in zip(names, sizes, strict=True):
        (folders / "www" / name).write_bytes(generator.randbytes(size))
    return names


@contextmanager
def loopback() -> Iterator[int]:
    """A network of its own; the process that holds it."""
    alone = ["unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec sleep infinity"]
    with subprocess.Popen(alone, stdout=subprocess.PIPE) as process:
        try:
            if not process.stdout or process.stdout.readline() != b"up\n":
                raise Failure("no network namespace can be made here")
            yield process.pid
        finally:
            process.kill()


def play(store: Store, folder: Path, report: Report) -> None:
    """All cases; a Failure names those that went wrong."""
    wrong: list[str] = []
    with loopback() as network:
        with report.step("the image, unpacked"):
            containers = Containers(store, folder, network)
        for number, case in enumerate(CASES):
            words = [case.client, f"server {case.server}" * bool(case.server), case.params, case.host]
            title = ", ".join(word for word in words if word)
            with report.step(f"case {title}"):
                wrong += [f"{title}: {what}" for what in play_case(containers, case, folder / f"case{number}")]
        with report.step("cases that are refused"):
            for role, testcase in REFUSED:
                wrong += play_refused(containers, role, testcase, folder / f"refused-{role}-{testcase}")
    if wrong:
        raise Failure("\n".join(wrong))
    report.fact(f"{len(CASES)} cases of the runner passed, {len(REFUSED)} were refused with {UNSUPPORTED}")


def play_refused(containers: Containers, role: str, testcase: str, folders: Path) -> Iterator[str]:
    prepare(folders, ())
    bundle = containers.lay(role, variables(role, testcase, requests="https://server4:443/none"), folders)
    code = containers.to_the_end(role, bundle)
    # A shell also ends with this code when it lacks a program.
    if code != UNSUPPORTED or f'unsupported by the {role}: test case "{testcase}"' not in read(bundle / "said"):
        yield f"{role} {testcase}: ended with {code}: {read(bundle / 'said')}"


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def play_case(containers: Containers, case: Case, folders: Path) -> Iterator[str]:
    """What is wrong with what came of a case."""
    names = prepare(folders, case.files)
    server = containers.lay("server", variables("server", case.server or case.client, case.params), folders)
    urls = " ".join(f"https://{case.host}:443/{name}" for name in names)
    with containers.beside("server", server) as process:
        wait_until_ready(process, folders / "logs" / "server" / "server.jsonl")
        client = containers.lay("client", variables("client", case.client, requests=urls), folders)
        code = containers.to_the_end("client", client)
    if code != 0:
        yield f"the client ended with {code}: {read(client / 'said')[-1000:]}"
    chosen = case.params.removeprefix("CC=")
    if f" with {chosen}" not in read(folders / "logs" / "server" / "server.log"):
        yield f"the server has another controller than {chosen}"
    yield from findings(folders, names)


def findings(folders: Path, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        got = folders / "downloads" / name
        if not got.exists() or got.read_bytes() != (folders / "www" / name).read_bytes():
            yield f"{name} did not arrive as it was sent"
    for role in ("server", "client"):
        logs = folders / "logs" / role
        if not list((logs / "qlog").glob("*.sqlog")):
            yield f"the {role} left no trace"
        if "CLIENT_TRAFFIC_SECRET_0" not in read(logs / "keys.log"):
            yield f"the {role} left no keys"
    called = read(folders / "logs" / "client" / "called").splitlines()
    if [line.strip() for line in called] != WAITED:
        yield f"the client called {called} of the simulator's scripts, not {WAITED}"


def wait_until_ready(process: subprocess.Popen[bytes], said: Path) -> None:
    deadline = time.monotonic() + READY_S
    while not (said.exists() and "\n" in read(said)):
        if process.poll() is not None or time.monotonic() > deadline:
            raise Failure(f"the server is not ready; its exit code is {process.poll()}")
        time.sleep(0.05)
