"""RFC 9743 criterion by criterion, of what `cc-lab claims` measured.

build/venv/bin/python tests/rfc9743/page.py DIR/claims.json SAFETY/claims.json

`python -m published run rfc9743` writes docs/results/rfc9743.md of that, and names the commit.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from criteria import GROUPS, HEAD, Criterion
from paths import beside_newreno, described

OURS = ("hybrid", "smallq", "rrr", "raimd", "vegas")
BESIDE = ("reno", "cubic", "bbr2")
ALL = OURS + BESIDE
UNITS: Mapping[str, tuple[tuple[float, str, int], ...]] = {
    "s": ((1, "s", 2), (1e-3, "ms", 1)),
    "bit/s": ((1e6, "Mbit/s", 2), (1e3, "kbit/s", 1)),
    "packets": ((1, "packets", 0),),
    "bytes": ((1e3, "kB", 1),),
}


class Incomplete(ValueError):
    """Something that the page has to say is not there."""


def amount(value: float, unit: str) -> str:
    """With its unit; shares of one percent and below as percentages, too."""
    if unit == "1":
        return f"{value:.3f}"
    if unit == "share":
        return f"{100 * value:.1f} %"
    scales = UNITS[unit]
    scale, name, digits = next((given for given in scales if abs(value) >= given[0]), scales[-1])
    return f"{value / scale:.{digits}f} {name}"


@dataclass(frozen=True)
class Cell:
    """What a controller comes to: the worst of all seeds and windows."""

    text: str
    holds: bool

    def __str__(self) -> str:
        return self.text if self.holds else f"**{self.text}**"


@dataclass(frozen=True)
class Row:
    """A check, at one value of whatever varies besides the controller."""

    what: str
    bound: str
    source: str
    cells: Mapping[str, Cell]

    def __str__(self) -> str:
        cells = " | ".join(str(self.cells[cc]) for cc in ALL)
        return f"| {self.what} | {self.bound} | {self.source} | {cells} |"


def worst(points: Sequence[Mapping[str, Any]], unit: str) -> Cell:
    """Of several points of one controller: a seed without a number, or else the value farthest beyond the bound."""
    holds = all(point["holds"] for point in points)
    failing = [point for point in points if not point["holds"]] or list(points)
    values = [value for point in failing for value in point["measured"]]
    if None in values or not values:
        return Cell("nothing arrived", holds)
    least_is_worst = "≥" in failing[0]["bound"] or ">" in failing[0]["bound"]
    return Cell(amount(min(values) if least_is_worst else max(values), unit), holds)


def threshold(points: Sequence[Mapping[str, Any]]) -> str:
    """One for all, or the least and the most: those beside NewReno differ from point to point."""
    bounds = sorted({re.sub(r"\s*\(.*\)$", "", str(point["bound"])) for point in points}, key=quantity)
    if len(bounds) == 1:
        return bounds[0]
    least, most = bounds[0], bounds[-1].lstrip("<>≤≥ ")
    return f"{least.removesuffix(' packets') if most.endswith(' packets') else least} to {most}, by run"


def quantity(bound: str) -> float:
    """Of `< 124.1 ms`, in seconds if it is a time."""
    found = re.search(r"([\d.]+) ?(ms)?", bound)
    return 0.0 if found is None else float(found[1]) * (1e-3 if found[2] else 1)


def base(what: str) -> str:
    """Checks about some controllers have a name after the last comma."""
    name, _, whose = what.rpartition(", ")
    return name if whose in {*ALL, "quiche"} else what


def rows(claim: Mapping[str, Any], only: Sequence[str] | None) -> Iterator[Row]:
    """Of a claim; of `only` these checks, if given, over all that varies together."""
    grouped: dict[tuple[str, str], list[tuple[Mapping[str, Any], str]]] = {}
    for check in claim["checks"]:
        what = base(check["what"])
        if only is not None and what not in only:
            continue
        for point in check["points"]:
            if point["parameters"]["cc"] not in ALL:
                continue
            rest = ", ".join(f"{key} {value}" for key, value in sorted(point["parameters"].items()) if key != "cc")
            key = (what, "" if only else rest)
            grouped.setdefault(key, []).append((point, check["unit"]))
    for (what, rest), found in grouped.items():
        unit = "share" if is_share(what, found[0][1]) else found[0][1]
        of = {cc: [point for point, _ in found if point["parameters"]["cc"] == cc] for cc in ALL}
        missing = [cc for cc in ALL if not of[cc]]
        if missing:
            raise Incomplete(f"{claim['id']}, {what}: nothing of {', '.join(missing)}")
        cells = {cc: worst(of[cc], unit) for cc in ALL}
        name = f"{what}, {rest}" if rest else what
        seeds = min(len(point["measured"]) for point, _ in found)
        source = f"{claim['id']}, {seeds} seed" + ("s" if seeds > 1 else "")
        made_of = beside_newreno(claim["id"], what)
        bound = threshold([point for point, _ in found]) + (f" ({made_of})" if made_of else "")
        yield Row(name, bound, source, cells)


def is_share(what: str, unit: str) -> bool:
    """Plain numbers that are percentages to people."""
    return unit == "1" and not what.startswith("Jain")


def reasons(claim: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Lines of `deviates`, `rrr, raimd: why`, or all of it where the check itself is about one controller."""
    for check in claim["checks"]:
        reason = check["reason"] or ""
        whose = check["what"].rpartition(", ")[2]
        if whose in ALL:
            yield whose, " ".join(reason.split())
            continue
        for line in reason.splitlines():
            names, colon, why = line.partition(": ")
            listed = [name.strip() for name in names.split(",")]
            if colon and all(name in ALL for name in listed):
                yield from ((name, why.strip()) for name in listed)


def explained(claim: Mapping[str, Any], found: Sequence[Row]) -> Iterator[str]:
    """Why each of ours fails, once for those that have the same reason."""
    failing = [cc for cc in OURS if any(not row.cells[cc].holds for row in found)]
    whys: dict[str, list[str]] = {}
    for cc, why in reasons(claim):
        if why and cc in failing and cc not in whys.setdefault(why, []):
            whys[why].append(cc)
    unexplained = [cc for cc in failing if not any(cc in ccs for ccs in whys.values())]
    if unexplained:
        raise Incomplete(f"{claim['id']}: no reason why {', '.join(unexplained)} fails")
    yield from (
        f"{', '.join(ccs)} fail{'s' if len(ccs) == 1 else ''}, because {why}" for why, ccs in whys.items() if ccs
    )


def answered(entry: Criterion, claims: Mapping[str, Mapping[str, Any]]) -> tuple[list[Row], list[str]]:
    """Its rows, and what is to be said about them."""
    found: list[Row] = []
    said: list[str] = []
    for claim_id in entry.claims:
        if claim_id not in claims:
            raise Incomplete(f"section {entry.section}: no claim {claim_id} in the files given")
        claim = claims[claim_id]
        own = list(rows(claim, entry.checks))
        found += own
        said += explained(claim, own)
    if entry.answer:
        said.append(" ".join(entry.answer.split()))
    if not found and not said:
        raise Incomplete(f"section {entry.section}: neither claims nor an answer")
    return found, said


def gone_over(entry: Criterion, claims: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The runs that its rows are measured in, once each."""
    yield from dict.fromkeys(described(run) for claim_id in entry.claims for run in claims[claim_id]["runs"])


HEADS = "| " + " | ".join(("hybrid", "smallq", "rrr", "raimd", "vegas", "NewReno", "CUBIC", "BBRv2")) + " |"


def overview(answers: Sequence[tuple[Criterion, list[Row], list[str]]]) -> Iterator[str]:
    """A line per criterion: how many of its rows hold."""
    yield f"| section | criterion {HEADS}"
    yield "|---|---|" + "---|" * len(ALL)
    for entry, found, _ in answers:
        cells = " | ".join(kept(found, cc) or (entry.verdict if cc in OURS else "not asked") for cc in ALL)
        yield f"| {entry.section} | {entry.title} | {cells} |"


def kept(found: Sequence[Row], cc: str) -> str:
    """How many of these rows hold; nothing if there is none."""
    count = sum(row.cells[cc].holds for row in found)
    if count < len(found):
        return f"**{count} of {len(found)}**"
    return "yes" if found else ""


def bullet(said: str) -> str:
    """In lines as long as those of all documents."""
    return textwrap.fill(
        said, 120, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def page(claims: Mapping[str, Mapping[str, Any]]) -> str:
    """All of it."""
    groups = [(group, [(entry, *answered(entry, claims)) for entry in group.criteria]) for group in GROUPS]
    every = [answer for _, answers in groups for answer in answers]
    lines = [HEAD.strip(), "", "## In short", "", *overview(every), ""]
    for group, answers in groups:
        lines += [f"## {group.title}", ""]
        for entry, found, said in answers:
            lines += [f"### {entry.title} (section {entry.section})", ""]
            if found:
                lines += [*map(bullet, gone_over(entry, claims)), ""]
                lines += [f"| measured | bound | claim, seeds {HEADS}", "|---|---|---|" + "---|" * len(ALL)]
                lines += [*map(str, found), ""]
            lines += [*map(bullet, said), *([""] if said else [])]
    return "\n".join(lines).rstrip() + "\n"


def read(paths: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """The claims of several files by id."""
    files = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
    return {claim["id"]: claim for file in files for claim in file}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims", nargs="+", help="what `cc-lab claims` wrote")
    given = parser.parse_args(arguments)
    try:
        sys.stdout.write(page(read(given.claims)))
    except (Incomplete, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
