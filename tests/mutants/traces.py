"""Traces of the lab with and without a mutant in it, kept so that another checker can judge them without a build."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from .catalogue import ROOT, Drive, Mutant
from .tree import Tree

LONGEST_RUN = 120.0
"""Seconds of real time: a mutant may send without end."""
ORIGINAL = "original"


@dataclass(frozen=True)
class Case:
    """A flow of a controller on a path."""

    spec: str
    drive: Drive
    flow: str = "main"

    @property
    def name(self) -> str:
        return f"{self.spec.replace(':', '-')},{self.where}"

    @property
    def where(self) -> str:
        """The path, with the flow unless that is `main`."""
        return self.drive.name if self.flow == "main" else f"{self.drive.name},{self.flow}"

    def all_flows(self) -> Iterator[Case]:
        """Those that one run shows."""
        return (Case(self.spec, self.drive, flow) for flow in self.drive.flows)

    @property
    def digest(self) -> str:
        """Of what is run."""
        scenario = (ROOT / self.drive.scenario).read_bytes()
        return hashlib.sha256(scenario + repr(self.drive.sets).encode()).hexdigest()[:16]


class Made(msgspec.Struct):
    """What is in a folder of traces."""

    digests: dict[str, str | None] = {}
    """Of each trace, by what decides it; none where the run failed."""


class Traces:
    """All of them, each made when it is first asked for: most mutants are found on one of the first paths."""

    def __init__(self, folder: Path, tree: Tree, sources: Mapping[str, str]) -> None:
        self._folder = folder
        self._tree = tree
        self._sources = sources
        self._made: dict[str, Made] = {}
        self._built: str | None = None
        """The mutant that is in the program."""

    def file(self, mutant: Mutant | None, case: Case) -> Path:
        return self._folder / name_of(mutant) / f"{case.name}.sqlog.gz"

    def digest(self, mutant: Mutant | None, case: Case) -> str | None:
        """Of the trace, which is there then; None where the run fails. Raises BuildError."""
        made = self._known(mutant)
        name = key_of(self._sources[case.spec], mutant, case)
        if name not in made.digests:
            program = self._build(mutant)
            with drive(program, case.spec, case.drive.scenario, case.drive.sets, 1) as flows:
                for other in case.all_flows():
                    kept = self._keep(trace_of(flows, other.flow), self.file(mutant, other))
                    made.digests[key_of(self._sources[case.spec], mutant, other)] = kept
            self._note(mutant).parent.mkdir(parents=True, exist_ok=True)
            self._note(mutant).write_bytes(msgspec.json.encode(made))
        return made.digests[name]

    def _known(self, mutant: Mutant | None) -> Made:
        name = name_of(mutant)
        if name not in self._made:
            note = self._note(mutant)
            self._made[name] = msgspec.json.decode(note.read_bytes(), type=Made) if note.exists() else Made()
        return self._made[name]

    def _note(self, mutant: Mutant | None) -> Path:
        return self._folder / name_of(mutant) / "made.json"

    def _build(self, mutant: Mutant | None) -> Path:
        program = self._folder.parent / "cc-lab"
        if self._built != name_of(mutant):
            with self._tree.with_mutant(mutant):
                self._tree.build(program)
            self._built = name_of(mutant)
        return program

    def _keep(self, trace: Path | None, file: Path) -> str | None:
        if trace is None:
            return None
        contents = trace.read_bytes()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(contents, 3, mtime=0))
        return hashlib.sha256(contents).hexdigest()


def key_of(sources: str, mutant: Mutant | None, case: Case) -> str:
    """Of all that decides a trace."""
    change = (mutant.file, mutant.find, mutant.replace) if mutant else None
    return f"{case.name}:" + hashlib.sha256(repr((sources, change, case.digest)).encode()).hexdigest()[:16]


def name_of(mutant: Mutant | None) -> str:
    return ORIGINAL if mutant is None else mutant.name


@contextmanager
def drive(program: Path, spec: str, scenario: str, sets: tuple[str, ...], seed: int) -> Iterator[Path | None]:
    """Runs the lab; gives the folder of the flows' traces for as long as the block lasts, or None if the run failed."""
    values = [part for value in sets for part in ("--set", value)]
    with tempfile.TemporaryDirectory() as folder:
        command = [str(program), "run", str(ROOT / scenario), "--cc", spec, "--seed", str(seed), "--qlog", *values]
        try:
            done = subprocess.run([*command, "--out", folder], capture_output=True, timeout=LONGEST_RUN, check=False)
        except subprocess.TimeoutExpired:
            yield None
            return
        if done.returncode == 2:  # wrong usage: no fault of a controller
            raise RuntimeError(done.stderr.decode().strip())
        yield Path(folder) / "qlog" if done.returncode == 0 else None


def trace_of(flows: Path | None, flow: str) -> Path | None:
    """The trace of a flow in the folder of a run, if the run did not fail and left one."""
    trace = None if flows is None else flows / f"{flow}.sqlog"
    return trace if trace is not None and trace.exists() else None


def cases_of(mutant: Mutant, drives: list[Drive]) -> Iterator[Case]:
    """Every controller that it concerns, on every path that says something of it, with all of its flows there."""
    for spec in mutant.concerns:
        for one in drives:
            if spec in one.only:
                yield from Case(spec, one).all_flows()
