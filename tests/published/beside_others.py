"""The tables of docs/results/beside-others.md, of the targets C, B and F."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from .claims import WITH, WITHOUT, Claim, of, percent, read, table
from .publication import Part, Place

PAGE = "docs/results/beside-others.md"
LATER, TARGETS, PAGES, BEFORE, INSTEAD = (
    Part(PAGE, mark) for mark in ("later", "targets", "pages", "before", "instead")
)
LETTERS = "B,C,F"
FAIR = (0.40, 0.60)
"""Of the path, beside one other flow."""
LOW = 0.30
FILES = {"B": "beside-downloads.toml", "C": "coexistence.toml", "F": "fairness.toml"}


def counted(shares: Sequence[float]) -> list[str]:
    within = sum(FAIR[0] <= share <= FAIR[1] for share in shares)
    return [f"{within} of {len(shares)}", f"{fmean(shares):.2f}", f"{min(shares):.2f}"]


def later(claims: Mapping[str, Claim]) -> str:
    """C6: another flow comes to one of hybrid."""
    check = of(claims, "C6").check("share of the path, at least")
    rows = []
    for neighbour in check.each("neighbour"):
        for timestamps, label in ((WITH, "with"), (WITHOUT, "without")):
            found = check.where(neighbour=neighbour, timestamps=timestamps)
            rows.append([neighbour, label, *counted([point.first for point in found])])
    every = [point.first for point in check.points]
    rows.append(["all", "", *counted(every)])
    head = ("competing flow", "receive timestamps", "within 0.40 to 0.60", "mean share", "least")
    low, high = (sum(share < LOW for share in every), sum(share > FAIR[1] for share in every))
    said = f"\nOn {low} of the {len(every)} paths the share is below {LOW:.2f}; on {high} it is above {FAIR[1]:.2f}.\n"
    return table(head, rows) + said


def targets(claims: Mapping[str, Claim]) -> str:
    """How many checks of each claim hold."""

    def rows() -> Iterator[list[str]]:
        for letter, file in FILES.items():
            own = [claim for claim in claims.values() if claim.id.startswith(letter)]
            for place, claim in enumerate(own):
                name = "" if place else f"[{file}](../../tests/targets/{file})"
                yield [name, f"{claim.id}: {claim.title}", str(claim.hold), str(claim.of)]

    return table(("file", "claim", "hold", "of"), list(rows()))


def pages(claims: Mapping[str, Claim]) -> str:
    """B1 to B3: the median time of a page, beside a download of its own kind and of both kinds of CUBIC."""
    kinds = {"open": "open connection", "new": "new connections"}
    rows = []
    for claim, beside in (("B1", "its own kind"), ("B2", "cubic"), ("B3", "cubic-rfc9438")):
        for kind, what in kinds.items():
            other = {cc: of(claims, claim).check(f"{what}, median, against {cc}") for cc in ("cubic", "bbr2")}
            for point in other["cubic"].points:
                path = {key: point.parameters[key] for key in ("rate", "buffer")}
                bbr2 = other["bbr2"].where(**path)[0].compared_with[0]
                own, cubic = point.measured[0], point.compared_with[0]
                times = [f"{value:.2f}" if value is not None else "none" for value in (own, cubic, bbr2)]
                rows.append(
                    [beside, kind, path["rate"].removesuffix("Mbps"), path["buffer"].removesuffix("bdp"), *times]
                )
    head = ("beside a download of", "connection", "Mbit/s", "buffer, BDP", "`hybrid`", "cubic", "bbr2")
    return table(head, rows)


def before(claims: Mapping[str, Claim]) -> str:
    """C4: hybrid comes to another flow."""
    check = of(claims, "C4").check("share of the path")
    keys = dict.fromkeys((point.parameters["neighbour"], point.parameters["buffer"]) for point in check.points)
    rows, low = [], 0
    for neighbour, buffer in keys:
        cells = []
        for timestamps in (WITH, WITHOUT):
            found = check.where(neighbour=neighbour, buffer=buffer, timestamps=timestamps)
            shares = [point.first for point in found]
            low += sum(share < LOW for share in shares)
            cells.append(f"{100 * min(shares):.0f} to {percent(max(shares))}")
        rows.append([neighbour, buffer.removesuffix("bdp"), *cells])
    head = ("competing flow", "buffer, BDP", "with receive timestamps", "without")
    said = f"\n{low} of {len(check.points)} shares are below {percent(LOW)}.\n"
    return table(head, rows) + said


def instead(claims: Mapping[str, Claim]) -> str:
    """C7: other controllers come in place of hybrid, without receive timestamps."""
    claim, others = of(claims, "C7"), ("bbr2", "cubic-rfc9438")
    checks = {cc: claim.check(f"share of the path, against {cc}") for cc in others}
    first = checks[others[0]].points
    keys = dict.fromkeys((point.parameters["neighbour"], point.parameters["buffer"]) for point in first)
    rows = []
    for neighbour, buffer in keys:
        found = {cc: check.where(neighbour=neighbour, buffer=buffer) for cc, check in checks.items()}
        shares = [[point.first for point in found[others[0]]]]
        shares += [[point.compared_with[0] or 0.0 for point in found[cc]] for cc in others]
        rows.append([neighbour, buffer.removesuffix("bdp"), *(f"{100 * fmean(these):.0f} %" for these in shares)])
    return table(("competing flow", "buffer, BDP", "`hybrid`", *others), rows)


PARTS = {LATER: later, TARGETS: targets, PAGES: pages, BEFORE: before, INSTEAD: instead}


def write(place: Place, folder: Path, commit: str) -> None:
    claims = read(folder)
    for part, made in PARTS.items():
        part.write(place.root, made(claims), commit)
