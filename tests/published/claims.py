"""What `claims.json` has of a run of cc-lab, as values that tables are made of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .publication import PublishedError

Seeds = Sequence[float]
WITHOUT, WITH = "false", "true"
"""Receive timestamps, as parameters say it."""


@dataclass(frozen=True)
class Point:
    """A variant of a run, and a number per seed."""

    parameters: Mapping[str, str]
    measured: Sequence[float | None]
    compared_with: Sequence[float | None]
    """The other side, with the factor of the check."""
    bound: str
    holds: bool

    @property
    def first(self) -> float:
        """Of the first seed. Raises PublishedError if nothing was measured."""
        return _known(self.measured, self.parameters)

    @property
    def first_of_other(self) -> float:
        """The same of the other side."""
        return _known(self.compared_with, self.parameters)


def _known(seeds: Sequence[float | None], parameters: Mapping[str, str]) -> float:
    if not seeds or seeds[0] is None:
        raise PublishedError(f"nothing was measured with {parameters}")
    return seeds[0]


@dataclass(frozen=True)
class Check:
    claim: str
    what: str
    points: Sequence[Point]
    unit: str
    """Of what is measured."""
    holds: bool
    share_of_points: float
    """At which it has to hold."""
    factor: float
    plus: float
    """Of what it is compared with."""

    def where(self, **parameters: str) -> list[Point]:
        """The points with these values."""
        return [point for point in self.points if parameters.items() <= dict(point.parameters).items()]

    def values(self, **parameters: str) -> Seeds:
        """Of the only point with these values, one per seed. Raises PublishedError where there is none."""
        found = self.where(**parameters)
        if len(found) != 1:
            raise PublishedError(f"{self.claim}, {self.what}: {len(found)} points with {parameters}, expected one")
        seeds = [value for value in found[0].measured if value is not None]
        if not seeds:
            raise PublishedError(f"{self.claim}, {self.what}: nothing was measured with {parameters}")
        return seeds

    def each(self, name: str) -> list[str]:
        """The values of a parameter, in the order in which they come."""
        return list(dict.fromkeys(point.parameters[name] for point in self.points))


@dataclass(frozen=True)
class Claim:
    id: str
    title: str
    hold: int
    of: int
    checks: Sequence[Check]

    def check(self, what: str) -> Check:
        for check in self.checks:
            if check.what == what:
                return check
        raise PublishedError(f"{self.id} has no check {what!r}")


def read(*folders: Path) -> dict[str, Claim]:
    """By id, of the `claims.json` of these folders."""
    found: dict[str, Claim] = {}
    for folder in folders:
        try:
            given = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise PublishedError(f"{folder / 'claims.json'}: {error}") from error
        found |= {
            claim["id"]: Claim(claim["id"], claim["title"], *_hold(claim), list(_checks(claim))) for claim in given
        }
    return found


def of(claims: Mapping[str, Claim], name: str) -> Claim:
    if name not in claims:
        raise PublishedError(f"there is no claim {name} among {', '.join(claims)}")
    return claims[name]


def round_trip_ms(way: str) -> str:
    """Twice a delay of one way, `20ms`."""
    return f"{2 * float(way.removesuffix('ms')):g}"


def _hold(claim: Mapping[str, Any]) -> tuple[int, int]:
    points = claim["points_that_hold"]
    return points["hold"], points["of"]


def _checks(claim: Mapping[str, Any]) -> Iterator[Check]:
    for check in claim["checks"]:
        points = [
            Point(
                point["parameters"],
                point["measured"],
                point.get("compared_with") or [],
                point["bound"],
                point["holds"],
            )
            for point in check["points"]
        ]
        yield Check(
            claim["id"],
            check["what"],
            points,
            check.get("unit", ""),
            check.get("holds", False),
            check.get("share_of_points", 1.0),
            check.get("factor", 1.0),
            check.get("plus", 0.0),
        )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """In Markdown."""
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def ms(seconds: float) -> str:
    """Two digits where it is short, with a comma in thousands."""
    value = 1e3 * seconds
    digits = 0 if value >= 100 else 1 if value >= 1 else 2
    return f"{value:,.{digits}f}"


def percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f} %"


def number(text: str) -> str:
    """Of `10Mbps`, `4ms` and `1.3bdp`."""
    found = re.match(r"-?[\d.]+", text)
    if found is None:
        raise PublishedError(f"{text!r} has no number")
    return found[0]
