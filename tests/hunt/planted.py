"""Whether the hunt finds what is known: controllers that are broken on purpose, and a weakness that was published.

The faults are those of tests/mutants that planted.toml names. One is found when the hunt has a path on which the broken
build does one of the harms clearly more than the whole one, with nearly all of the seeds that the search has not seen.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as File
from statistics import median

import msgspec
import toml_file
from msgspec.structs import replace
from mutants.catalogue import Mutant, mutants
from mutants.tree import Tree

from .judge import CONFIRMING, SURE, Broken, Judge, again, judged
from .lab import HuntError, Lab
from .search import hunt
from .space import Path
from .tables import described

HERE = File(__file__).parent
CC = "hybrid"
ALIKE = "hybrid:startup_gain=2.201"
CONTROL = Mutant(
    "control", "", (CC,), "", "", "No fault: start-up gains 0.05 % more, which moves packets and harms nobody."
)
"""What the luck of other packets comes to. It must not be found."""
CLEARLY = 0.5
"""Octaves: 1.4 times as much."""
MAKE_SURE = CONFIRMING + SURE
MOST_UNCLEAR = 1
"""Of these seeds, with which a path may be worth a proof."""
FIRST_PROOF = 201
PROOF, PROVEN, TRIES = 15, 14, 20
"""Seeds of a proof, which are fresh for each, and of these how many have to be clear; and how many paths may be tried.

Where two builds are alike, a seed is clear at most every second time, so that a proof comes out by luck once in 2,048
tries (16 of 2**15 ways), and one of 20 once in 102 searches.
"""


class Weakness(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was published about another controller."""

    source: str
    says: str
    shows: dict[str, tuple[str, ...]]
    """Values of fields of a minimised path."""

    def explains(self, path: Path) -> bool:
        return all(getattr(path, name) in values for name, values in self.shows.items())


class Weak(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The other controller."""

    cc: str
    harm: str
    published: tuple[Weakness, ...]
    keeps: dict[str, str] = {}
    """Fields of a path that are not searched, and their values."""


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """planted.toml."""

    timestamps: bool
    names: tuple[str, ...]
    weak: Weak

    def mutants(self) -> list[Mutant]:
        by_name = {mutant.name: mutant for mutant in mutants()}
        unknown = [name for name in self.names if name not in by_name]
        if unknown:
            raise HuntError(f"planted.toml: no such mutant: {', '.join(unknown)}; `python -m mutants list` names them")
        return [by_name[name] for name in self.names]


class Outcome(msgspec.Struct, frozen=True):
    """Of one fault."""

    name: str
    changes: str
    found: bool
    harm: str
    score: float
    """In octaves, the median of the seeds of the proof."""
    clear: int
    """Of these seeds, those with which it is CLEARLY more."""
    tries: int
    """Paths for which there was a proof."""
    paths: int
    """That were looked at."""
    cpu_s: float
    """All of it, the build left out."""
    path: Path


def planted() -> Planted:
    file = HERE / "planted.toml"
    try:
        return toml_file.read(file, Planted)
    except toml_file.TomlFileError as error:
        raise HuntError(str(error)) from error


@dataclass(frozen=True)
class Proof:
    """What fresh seeds say of a path."""

    path: Path
    harm: str
    scores: tuple[float, ...]

    @property
    def clear(self) -> int:
        return sum(score >= CLEARLY for score in self.scores)


class Searcher:
    """A search over all harms that ends as soon as there is a proof.

    Where a path is clearly worse with the seeds of the search, others say how sure that is, and the surest counts most:
    uphill is what does not hang on the luck of a few seeds.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.harms: dict[Path, str] = {}
        """Of the paths that were looked at, the one that is the worst there."""
        self._clear: dict[Path, int] = {}
        """Seeds that make sure with which they are clearly worse."""
        self.proofs: list[Proof] = []

    def score(self, paths: Sequence[Path]) -> list[float]:
        found = judged(self._judge, paths, None)
        self.harms.update({path: one.harm for path, one in zip(paths, found, strict=True)})
        scores = {path: one.score for path, one in zip(paths, found, strict=True)}
        for path in sorted((path for path in scores if scores[path] >= CLEARLY), key=lambda path: -scores[path]):
            if self.has_proof:
                break
            if path not in self._clear:
                self._make_sure(path)
        return [self._clear.get(path, 0) + scores[path] for path in paths]

    def _make_sure(self, path: Path) -> None:
        """Ends where it will not be sure."""
        self._clear[path] = 0
        for number, seed in enumerate(MAKE_SURE):
            if number - self._clear[path] > MOST_UNCLEAR:
                return
            self._clear[path] += again(self._judge, path, self.harms[path], [seed])[0] >= CLEARLY
        if len(MAKE_SURE) - self._clear[path] <= MOST_UNCLEAR and len(self.proofs) < TRIES:
            self.prove(path)

    def prove(self, path: Path) -> None:
        """With seeds that no other proof has."""
        first = FIRST_PROOF + PROOF * len(self.proofs)
        scores = again(self._judge, path, self.harms[path], range(first, first + PROOF))
        self.proofs.append(Proof(path, self.harms[path], tuple(scores)))

    @property
    def has_proof(self) -> bool:
        return any(one.clear >= PROVEN for one in self.proofs)


def search(mutant: Mutant, judge: Judge, seed: int, budget: int) -> Outcome:
    """Ends with the first proof, or has the best that was tried."""
    begun = cpu_s()
    searcher = Searcher(judge)
    found = hunt(searcher.score, seed, budget, mutant.name, lambda _: searcher.has_proof)
    if not searcher.proofs:
        searcher.prove(found[0].path)
    best = max(searcher.proofs, key=lambda one: (one.clear, median(one.scores)))
    return Outcome(
        name=mutant.name,
        changes=mutant.changes,
        found=searcher.has_proof,
        harm=best.harm,
        score=round(median(best.scores), 3),
        clear=best.clear,
        tries=len(searcher.proofs),
        paths=len(searcher.harms),
        cpu_s=round(cpu_s() - begun, 1),
        path=best.path,
    )


@dataclass(frozen=True)
class Effort:
    """How far a search goes."""

    seed: int
    budget: int
    """Paths of each fault."""
    controls: int = 1
    """Searches for the control, each with a seed of its own."""


def run(lab: Lab, build: File, out: File, effort: Effort, only: Sequence[str] = ()) -> Iterator[Outcome]:
    """Of all of planted.toml, or some, with the control at the end. A program is there as long as it is needed."""
    listed = planted()
    tree = Tree(build)
    tree.update()
    for mutant in (one for one in listed.mutants() if not only or one.name in only):
        program = out / "programs" / mutant.name / "cc-lab"
        print(f"{mutant.name}: build", file=sys.stderr, flush=True)
        with tree.with_mutant(mutant):
            tree.build(program)
        broken = Lab(program, out / "planted.jsonl", lab.crew)
        outcome = search(mutant, Broken(broken, lab, CC, listed.timestamps, CC), effort.seed, effort.budget)
        program.unlink()
        print(row(outcome), file=sys.stderr, flush=True)
        yield outcome
    for number in range(effort.controls if not only or CONTROL.name in only else 0):
        control = replace(CONTROL, name=f"{CONTROL.name}-{number + 1}" if number else CONTROL.name)
        alike = Broken(lab, lab, ALIKE, listed.timestamps, CC)
        yield search(control, alike, effort.seed + number, effort.budget)


def read(file: File) -> list[Outcome]:
    return msgspec.json.decode(file.read_bytes(), type=list[Outcome])


def write(file: File, outcomes: Sequence[Outcome]) -> None:
    file.write_bytes(msgspec.json.format(msgspec.json.encode(list(outcomes)), indent=1))


def row(one: Outcome) -> str:
    found = f"{one.harm}, {one.score:.2f}" if one.found else f"no ({one.harm}, {one.score:.2f})"
    cells = (f"`{one.name}`", one.changes, found, f"{one.clear} of {PROOF}", one.tries, described(one.path), one.paths)
    return "| " + " | ".join(map(str, cells)) + f" | {one.cpu_s:.0f} |"


def table(outcomes: Sequence[Outcome]) -> str:
    head = "| fault | what it changes | found, octaves | seeds | tries | path | paths | CPU, s |\n" + "|---" * 8 + "|\n"
    controls = [one for one in outcomes if is_control(one)]
    faults = [one for one in outcomes if one not in controls]
    said = "; ".join(f"{_found(some, what)}" for some, what in ((faults, "faults"), (controls, "controls")) if some)
    return head + "\n".join(map(row, outcomes)) + f"\n\nFound: {said}.\n"


def _found(some: Sequence[Outcome], what: str) -> str:
    used = sum(one.cpu_s for one in some)
    return f"{sum(one.found for one in some)} of {len(some)} {what}, with {used:.0f} s of processor time"


def is_control(one: Outcome) -> bool:
    return one.name.startswith(CONTROL.name)


def cpu_s() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)
