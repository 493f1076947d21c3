"""The table of docs/results/drawn-paths.md, of the targets P: paths that are drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from .claims import Check, Claim, Point, ms, percent, read, table
from .publication import Part, Place, PublishedError, percentile

PAGE = "docs/results/drawn-paths.md"
PART = Part(PAGE, "drawn")
LETTER = "P"
PARTS = (50, 90, 100)
"""Percent of the paths, from the best on: what is shown of them."""


def numbers(seeds: Sequence[float | None]) -> list[float]:
    return [seed for seed in seeds if seed is not None]


def own(point: Point) -> float | None:
    """The mean of the seeds."""
    known = numbers(point.measured)
    return fmean(known) if known else None


def ratio(check: Check, point: Point) -> float | None:
    """To the other side, without factor and allowance of the check."""
    other = [(beside - check.plus) / check.factor for beside in numbers(point.compared_with)]
    mine = own(point)
    if mine is None or not other:
        return None
    return mine / fmean(other) if fmean(other) > 0 else float(mine > 0)


def shown(check: Check, value: float) -> str:
    match check.unit:
        case "s":
            return f"{ms(value)} ms"
        case "1":
            return percent(value, 1)
        case _:
            raise PublishedError(f"{check.claim}, {check.what}: no way to show {check.unit}")


def from_best_on(check: Check, values: Sequence[float]) -> list[float]:
    """The worst of each part of the paths: what is larger is worse, unless a bound asks for more."""
    worse = -1 if any(point.bound.startswith((">", "≥")) for point in check.points) else 1
    return [worse * percentile([worse * value for value in values], part) for part in PARTS]


def row(claim: Claim, check: Check) -> list[str]:
    points = check.points
    compared = any(numbers(point.compared_with) for point in points)
    mine = [value for point in points if (value := own(point)) is not None]
    if not mine:
        raise PublishedError(f"{check.claim}, {check.what}: nothing was measured")
    times = [value for point in points if (value := ratio(check, point)) is not None] if compared else []
    hold = sum(point.holds for point in points)
    return [
        f"{claim.id}: {check.what}",
        f"{100 * check.share_of_points:.0f} %",
        f"{hold} of {len(points)}" if check.holds else f"**{hold} of {len(points)}**",
        ", ".join(shown(check, value) for value in from_best_on(check, mine)),
        ", ".join(f"{value:.2f}" for value in from_best_on(check, times)) if times else "",
    ]


def targets(claims: Mapping[str, Claim]) -> str:
    rows = [row(claim, check) for claim in claims.values() if claim.id.startswith(LETTER) for check in claim.checks]
    head = ("check", "asked for at", "holds at", "`hybrid`: 50, 90, 100 % of the paths", "times bbr2: 50, 90, 100 %")
    return table(head, rows)


def write(place: Place, folder: Path, commit: str) -> None:
    PART.write(place.root, targets(read(folder)), commit)
