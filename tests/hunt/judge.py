"""What a path scores: a controller against cubic and bbr2, or a broken build against the one that is whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from .harms import REFERENCES, Comparison, Scores, compared, worst
from .lab import Lab, Run
from .space import Path, shaken

SEEDS = (1, 2, 3)
"""Of the search, which looks for luck as well as for harm."""
CONFIRMING = (11, 12, 13, 14, 15)
"""With which the worst of the search's best paths is chosen, and made simpler."""
SURE = tuple(range(21, 31))
"""With which a search that may end early makes sure of a path before it asks for a proof."""
FRESH = tuple(range(101, 111))
"""With which nothing was chosen: what is published is of these."""
SUSPECT = 0.3
"""Octaves with the first seed from which on a path is run with the others, too."""


class Judge(Protocol):
    def all(self, paths: Sequence[Path], seed: int) -> list[Scores]: ...


@dataclass(frozen=True)
class Against:
    """`cc` against the better of cubic and bbr2 on the same path and seed."""

    lab: Lab
    cc: str
    timestamps: bool

    @property
    def references(self) -> list[str]:
        """A reference is not held against itself."""
        return [other for other in REFERENCES if other != self.cc]

    def compared(self, paths: Sequence[Path], seeds: Sequence[int]) -> list[Comparison]:
        """Each path with its seed."""
        ccs = (self.cc, *self.references)
        both = zip(paths, seeds, strict=True)
        figures = self.lab.figures([Run(path, cc, self.timestamps, seed) for path, seed in both for cc in ccs])
        found = []
        for number, path in enumerate(paths):
            own, *others = figures[number * len(ccs) : (number + 1) * len(ccs)]
            found.append(compared(path, own, dict(zip(self.references, others, strict=True))))
        return found

    def all(self, paths: Sequence[Path], seed: int) -> list[Scores]:
        return self.each(paths, [seed] * len(paths))

    def each(self, paths: Sequence[Path], seeds: Sequence[int]) -> list[Scores]:
        return [one.scores for one in self.compared(paths, seeds)]


@dataclass(frozen=True)
class Broken:
    """A controller of one build against one of another, or of the same: the one that is broken and the whole one.

    Each seed shakes the path a little. On a path without randomness all seeds would say the same, and two builds of
    which neither is worse differ on some such path: a packet more or less decides who loses one.
    """

    broken: Lab
    whole: Lab
    cc: str
    timestamps: bool
    whole_cc: str

    def all(self, paths: Sequence[Path], seed: int) -> list[Scores]:
        paths = [shaken(path, seed) for path in paths]
        broken = self.broken.figures([Run(path, self.cc, self.timestamps, seed) for path in paths])
        whole = self.whole.figures([Run(path, self.whole_cc, self.timestamps, seed) for path in paths])
        return [compared(path, own, {"whole": of}).scores for path, own, of in zip(paths, broken, whole, strict=True)]


@dataclass(frozen=True)
class Judged:
    """What a path came to, of all seeds with which it was run: what is the luck of one seed is no harm."""

    harm: str
    score: float


def judged(judge: Judge, paths: Sequence[Path], harm: str | None, seeds: Sequence[int] = SEEDS) -> list[Judged]:
    """The least of the seeds, for one harm or for the one that is the worst with the first seed."""
    first = judge.all(paths, seeds[0])
    harms = [harm or worst(of) for of in first]
    least = [of[which] for of, which in zip(first, harms, strict=True)]
    for seed in seeds[1:]:
        # A step at a time, so that what falls below is run no more.
        suspects = [at for at, score in enumerate(least) if score >= SUSPECT]
        for at, of in zip(suspects, judge.all([paths[at] for at in suspects], seed), strict=True):
            least[at] = min(least[at], of[harms[at]])
    return [Judged(which, score) for which, score in zip(harms, least, strict=True)]


def again(judge: Judge, path: Path, harm: str, seeds: Sequence[int]) -> list[float]:
    """The harm with each of other seeds."""
    return [judge.all([path], seed)[0][harm] for seed in seeds]


def confirmed(judge: Judge, candidates: Sequence[tuple[Path, str]]) -> tuple[Path, str]:
    """The worst path, with its harm, by seeds that did not choose the candidates."""
    return max(candidates, key=lambda one: median(again(judge, one[0], one[1], CONFIRMING)))
