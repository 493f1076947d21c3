"""What programs are built of: archives by their hash, Debian's packages, libquiche and its BoringSSL."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import neighbours  # noqa: F401  (makes the shared modules importable)
from debian import InstallError as InstallError
from debian import fetch
from table import Place, Program

BUILD_TIMEOUT = 7200.0


class MissingPackages(InstallError):
    """Debian's packages are missing, and may not be installed from here."""


def run(command: Sequence[str | Path], over: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    """What the command prints; an error with the end of it if the command fails."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=over,
        env=os.environ | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=BUILD_TIMEOUT,
        check=False,
    )
    if done.returncode != 0:
        raise InstallError(f"{' '.join(words)} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def archives(program: Program, place: Place) -> list[Path]:
    """The program's files, downloaded unless they are there with the right content."""
    cache = place.home / "cache"
    for file in program.file:
        fetch([file.url], file.sha256, cache / file.name)
    return [cache / file.name for file in program.file]


def unpack(archive: Path, target: Path) -> Path:
    """Unpacks a source archive into a folder that is made anew; the one folder in it."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if archive.suffix == ".jar":
        with zipfile.ZipFile(archive) as content:
            content.extractall(target)
        return target
    with tarfile.open(archive) as content:
        content.extractall(target, filter="data")
    (only,) = target.iterdir()
    return only


def packages(names: Sequence[str]) -> None:
    """Debian's packages, installed where root may; otherwise an error names the command."""
    missing = [name for name in names if not _installed(name)]
    if not missing:
        return
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise MissingPackages(f"missing: {' '.join(missing)}; on Debian run `sudo {' '.join(install)}`")
    run(["apt-get", "update"])
    run(install, environment={"DEBIAN_FRONTEND": "noninteractive"})


def _installed(name: str) -> bool:
    asked = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${db:Status-Status}", name],
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.returncode == 0 and asked.stdout == "installed"


def library(place: Place) -> Path:
    """libquiche as `cmake --install` lays it, and beside it one that is static alone; the prefix."""
    run(["cmake", "--install", place.build, "--component", "library", "--prefix", place.library])
    static = place.library / "static"
    static.mkdir(exist_ok=True)
    link(static / "libquiche.a", place.library / "lib/libquiche.a")
    config = (place.library / "lib/pkgconfig/quiche.pc").read_text().splitlines()
    lines = [line for line in config if not line.startswith(("Libs:", "libdir", "prefix"))]
    lines = [f"prefix={place.library}", *lines, f"Libs: -L{static} -lquiche -lstdc++ -lpthread -ldl -lm"]
    (static / "quiche.pc").write_text("\n".join(lines) + "\n")
    return place.library


def boringssl(place: Place) -> Path:
    """The BoringSSL that is in libquiche, laid as a prefix: include and lib."""
    home = place.home / "boringssl"
    built = sorted(place.build.glob("target/release/build/boring-sys-*/out/build/libssl.a"))
    if not built:
        raise InstallError(f"{place.build} has no BoringSSL; `cmake --build {place.build}` makes it")
    # The last one that was linked, if several were.
    out = max(built, key=lambda path: path.stat().st_mtime).parents[1]
    (home / "lib").mkdir(parents=True, exist_ok=True)
    link(home / "include", out / "boringssl/include")
    for name in ("libssl.a", "libcrypto.a"):
        link(home / "lib" / name, out / "build" / name)
    return home


def link(name: Path, target: Path) -> None:
    name.unlink(missing_ok=True)
    name.symlink_to(target)
