"""Whether the hunt finds what is known: controllers that are broken on purpose, and a weakness that was published.

The faults are those of tests/mutants that planted.toml names. One is found when the hunt has a path on which the broken
build does one of the harms clearly more than the whole one, with nearly all of ten seeds that the search has not seen.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path as File
from statistics import median

import msgspec
from mutants.catalogue import Mutant, mutants
from mutants.tree import Tree

from .judge import FRESH, Broken, Judge, again, confirmed, judged
from .lab import HuntError, Lab
from .search import hunt
from .space import Path
from .tables import described
from .worst import CANDIDATES

HERE = File(__file__).parent
CC = "hybrid"
ALIKE = "hybrid:startup_gain=2.201"
CONTROL = Mutant(
    "control", "", (CC,), "", "", "No fault: start-up gains 0.05 % more, which moves packets and harms nobody."
)
"""What the luck of other packets comes to. It must not be found."""
CLEARLY = 0.5
"""Octaves: 1.4 times as much."""
ENOUGH = 9
"""Of the ten fresh seeds."""


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
    """In octaves, the median of the fresh seeds."""
    clear: int
    """Fresh seeds with which it is CLEARLY more."""
    paths: int
    """That were looked at."""
    cpu_s: float
    """All of it, the build left out."""
    path: Path


def planted() -> Planted:
    file = HERE / "planted.toml"
    try:
        return msgspec.toml.decode(file.read_bytes(), type=Planted)
    except (OSError, msgspec.MsgspecError) as error:
        raise HuntError(f"{file}: {error}") from error


def search(mutant: Mutant, judge: Judge, seed: int, budget: int) -> Outcome:
    """The worst path of a search over all harms."""
    begun = cpu_s()
    seen: dict[Path, str] = {}

    def score(paths: Sequence[Path]) -> list[float]:
        found = judged(judge, paths, None)
        seen.update({path: one.harm for path, one in zip(paths, found, strict=True)})
        return [one.score for one in found]

    best = hunt(score, seed, budget, mutant.name)[:CANDIDATES]
    path, harm = confirmed(judge, [(one.path, seen[one.path]) for one in best], min)
    fresh = again(judge, path, harm, FRESH)
    clear = sum(of >= CLEARLY for of in fresh)
    used = round(cpu_s() - begun, 1)
    score_of = round(median(fresh), 3)
    return Outcome(mutant.name, mutant.changes, clear >= ENOUGH, harm, score_of, clear, len(seen), used, path)


def run(lab: Lab, build: File, out: File, seed: int, budget: int, only: Sequence[str] = ()) -> Iterator[Outcome]:
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
        outcome = search(mutant, Broken(broken, lab, CC, listed.timestamps, CC), seed, budget)
        program.unlink()
        print(row(outcome), file=sys.stderr, flush=True)
        yield outcome
    if not only or CONTROL.name in only:
        yield search(CONTROL, Broken(lab, lab, ALIKE, listed.timestamps, CC), seed, budget)


def read(file: File) -> list[Outcome]:
    return msgspec.json.decode(file.read_bytes(), type=list[Outcome])


def write(file: File, outcomes: Sequence[Outcome]) -> None:
    file.write_bytes(msgspec.json.format(msgspec.json.encode(list(outcomes)), indent=1))


def row(one: Outcome) -> str:
    found = f"{one.harm}, {one.score:.2f}" if one.found else f"no ({one.harm}, {one.score:.2f}, {one.clear} of 10)"
    return f"| `{one.name}` | {one.changes} | {found} | {described(one.path)} | {one.paths} | {one.cpu_s:.0f} |"


def table(outcomes: Sequence[Outcome]) -> str:
    head = "| fault | what it changes | found, octaves | path | paths | CPU, s |\n|---|---|---|---|---|---|\n"
    return head + "\n".join(map(row, outcomes)) + "\n"


def cpu_s() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)
