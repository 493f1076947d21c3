"""A bad path without what it does not need: fewer kinds, round numbers, a shorter run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10
from statistics import median

from msgspec.structs import replace

from .events import as_first
from .judge import CONFIRMING, Judge, again
from .space import KINDS, NUMBERS, Path
from .worst import Case

KEPT = 0.8
"""Of the score that was found, at least."""
DURATIONS_S = (6.0, 8.0, 10.0, 12.0, 16.0, 24.0)
ROUND = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def minimised(judge: Judge, case: Case, seeds: Sequence[int] = CONFIRMING) -> Case:
    """The same harm on a simpler path, down to a share of its score. Ends where no single step is possible."""
    least = KEPT * median(again(judge, case.path, case.harm, seeds))
    path, moved = case.path, least > 0
    while moved:
        moved = False
        done: set[str] = set()
        for fields in list(_changes(path)):
            if done.intersection(fields):
                continue
            simpler = replace(path, **fields)
            if _is_bad(judge, simpler, case.harm, seeds, least):
                path, moved = simpler, True
                done.update(fields)
    return replace(case, path=path)


def _is_bad(judge: Judge, path: Path, harm: str, seeds: Sequence[int], least: float) -> bool:
    """With most of the seeds; what is decided is run no more."""
    most = len(seeds) // 2 + 1
    bad = good = 0
    for seed in seeds:
        if judge.all([path], seed)[0][harm] >= least:
            bad += 1
        else:
            good += 1
        if most in (bad, good):
            break
    return bad == most


def _changes(path: Path) -> Iterator[dict[str, str | float]]:
    """Of few fields each, those that leave most away first. A change leads to fewer kinds, a value of the plain path,
    fewer digits or a shorter run, so that changes come to an end."""
    plain = Path()
    for kind in KINDS:
        if getattr(path, kind.name) != kind.values[0]:
            yield {kind.name: kind.values[0]}
    if path.event == "none" != path.then:
        yield as_first(path)
    if path.count == "3":
        yield {"count": "2"}
    numbers = [number for number in NUMBERS if number.name != "duration_s"]
    for number in numbers:
        if getattr(path, number.name) != getattr(plain, number.name):
            yield {number.name: getattr(plain, number.name)}
    for seconds in DURATIONS_S:
        if seconds < path.duration_s:
            yield {"duration_s": seconds}
    for number in numbers:
        value = getattr(path, number.name)
        if value not in (getattr(plain, number.name), rounded(value)):
            yield {number.name: rounded(value)}


def rounded(value: float) -> float:
    """The nearest with one digit that people choose."""
    scale = 10.0 ** floor(log10(value))
    return float(f"{min(ROUND, key=lambda digit: abs(digit - value / scale)) * scale:.3g}")
