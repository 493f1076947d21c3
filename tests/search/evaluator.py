"""What specs come to in scenarios, measured by the program `evaluate` and kept in a journal."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import msgspec
from json_lines import JsonLines

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build")) / "target" / "release" / "examples" / "evaluate"
BUILD = "cargo build --release -p quiche-cc --no-default-features --example evaluate"


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One scenario's figures; what they are stands in cc/tests/dumbbell/measure.rs."""

    name: str
    seed: int
    kind: str
    flows: int
    rtt_ms: float
    packet_ms: float
    utilisation: float
    p95_ms: float
    loss: float
    start_loss: float
    jain: float | None
    bias: float | None
    arrival_ms: float | None
    start_up: int | None


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of all scenarios together, with what is needed to write it."""

    name: str
    head: str
    digits: int
    value: float


class Result(msgspec.Struct, frozen=True):
    """What a spec comes to."""

    scenarios: list[Figures]
    """Scenario by scenario, seed by seed."""
    summary: list[Cell]

    def value(self, name: str) -> float:
        """A figure of the summary."""
        return next(cell.value for cell in self.summary if cell.name == name)


class SearchError(Exception):
    """What is wrong, for the user."""


class Evaluator(Protocol):
    """Measures a spec in all scenarios of a set."""

    def measure(self, spec: str, seeds: Sequence[int]) -> Result: ...


Key = tuple[str, tuple[int, ...]]
"""Spec and seeds."""


class Entry(msgspec.Struct, frozen=True):
    """A line of a journal."""

    key: str
    """Of program and scenarios."""
    spec: str
    seeds: tuple[int, ...]
    result: Result


class Program:
    """The program, and every answer it ever gave on these scenarios in a journal: a line of JSON each, written at once.

    A line counts as long as program and scenarios are the same, byte by byte; others stay and are passed over.
    """

    def __init__(self, scenarios: Path, journal: Path | None, program: Path = PROGRAM, jobs: int = 1) -> None:
        if not program.exists():
            raise SearchError(f"{program} does not exist; build it with `{BUILD}`")
        if not scenarios.exists():
            raise SearchError(f"{scenarios} does not exist")
        self.scenarios = scenarios
        self.program = program
        self.jobs = jobs
        self.key = hashlib.sha256(program.read_bytes() + scenarios.read_bytes()).hexdigest()[:16]
        self._journal = None if journal is None else JsonLines(journal, Entry)
        lines = [] if self._journal is None else self._journal.read()
        self.known: dict[Key, Result] = {(one.spec, one.seeds): one.result for one in lines if one.key == self.key}
        self.run = 0
        """Specs measured here and not found in the journal."""

    def measure(self, spec: str, seeds: Sequence[int]) -> Result:
        """What the spec comes to with these seeds."""
        key = (spec, tuple(seeds))
        if key not in self.known:
            self.known[key] = self._ask(*key)
            self.run += 1
            self._note(*key, self.known[key])
        return self.known[key]

    def _ask(self, spec: str, seeds: Sequence[int]) -> Result:
        options = ["--scenarios", str(self.scenarios), "--seeds", ",".join(map(str, seeds)), "--jobs", str(self.jobs)]
        done = subprocess.run([str(self.program), *options, spec], capture_output=True, check=False)
        if done.returncode != 0:
            raise SearchError(f"{self.program.name} failed on `{spec}`: {done.stderr.decode().strip()}")
        return msgspec.json.decode(done.stdout, type=Result)

    def _note(self, spec: str, seeds: Sequence[int], result: Result) -> None:
        if self._journal is not None:
            self._journal.add(Entry(self.key, spec, tuple(seeds), result))
