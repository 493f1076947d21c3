"""The worst path for each harm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path as File
from statistics import median

import msgspec
from msgspec.structs import replace

from .harms import ENDLESS, HARMS, Comparison
from .judge import FRESH, Against, confirmed, judged
from .search import Found, hunt
from .space import Path

CANDIDATES = 5
"""Of a search's best paths, of which other seeds choose one."""


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A path that is bad for a controller, with what the fresh seeds came to."""

    cc: str
    timestamps: bool
    harm: str
    path: Path
    rival: str = ""
    """With most of the seeds the better of cubic and bbr2."""
    score: float = 0.0
    """In octaves, the median of the seeds; all numbers are relative to the rival."""
    least: float = 0.0
    most: float = 0.0
    together: float = 0.0
    """All harms added up, the median of the seeds."""
    reason: str = ""
    """Why, as far as it is known; by hand."""

    @property
    def name(self) -> str:
        return f"{self.cc.replace(':', '-')}-{self.harm}-{'with' if self.timestamps else 'without'}"


def worst_of(
    judge: Against, cc: str, timestamps: bool, harm: str, seed: int, budget: int, keeps: Mapping[str, str] | None = None
) -> tuple[Case, Sequence[Found]]:
    """Of a search for one harm; and the paths on which somebody sends without end. `keeps` gives fields of a path that
    are not searched."""

    def kept(path: Path) -> Path:
        return replace(path, **(keeps or {}))

    label = f"{cc}, {harm}, {'with' if timestamps else 'without'} receive timestamps"
    searched = hunt(lambda paths: [one.score for one in judged(judge, [*map(kept, paths)], harm)], seed, budget, label)
    found = [Found(kept(one.path), one.score) for one in searched]
    endless = [one for one in found if one.score >= ENDLESS]
    candidates = [(one.path, harm) for one in found if one.score < ENDLESS][:CANDIDATES]
    path, _ = confirmed(judge, candidates)
    return measured(judge, Case(cc, timestamps, harm, path)), endless


def measured(judge: Against, case: Case, seeds: Sequence[int] = FRESH) -> Case:
    """With seeds that had no part in choosing the path."""
    found: list[Comparison] = judge.compared([case.path] * len(seeds), seeds)
    scores = [one.scores[case.harm] for one in found]
    return replace(
        case,
        rival=Counter(one.rival for one in found).most_common(1)[0][0],
        score=round(median(scores), 3),
        least=round(min(scores), 3),
        most=round(max(scores), 3),
        together=round(median(one.together for one in found), 3),
    )


def read_cases(file: File) -> list[Case]:
    return msgspec.json.decode(file.read_bytes(), type=list[Case])


def write_cases(file: File, cases: Sequence[Case]) -> None:
    file.write_bytes(msgspec.json.format(msgspec.json.encode(list(cases)), indent=1) + b"\n")


def by_rank(cases: Sequence[Case]) -> list[Case]:
    """The worst first; harms in their order where they are equal."""
    return sorted(cases, key=lambda case: (-case.score, HARMS.index(case.harm)))
