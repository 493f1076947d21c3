"""A copy of the tree outside of the checkout, in which a mutant is put into a file and the lab is built."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .catalogue import ROOT, Mutant

# Cargo reuses what it has built of BoringSSL and other crates, and keeps what it knows of this project's own, so that a
# mutant takes seconds. The lab itself is optimised less: it takes longer to compile than to run.
QUICKLY = (
    "profile.release.incremental=true",
    "profile.release.package.quiche-cc-lab.opt-level=1",
    "profile.release.package.quiche-cc-lab.debug=0",
    "profile.release.package.quiche-cc.debug=0",
)
DECIDING = ("cc/src", "cc/foreign/src", "tests/lab/src", "tests/bottleneck/src", "patches/quiche", "Cargo.lock")
"""What decides what a run results in."""
OWN = {
    "hybrid": ("hybrid", "hybrid_paper"),
    "hybrid:paper": ("hybrid_paper",),
    "smallq": ("smallq", "newreno"),
    "vegas": ("vegas", "newreno"),
    "rrr": ("rrr",),
    "raimd": ("raimd",),
}
"""Folders of cc/src/controllers that a controller consists of."""


class BuildError(Exception):
    """The lab cannot be built: the compiler's last lines."""


def tracked(root: Path, *places: str) -> list[Path]:
    """Files that git knows or would take in, relative to the root."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *places]
    names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
    return sorted({Path(name) for name in names if name and (root / name).is_file()})


def digest(root: Path, files: Iterable[Path]) -> str:
    """Of names and contents."""
    made = hashlib.sha256()
    for file in files:
        made.update(f"{file}\0".encode())
        made.update(hashlib.sha256((root / file).read_bytes()).digest())
    return made.hexdigest()[:16]


def sources_digests(root: Path = ROOT) -> dict[str, str]:
    """By controller, of all that decides what its runs result in but mutants. Other controllers' folders do not."""
    files = tracked(root, *DECIDING)
    return {spec: digest(root, [file for file in files if _decides(file, folders)]) for spec, folders in OWN.items()}


def _decides(file: Path, folders: tuple[str, ...]) -> bool:
    parts = file.parts
    apart = parts[:3] == ("cc", "src", "controllers") and len(parts) > 4
    return not apart or parts[3] in folders


class Tree:
    """The copy, in the build folder. Files that are the same keep their time, which is what cargo goes by."""

    def __init__(self, build: Path, name: str = "tree") -> None:
        self.root = build / "mutants" / name
        self._target = build / "target"
        self._quiche = build / "quiche"

    def update(self) -> None:
        """Makes it equal to the checkout."""
        files = tracked(ROOT)
        for file in files:
            write(self.root / file, (ROOT / file).read_bytes())
        present = {path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file()}
        for gone in present - set(files):
            if gone.parts[0] != "build":
                (self.root / gone).unlink()
        link = self.root / "build" / "quiche"
        link.parent.mkdir(exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(self._quiche.resolve(), target_is_directory=True)

    @contextmanager
    def with_mutant(self, mutant: Mutant | None) -> Iterator[None]:
        """The mutant is in the copy meanwhile."""
        if mutant is None:
            yield
            return
        file = self.root / mutant.file
        original = file.read_text()
        write(file, mutant.apply(original).encode())
        try:
            yield
        finally:
            write(file, original.encode())

    def build(self, program: Path) -> None:
        """Builds the lab, and leaves it there. Raises BuildError."""
        config = [part for setting in QUICKLY for part in ("--config", setting)]
        package = ["build", "--release", "--locked", "-j", "1", "-p", "quiche-cc-lab", "--bin", "cc-lab"]
        command = ["cargo", *config, *package, "--target-dir", str(self._target)]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BuildError("\n".join(done.stderr.strip().splitlines()[-20:]))
        program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self._target / "release" / "cc-lab", program)


def write(file: Path, contents: bytes) -> None:
    """Unless it has these contents already."""
    if file.is_file() and file.read_bytes() == contents:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(contents)
