"""The parts of cc/ whose mutants are counted, and the table of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum

import msgspec

from .interval import shown


class Outcome(str, Enum):
    """As cargo-mutants calls it."""

    CAUGHT = "CaughtMutant"
    TIMEOUT = "Timeout"
    MISSED = "MissedMutant"
    UNVIABLE = "Unviable"


class Trial(msgspec.Struct, frozen=True):
    """A mutant and what became of it."""

    name: str
    """File, line, column, and what is changed."""
    file: str
    outcome: Outcome


PARTS = {
    "measurements": "cc/src/measure/",
    "`hybrid`": "cc/src/controllers/hybrid/",
    "other controllers, and what they share": "cc/src/controllers/",
    "models of papers": "cc/src/models/",
    "units, options, catalogue": "cc/src/",
}
"""The first whose path a file has."""


def part_of(file: str) -> str:
    return next(part for part, path in PARTS.items() if file.startswith(path))


def found(tested: Sequence[Trial]) -> tuple[int, int]:
    """How many make a test fail or run without end, of those that compile."""
    counts = Counter(one.outcome for one in tested)
    caught = counts[Outcome.CAUGHT] + counts[Outcome.TIMEOUT]
    return caught, caught + counts[Outcome.MISSED]


def share(tested: Sequence[Trial]) -> float:
    count, of = found(tested)
    return count / of if of else 1.0


HEAD = (
    "part",
    "mutants",
    "a test fails",
    "a test never ends",
    "not found",
    "do not compile",
    "found, of those that compile",
)


def rows(tested: Sequence[Trial]) -> list[list[str]]:
    """A row for each part, and one for all."""
    by_part = {part: [one for one in tested if part_of(one.file) == part] for part in PARTS}
    return [*(_row(part, own) for part, own in by_part.items() if own), _row("all", tested)]


def _row(part: str, own: Sequence[Trial]) -> list[str]:
    counts = Counter(one.outcome for one in own)
    return [part, str(len(own)), *(str(counts[outcome]) for outcome in Outcome), shown(*found(own))]


def as_json(tested: Sequence[Trial], shard: str, tests: str, commit: str) -> str:
    """A mutant on a line, in the order of the sources. The commit is that of the sources."""
    head = msgspec.json.encode({"commit": commit, "shard": shard, "tests": tests}).decode().removesuffix("}")
    return f'{head},"mutants":[\n' + ",\n".join(msgspec.json.encode(one).decode() for one in tested) + "\n]}\n"
