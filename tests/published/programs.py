"""Measuring and writing by programs of other directories."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .names import ROOT, TESTS
from .publication import Command, Part, Place, PublishedError, python

measuring = Callable[[Place, Path], Sequence[Command]]
writing = Callable[[Place, Path, str], None]


def call(words: Sequence[str | Path]) -> str:
    """What a program prints that only reads and writes; raises PublishedError where it fails."""
    done = subprocess.run(
        list(map(str, words)), capture_output=True, text=True, cwd=ROOT, env=environment(), check=False
    )
    if done.returncode != 0:
        raise PublishedError(f"{Path(str(words[1])).name} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def environment() -> dict[str, str]:
    """Packages of tests import each other."""
    return {**os.environ, "PYTHONPATH": str(TESTS)}


def by_program(signed: Sequence[Part]) -> writing:
    """The command that measures has written the parts already; what they lack is the commit."""

    def write(place: Place, folder: Path, commit: str) -> None:
        for part in signed:
            part.sign(place.root, commit)

    return write


def by_file(part: Part, name: str) -> writing:
    """A file of the folder is the part."""

    def write(place: Place, folder: Path, commit: str) -> None:
        part.write(place.root, (folder / name).read_text(encoding="utf-8"), commit)

    return write


def by_page(part: Part, program: Path, files: Sequence[str]) -> writing:
    """A program prints the page."""

    def write(place: Place, folder: Path, commit: str) -> None:
        part.write(place.root, call([sys.executable, program, *(folder / file for file in files)]), commit)

    return write


def reporting(stages: Sequence[str], parts: Sequence[Part], *more: str) -> tuple[measuring, writing]:
    """Stages of the report, and what puts them into documents."""

    def measure(place: Place, folder: Path) -> list[Command]:
        words = ("--build-dir", place.build, "--out", folder, "--jobs", str(place.jobs), "--only", ",".join(stages))
        return [python(TESTS / "report" / "run.py", *words, *more)]

    def write(place: Place, folder: Path, commit: str) -> None:
        call([sys.executable, TESTS / "report" / "publish.py", "--report", folder, "--root", place.root])
        for part in parts:
            part.sign(place.root, commit)

    return measure, write


def hunting(*commands: Sequence[str]) -> measuring:
    def measure(place: Place, folder: Path) -> list[Command]:
        where = ("--build-dir", place.build, "--out", folder, "--jobs", str(place.jobs))
        return [python("-m", "hunt", *words, *where, fine=frozenset({0, 1})) for words in commands]

    return measure
