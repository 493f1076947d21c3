"""What a publication is: parts of documents, the commands that measure for them, and what writes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .names import ROOT, TESTS

sys.path.insert(0, str(ROOT / "interop" / "testbed"))

import document_parts as document_parts
import revision as revision
from percentiles import percentile as percentile

OURS = "tests/published"


class PublishedError(Exception):
    """Something that cannot be measured or written."""


@dataclass(frozen=True)
class Place:
    """Where things are, and how much may be used."""

    build: Path
    out: Path
    """Below it every publication has a folder by its name."""
    root: Path = ROOT
    """Of the documents."""
    jobs: int = 1
    recordings: Path | None = None

    @property
    def lab(self) -> Path:
        return self.build / "bin" / "cc-lab"


@dataclass(frozen=True)
class Part:
    """Of a document: what stands behind this comment, or all of it."""

    page: str
    mark: str = ""
    by: str = OURS

    @property
    def begin(self) -> str:
        return f"<!-- {self.mark}: by {self.by} -->"

    def text(self, root: Path) -> str:
        """As it stands in the document; raises PublishedError where it does not."""
        try:
            whole = (root / self.page).read_text(encoding="utf-8")
        except OSError as error:
            raise PublishedError(f"{self.page} cannot be read: {error.strerror}") from error
        if not self.mark:
            return whole
        _, found, rest = whole.partition(self.begin)
        part, end, _ = rest.partition(document_parts.END)
        if not found or not end:
            raise PublishedError(f"{self.page} has no part {self.begin}")
        return part

    def write(self, root: Path, lines: str, commit: str) -> None:
        """Puts lines there, with the sentence that names the commit below them."""
        signed = f"{revision.unsigned(lines).strip()}\n\n{revision.sentence(commit)}\n"
        page = root / self.page
        if self.mark:
            before = page.read_text(encoding="utf-8")
            signed = document_parts.replaced(before, self.begin, signed, PublishedError)
        page.write_text(signed, encoding="utf-8")

    def sign(self, root: Path, commit: str) -> None:
        """Names the commit in what a program of another directory has written."""
        self.write(root, self.text(root), commit)

    def __str__(self) -> str:
        return f"{self.page} ({self.mark})" if self.mark else self.page


@dataclass(frozen=True)
class Command:
    """A program that measures. It is called at the root of the repository."""

    words: Sequence[str | Path]
    fine: frozenset[int] = frozenset({0})
    """Exit codes with which it is done."""
    prints: str = ""
    """A file of the publication's folder that gets what it prints."""


@dataclass(frozen=True)
class Publication:
    """Parts of documents that are measured together."""

    name: str
    minutes: float
    """Of one core, from an empty store."""
    parts: Sequence[Part]
    measure: Callable[[Place, Path], Sequence[Command]]
    """The commands, for the folder of this publication."""
    write: Callable[[Place, Path, str], None]
    """Writes the parts from what the folder has, with this commit."""
    keeps: bool = True
    """Whether the commands keep finished runs, so that they are called also if nothing has changed."""
    machine: bool = False
    """Whether the machine is measured: nothing else may run."""
    recordings: bool = False
    """Whether it needs recordings that do not come with the repository."""
    needs: Sequence[str] = field(default=())
    """Files of the build folder or programs that have to be there."""
    rests_on: Sequence[str] = ()
    """What decides its results, besides controllers, lab and patches: a change of it makes them stale."""
    writes_itself: bool = False
    """Whether the commands write, too, so that there is nothing to be written without them."""
    apart: str = ""
    """Why it is made only if it is named."""


def claims(place: Place, folder: Path, of: Path, *more: str | Path) -> Command:
    """Runs and checks of a folder of claims. With code 1 it says that one does otherwise than its file expects; what
    was measured is there."""
    words = (place.lab, "claims", "--claims", of, "--jobs", str(place.jobs), "--out", folder, *more)
    return Command(words, fine=frozenset({0, 1}))


def python(*words: str | Path, fine: frozenset[int] = frozenset({0}), prints: str = "") -> Command:
    return Command((sys.executable, *words), fine, prints)


def example(name: str) -> Command:
    """Builds a program on the controllers alone."""
    cargo = ("cargo", "build", "--release", "--locked", "-p", "quiche-cc", "--no-default-features")
    return Command((*cargo, "--example", name))


MEASURED = TESTS / "published" / "measured"
"""Runs of tables that ask nothing, in the format of claims."""
