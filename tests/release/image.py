"""Builds the image of the quic-interop-runner's endpoint from its Dockerfile, without a daemon and without a registry.

The Dockerfile names two images of others. Where they cannot be pulled, stand-ins of Debian packages take their names in
a store of this build's own:

- `rust`: compilers, git, and the Rust toolchain of this machine;
- the simulator's endpoint: the network tools of the original. /setup.sh and /wait-for-it.sh note that they were called.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from debian import delete, make_root
from steps import ROOT, Failure, Report, run

DOCKERFILE = ROOT / "interop" / "runner" / "Dockerfile"
TAG = "quiche-cc-interop"
COMPILERS = ("ca-certificates", "g++", "gcc", "git", "libc6-dev", "make")
NETWORK_TOOLS = ("ca-certificates", "ethtool", "iproute2", "iputils-ping", "net-tools", "tcpdump", "wget")
CALLED = '#!/bin/sh\necho "{name} $*" >>/logs/called\n'
"""What stands in for the simulator's scripts, as there is no simulator."""


class Store:
    """Images and containers of this build alone, which go when its folder goes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._start = [
            "buildah",
            f"--root={folder / 'images'}",
            f"--runroot={folder / 'state'}",
            "--storage-driver=vfs",
        ]

    def run(self, *words: object) -> str:
        return run(*self._start, *words)

    def has(self, name: str) -> bool:
        return name in {n for image in self._images() for n in image.get("names") or []}

    def size(self, name: str) -> str:
        return str(next(image["size"] for image in self._images() if name in (image.get("names") or [])))

    def add(self, name: str, root: Path, settings: Sequence[str] = ()) -> None:
        """An image of one layer."""
        container = self.run("from", "scratch").strip()
        self.run("add", "--quiet", container, root, "/")
        if settings:
            self.run("config", *settings, container)
        self.run("commit", "--quiet", "--rm", container, name)

    def remove(self) -> None:
        if self.folder.exists():
            self.run("rm", "--all")
            self.run("rmi", "--all", "--force")
            delete(self.folder)

    def _images(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.run("images", "--json") or "[]")
        return found


def bases(dockerfile: str) -> list[str]:
    """The images of others that it starts from, by the names that a store has them under."""
    names = re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)
    return [f"docker.io/{name}" if "/" in name else f"docker.io/library/{name}" for name in names]


def rust_image(store: Store, name: str, folder: Path) -> None:
    """The toolchain lies where the original has it; its cargo finds what this machine's has downloaded."""
    root = folder / "rust"
    make_root(root, COMPILERS)
    sysroot = Path(run("rustc", "--print", "sysroot").strip())
    toolchain = root / "usr" / "local" / "rust"
    for part in ("bin", "lib"):
        shutil.copytree(sysroot / part, toolchain / part, symlinks=True)
    path = "--env=PATH=/usr/local/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    store.add(name, root, [path, "--env=CARGO_HOME=/usr/local/cargo"])
    shutil.rmtree(root)


def endpoint_image(store: Store, name: str, folder: Path) -> None:
    root = folder / "endpoint"
    make_root(root, NETWORK_TOOLS)
    for script in ("setup.sh", "wait-for-it.sh"):
        (root / script).write_text(CALLED.format(name=script), encoding="utf-8")
        (root / script).chmod(0o755)
    store.add(name, root)
    shutil.rmtree(root)


STAND_INS = {
    "docker.io/library/rust": rust_image,
    "docker.io/martenseemann/quic-network-simulator-endpoint": endpoint_image,
}


def build(store: Store, folder: Path, report: Report, arguments: Sequence[str] = ()) -> None:
    """The image, named TAG, in the store; the folder is for what is made on the way."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in bases(DOCKERFILE.read_text(encoding="utf-8")):
        make = STAND_INS.get(name.rpartition(":")[0])
        if make is None:
            raise Failure(f"nothing stands in for {name}, which {DOCKERFILE.name} starts from")
        if not store.has(name):
            with report.step(f"an image of Debian packages in the place of {name}"):
                make(store, name, folder)
    with report.step(f"the image, from {DOCKERFILE.relative_to(ROOT)}"):
        given = [f"--build-arg={argument}" for argument in arguments]
        store.run(
            "bud",
            "--pull-never",
            "--isolation=chroot",
            f"--file={DOCKERFILE}",
            f"--ignorefile={DOCKERFILE}.dockerignore",
            f"--tag={TAG}",
            *given,
            *shared(),
            ROOT,
        )
    report.fact(f"{TAG}: {store.size(f'localhost/{TAG}:latest')}")


def shared() -> list[str]:
    """What of this machine the build sees: whom it trusts, and crates that it has already."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    options = ["--volume=/etc/ssl/certs:/etc/ssl/certs:ro"]
    if (home / "registry").exists():
        options.append(f"--volume={home / 'registry'}:/usr/local/cargo/registry")
    if (home / "config.toml").exists():
        options.append(f"--volume={home / 'config.toml'}:/usr/local/cargo/config.toml:ro")
    return options
