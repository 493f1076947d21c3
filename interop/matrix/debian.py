"""Debian packages without Debian: which files a package needs (`lock`), and unpacking them side by side (`unpack`).

A lock is a text file in `peers/`: a date, then a line `SHA256 FILE` for each package. When a file has left
the archive, snapshot.debian.org still has it as it was on that date.
"""

from __future__ import annotations

import hashlib
import lzma
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ARCHIVE = "http://deb.debian.org/"
SNAPSHOT = "http://snapshot.debian.org/archive/"
_TIMEOUT = 120.0
_LOADER = "ld-linux-x86-64.so.2"


class InstallError(Exception):
    """Something is missing; the message says what, and how to get it."""


@dataclass(frozen=True)
class Package:
    name: str
    file: str  # below the archive
    sha256: str
    needs: Sequence[Sequence[str]]  # of each group one


def fetch(urls: Sequence[str], sha256: str, target: Path) -> None:
    """Downloads the first of `urls` that is there. What has another hash is refused."""
    if target.exists() and hashlib.sha256(target.read_bytes()).hexdigest() == sha256:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    errors = []
    for url in urls:
        try:
            with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer:
                content = answer.read()
        except (urllib.error.URLError, OSError) as error:
            errors.append(f"{url}: {error}")
            continue
        found = hashlib.sha256(content).hexdigest()
        if found == sha256:
            target.write_bytes(content)
            return
        errors.append(f"{url}: SHA-256 is {found}, not {sha256}")
    raise InstallError(f"{target.name} cannot be had:\n  " + "\n  ".join(errors))


def unpack(lock: Path, home: Path, cache: Path, progress: Callable[[str], None]) -> None:
    """Unpacks every package of `lock` into `home`."""
    if shutil.which("dpkg-deb") is None:
        raise InstallError("dpkg-deb is not installed; your system's package `dpkg` has it")
    lines = [line.split() for line in lock.read_text().splitlines() if line and not line.startswith("#")]
    (_, date), *files = lines
    for number, (sha256, file) in enumerate(files, 1):
        progress(f"{number}/{len(files)} {file.rsplit('/', 1)[1]}")
        archive, _, rest = file.partition("/")
        package = cache / file.rsplit("/", 1)[1]
        fetch([ARCHIVE + file, f"{SNAPSHOT}{archive}/{date}/{rest}"], sha256, package)
        subprocess.run(["dpkg-deb", "-x", package, home], check=True)


def launcher(home: Path, program: str, own_loader: bool) -> str:
    """A shell script that starts `program` with the libraries of its packages."""
    folders = sorted({path.parent for path in home.rglob("*.so*") if "x86_64-linux-gnu" in path.parts})
    main = [home / "usr/lib/x86_64-linux-gnu", home / "lib/x86_64-linux-gnu"]
    libraries = ":".join(str(folder) for folder in [*main, *folders] if folder.is_dir())
    if not own_loader:
        return f"#!/bin/sh\nLD_LIBRARY_PATH='{libraries}' exec '{home}/{program}' \"$@\"\n"
    loader = next((path for path in sorted(home.rglob(_LOADER)) if not path.is_symlink()), None)
    if loader is None:
        raise InstallError(f"{home} has no {_LOADER}; `lock` it anew")
    return f"#!/bin/sh\nexec '{loader}' --library-path '{libraries}' '{home}/{program}' \"$@\"\n"


def lock(suites: Sequence[str], roots: Sequence[str], without: Sequence[str], date: str) -> str:
    """The text of a lock of `roots` and what they need, from the archive as it is now."""
    known: dict[str, Package] = {}
    provided: dict[str, str] = {}
    for suite in suites:
        for package, provides in index(suite):
            known.setdefault(package.name, package)
            for name in provides:
                provided.setdefault(name, package.name)
    chosen: dict[str, Package] = {}
    waiting = list(roots)
    while waiting:
        package = _find(waiting.pop(), known, provided)
        if package.name in chosen or package.name in without:
            continue
        chosen[package.name] = package
        for group in package.needs:
            alternatives = [name for name in group if name in known or name in provided]
            if not alternatives:
                raise InstallError(f"{package.name} needs {' or '.join(group)}, which {', '.join(suites)} do not have")
            if not any(name in chosen or name in without for name in alternatives):
                waiting.append(alternatives[0])
    lines = [f"{chosen[name].sha256} {chosen[name].file}" for name in sorted(chosen)]
    return f"# {' '.join(roots)} of {' '.join(suites)}; made by `run.py lock`\ndate {date}\n" + "\n".join(lines) + "\n"


def _find(name: str, known: Mapping[str, Package], provided: Mapping[str, str]) -> Package:
    found = known.get(name) or known.get(provided.get(name, ""))
    if found is None:
        raise InstallError(f"the suites have no package {name}")
    return found


def index(suite: str) -> Iterator[tuple[Package, list[str]]]:
    archive = "debian-security" if suite.endswith("-security") else "debian"
    url = f"{ARCHIVE}{archive}/dists/{suite}/main/binary-amd64/Packages.xz"
    with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer:
        text = lzma.decompress(answer.read()).decode()
    for stanza in text.split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", stanza, re.MULTILINE))
        if "Package" in fields:
            needs = [fields[name] for name in ("Pre-Depends", "Depends") if name in fields]
            groups = [_names(group) for text in needs for group in text.split(",")]
            file = f"{archive}/{fields['Filename']}"
            yield Package(fields["Package"], file, fields["SHA256"], groups), _names(fields.get("Provides", ""), ",")


def _names(text: str, separator: str = "|") -> list[str]:
    """`a (>= 1) | b:any` to a and b."""
    return [part.strip().split(" ")[0].split(":")[0] for part in text.split(separator) if part.strip()]
