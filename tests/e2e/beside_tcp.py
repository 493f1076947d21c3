"""Plays the runner's `crosstraffic`: both endpoints in network namespaces, beside a download by the kernel's TCP."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tunnel
from namespaces import isolation
from runner_contract import DELAY, ENDPOINT, LINK, READY_TIMEOUT, Case, environment, prepare
from testbed import Program

_PORT = 443
_HEAD_START = 2.0  # seconds until TCP has left its slow start


@dataclass
class Shared:
    """What came of it."""

    code: int  # exit code of the client
    missing: list[str]
    seconds: float
    tcp_bytes: int  # that TCP got in that time
    link: dict[str, Any]


def spaces() -> list[str]:
    """The command for a namespace in which there can be a TUN device; skips the test if there is none."""
    isolated = isolation()
    if not isolated:
        pytest.skip("no network namespaces here: they need root, or user namespaces")
    try_it = [*isolated, sys.executable, tunnel.__file__]
    tried = subprocess.run(try_it, capture_output=True, text=True, check=False, timeout=READY_TIMEOUT)
    if tried.returncode != 0:
        pytest.skip(f"no TUN device can be made here: {tried.stderr.strip().splitlines()[-1:]}")
    return isolated


def play_beside_tcp(case: Case, folder: Path, programs: Path) -> Shared:
    isolated = spaces()
    files = prepare(case, folder)
    with ExitStack() as stack:
        near, far = (stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(2))
        for one in (near, far):
            one.bind(("127.0.0.1", 0))
        server = environment("server", case.client, folder, programs)
        server |= {"ENDPOINT_LISTEN": f"{tunnel.FAR}:{_PORT}"}
        far_side = _side("far", far, server, folder, [])
        stack.callback(_end, subprocess.Popen([*isolated, *far_side], pass_fds=[far.fileno()]))
        host, port = far.getsockname()
        relay: list[str | Path] = [
            programs / "cc-link",
            "--quiet",
            "--listen",
            "127.0.0.1:0",
            "--to",
            f"{host}:{port}",
            "--overhead",
            "0",
        ]
        link = stack.enter_context(Program([*relay, *LINK, "--delay", DELAY], folder / "link.log"))
        entrance = int(link.next(READY_TIMEOUT)["listen"].rpartition(":")[2])
        urls = " ".join(f"https://{case.host}:{_PORT}/{name}" for name in files)
        client = environment("client", case.client, folder, programs)
        client |= {"REQUESTS": urls, "CLIENT_PARAMS": f"--connect-to {tunnel.FAR}:{_PORT}"}
        near_side = _side("near", near, client, folder, ["127.0.0.1", entrance])
        told = subprocess.run(
            [*isolated, *near_side],
            pass_fds=[near.fileno()],
            capture_output=True,
            text=True,
            timeout=case.timeout,
            check=True,
        )
        result = json.loads(told.stdout)
        summary = link.stop()
    missing = [name for name in files if not _same(folder, name)]
    return Shared(result["code"], missing, result["seconds"], result["tcp_bytes"], summary)


def _side(side: str, through: socket.socket, env: dict[str, str], folder: Path, to: list[str | int]) -> list[str]:
    specification = {
        "side": side,
        "socket": through.fileno(),
        "to": to,
        "command": [str(ENDPOINT)],
        "environment": env,
        "log": str(folder / f"{side}.output"),
        "head_start": _HEAD_START,
    }
    path = folder / f"{side}.json"
    path.write_text(json.dumps(specification))
    return [sys.executable, tunnel.__file__, str(path)]


def _same(folder: Path, name: str) -> bool:
    got = folder / "downloads" / name
    return got.exists() and got.read_bytes() == (folder / "www" / name).read_bytes()


def _end(process: subprocess.Popen[bytes]) -> None:
    """`unshare` waits for its child through all signals but this one, which ends the whole namespace."""
    process.kill()
    process.wait()
