"""The program cc-lab: what a command of it lacks, and its versions."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from .errors import ClusterError

ROOT = Path(__file__).resolve().parents[2]


class Job(msgspec.Struct, frozen=True):
    """A run, as far as it matters here."""

    name: str
    run: str
    version: str
    packets: int
    recordings: dict[str, str]


class _Recording(msgspec.Struct):
    digest: str


class _Line(msgspec.Struct):
    store: str | None = None
    recording: _Recording | None = None
    job: Job | None = None


@dataclass(frozen=True)
class Program:
    file: Path
    plugins: tuple[str, ...] = ()
    """Shared objects with controllers, which have to be at the same places on all machines."""

    @classmethod
    def for_command(cls, file: Path, command: Sequence[str]) -> Program:
        """With the plugins that the command names."""
        found = []
        for word, after in zip(command, [*command[1:], ""], strict=True):
            if word == "--plugin":
                found.append(after)
            elif word.startswith("--plugin="):
                found.append(word.removeprefix("--plugin="))
        return cls(file, tuple(str(Path(name).absolute()) for name in found))

    def called(self, *words: str) -> list[str]:
        return [str(self.file), *(f"--plugin={plugin}" for plugin in self.plugins), *words]

    def versions(self) -> str:
        """Of model and controllers, as cc-lab says it."""
        done = subprocess.run(self.called("versions"), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ClusterError(f"{self.file} does not tell its versions: {done.stderr.strip()}")
        return done.stdout.strip()


def built(folder: Path | None = None) -> Path:
    """The program in the build folder of this machine."""
    build = folder or Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))
    program = (build / "bin" / "cc-lab").absolute()
    if not program.is_file():
        raise ClusterError(f"{program} does not exist; build it with `cmake --build build`")
    return program


@dataclass
class Listing:
    """The runs that a store lacks."""

    store: Path
    jobs: dict[str, Job] = field(default_factory=dict)
    """By `Job.run`."""
    lines: dict[str, str] = field(default_factory=dict)
    """What cc-lab said of each run and of each recording, by `Job.run` and by digest."""


def listed(program: Program, command: Sequence[str]) -> Listing:
    """What the command lacks. What is wrong with the command or its store, cc-lab says on standard error."""
    done = subprocess.run([str(program.file), *command, "--missing"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise ClusterError(f"cc-lab does not list the runs of `{' '.join(command)}`, see above")
    listing: Listing | None = None
    for text in done.stdout.splitlines():
        line = msgspec.json.decode(text, type=_Line)
        if line.store is not None:
            listing = Listing(Path(line.store))
        elif listing is not None and line.recording is not None:
            listing.lines[line.recording.digest] = text
        elif listing is not None and line.job is not None:
            listing.jobs[line.job.run] = line.job
            listing.lines[line.job.run] = text
    if listing is None:
        raise ClusterError(f"cc-lab does not name the store of `{' '.join(command)}`")
    return listing
