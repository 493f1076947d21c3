"""Puts peers under build/peers/NAME, from registries alone, and only again when their recipe has changed."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from debian import InstallError, launcher, unpack
from model import PEERS, CargoInstall, DebianInstall, GoInstall, Peer, PypiInstall

Progress = Callable[[str], None]


class Installer:
    """`home` is build/peers."""

    def __init__(self, home: Path, progress: Progress) -> None:
        self.home = home
        self.progress = progress

    def folder(self, peer: Peer) -> Path:
        return self.home / peer.name

    def installed(self, peer: Peer) -> bool:
        stamp = self.folder(peer) / ".stamp"
        return stamp.exists() and stamp.read_text() == _recipe(peer)

    def install(self, peer: Peer) -> None:
        """Installs what is not there as its recipe says; an error names what is missing."""
        if self.installed(peer):
            return
        folder = self.folder(peer)
        if folder.exists():
            shutil.rmtree(folder)
        (folder / "bin").mkdir(parents=True)
        match peer.install:
            case GoInstall() as recipe:
                self._go(recipe, folder)
            case PypiInstall() as recipe:
                self._pypi(peer, recipe, folder)
            case CargoInstall() as recipe:
                self._cargo(recipe, folder)
            case DebianInstall() as recipe:
                self._debian(peer, recipe, folder)
        (folder / ".stamp").write_text(_recipe(peer))

    def _go(self, recipe: GoInstall, folder: Path) -> None:
        go = _tool("go", "https://go.dev/dl, or your system's package golang-go")
        for program, package in recipe.packages.items():
            self.progress(package)
            own = folder / "go"
            _run(
                [go, "install", package],
                os.environ | {"GOBIN": str(own), "GOFLAGS": "-buildvcs=false", "CGO_ENABLED": "0"},
            )
            (made,) = own.iterdir()
            made.rename(folder / "bin" / program)

    def _pypi(self, peer: Peer, recipe: PypiInstall, folder: Path) -> None:
        self.progress(", ".join(recipe.requirements))
        _run([sys.executable, "-m", "venv", folder / "venv"])
        pip: list[str | Path] = [folder / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
        _run([*pip, "install", "--require-hashes", "--requirement", PEERS / f"{peer.name}.lock"])
        for source, sha256 in recipe.sources.items():
            self.progress(f"sources of {source}")
            name = source.replace("==", "-")
            archive = folder / f"{name}.tar.gz"
            self._sdist(pip, source, sha256, folder)
            with tarfile.open(archive) as content:
                content.extractall(folder / "src", filter="data")
            (folder / "src" / name).rename(folder / "src" / source.split("==")[0])

    def _sdist(self, pip: Sequence[str | Path], source: str, sha256: str, folder: Path) -> None:
        """pip has the build backend make the metadata before it hands the archive over."""
        wanted = folder / "source.txt"
        wanted.write_text(f"{source} --hash=sha256:{sha256}\n")
        options: list[str | Path] = ["--no-deps", "--no-binary", ":all:", "--require-hashes", "--dest", folder]
        _run([*pip, "download", *options, "--requirement", wanted])

    def _cargo(self, recipe: CargoInstall, folder: Path) -> None:
        cargo = _tool("cargo", "https://rustup.rs")
        self.progress(f"{recipe.crate}: cargo build")
        crate = PEERS / recipe.crate
        target = self.home / "target"
        options: list[str | Path] = ["--release", "--locked", "--manifest-path", crate / "Cargo.toml"]
        _run([cargo, "build", "--quiet", *options, "--target-dir", target])
        for program in recipe.programs:
            shutil.copy2(target / "release" / program, folder / "bin" / program)

    def _debian(self, peer: Peer, recipe: DebianInstall, folder: Path) -> None:
        if platform.machine() not in ("x86_64", "AMD64"):
            raise InstallError(f"{peer.name}: its packages are pinned for x86_64, this machine is {platform.machine()}")
        root = folder / "root"
        root.mkdir()
        unpack(PEERS / f"{peer.name}.lock", root, self.home / "cache", self.progress)
        for name, program in recipe.programs.items():
            script = folder / "bin" / name
            script.write_text(launcher(root, program, recipe.own_loader))
            script.chmod(0o755)


def _recipe(peer: Peer) -> str:
    """What decides whether an installed peer is still the right one."""
    files = [PEERS / f"{peer.name}.lock"]
    if isinstance(peer.install, CargoInstall):
        files += sorted(path for path in (PEERS / peer.install.crate).rglob("*") if path.is_file())
    digest = hashlib.sha256(msgspec.json.encode(peer.install))
    for path in files:
        if path.exists():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _tool(name: str, where: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise InstallError(f"{name} is not installed; get it from {where}")
    return found


def _run(command: Sequence[str | Path], environment: dict[str, str] | None = None) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InstallError(f"{' '.join(words)} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
