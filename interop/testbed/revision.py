"""The commit that a measurement was made of, and the sentence in which a document names it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

DECIDES = ("cc", "tests/lab", "tests/bottleneck", "tests/media", "patches", "Cargo.lock")
"""What a result of the lab rests on, besides the scenario that stands with it."""
CHANGED = " with local changes"
_SENTENCE = re.compile(rf"Measured\s+on\s+commit\s+([0-9a-f]{{7,40}})({CHANGED.replace(' ', chr(92) + 's+')})?\.")


def commit(root: Path) -> str:
    """That the checkout is on, with a + if it has been changed since. Tags do not count: they come later."""
    return _git(root, "describe", "--always", "--dirty=+", "--abbrev=7", "--exclude", "*")


def measured(root: Path, more: Sequence[str] = ()) -> str:
    """The last commit that changed what decides results (and `more` that one rests on), and whether that has been
    changed since.

    A commit of a document or of another test leaves it as it is, so that what was measured before still counts.
    """
    decide = (*DECIDES, *more)
    found = _git(root, "log", "-1", "--format=%h", "--abbrev=7", "--", *decide)
    if not found:
        raise SystemExit(f"error: no commit of {root} has {', '.join(decide)}")
    changed = _git(root, "status", "--porcelain", "--", *decide)
    return found + (CHANGED if changed else "")


def sentence(of: str) -> str:
    """As it stands at the end of a part of a document."""
    return f"Measured on commit {of}."


def stated(text: str) -> list[str]:
    """The commits of all such sentences of a text, in their order."""
    return [hash_ + (CHANGED if changed else "") for hash_, changed in _SENTENCE.findall(text)]


def unsigned(text: str) -> str:
    """Without these sentences, for those who look at what else it says."""
    return re.sub(rf"\n\n{_SENTENCE.pattern}(?=\n)", "", text)


def _git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
