"""A patch series over a toy release, so that the tool is tried without quiche and without a registry."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "patches" / "series.py"
NUMBERS = "".join(f"line {n}\n" for n in range(1, 31))
RELEASE = {"src/lib.rs": NUMBERS, "src/other.rs": NUMBERS, "README.md": "A toy.\n", "Cargo.lock": "not ours\n"}


def make_crate(version: str, files: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"toy-{version}/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return gzip.compress(packed.getvalue(), mtime=0)


@dataclass
class Bench:
    """A folder with a series, a checkout of it, and a private cargo home."""

    root: Path

    @property
    def series(self) -> Path:
        return self.root / "series"

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def target(self) -> Path:
        return self.root / "target"

    @property
    def cache(self) -> Path:
        return self.root / "cargo" / "registry" / "cache" / "a-mirror"

    def release(self, version: str = "1.0.0", files: Mapping[str, str] = RELEASE) -> None:
        """Put a release into cargo's cache, and pin it."""
        crate = make_crate(version, files)
        self.cache.mkdir(parents=True, exist_ok=True)
        (self.cache / f"toy-{version}.crate").write_bytes(crate)
        self.series.mkdir(exist_ok=True)
        (self.series / "UPSTREAM").write_text(
            f"name: toy\nversion: {version}\nsha256: {hashlib.sha256(crate).hexdigest()}\n"
        )

    def run(self, *arguments: object, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, TOOL, "--series", self.series, *map(str, arguments)],
            env=os.environ | {"CARGO_HOME": str(self.root / "cargo"), "CARGO": "/no/cargo"} | dict(env or {}),
            capture_output=True,
            text=True,
            check=False,
        )

    def succeed(self, *arguments: object, env: Mapping[str, str] | None = None) -> str:
        result = self.run(*arguments, env=env)
        assert result.returncode == 0, result.stderr + result.stdout
        return result.stdout

    def fail(self, *arguments: object) -> str:
        result = self.run(*arguments)
        assert result.returncode == 1, result.stdout
        assert result.stderr.startswith("error: "), result.stderr
        return result.stderr

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
        command = ["git", *identity, "-C", str(self.work), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.work / name).read_text()
        assert old in text
        (self.work / name).write_text(text.replace(old, new))

    def commit(self, subject: str, body: str = "It cannot live outside.", forwarded: str = "no") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", f"{subject}\n\n{body}\n\nForwarded: {forwarded}\n")

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.series.iterdir())}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """An empty series over the toy release, checked out."""
    made = Bench(tmp_path)
    made.release()
    (made.series / "series").write_text("# empty\n")
    made.succeed("checkout", made.work)
    made.succeed("export", made.work)
    return made


@pytest.fixture
def two_patches(bench: Bench) -> Bench:
    """Two patches: one changes a line and adds a file, the other deletes a file and changes a line nearby."""
    bench.edit("src/lib.rs", "line 5\n", "line five\n")
    (bench.work / "src" / "new.rs").write_text("fn new() {}\n")
    bench.commit("Say five", body="It cannot live outside: reasons.\n\nA second paragraph.")
    bench.edit("src/lib.rs", "line 7\n", "line seven\n")
    (bench.work / "README.md").unlink()
    bench.commit('Second: "seven"/7', forwarded="https://example.org/pull/7")
    bench.succeed("export", bench.work)
    return bench
