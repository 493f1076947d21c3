"""The checks that claim sets say do not hold, on one page, with bound, limit and reason: docs/deviations.md.

Nothing is measured for it: it says what the files say. `cc-lab claims` holds the files against its runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from .claims import table
from .names import ROOT

PAGE = "docs/deviations.md"
KINDS: Mapping[str, tuple[str, str]] = {
    "tests/papers": ("Papers", "what a paper says of its controller ([papers](papers/README.md))"),
    "tests/targets": ("Targets", "what `hybrid` has to reach without options ([targets](targets.md))"),
    "tests/safety": ("Safety", "how much a controller may hurt a user at most ([safety](targets.md#safety))"),
    "tests/rfc9743": ("RFC 9743", "what RFC 9743 asks of every controller ([answers](results/rfc9743.md))"),
    "tests/hunt/bounds": ("Hunt", "how badly `hybrid` may do on the worst paths found ([hunt](results/hunt.md))"),
}
"""Folders of claim sets, with the heading of each and what its claim sets claim. The quick parts repeat main points."""
HEAD = """
# Checks that do not hold

What papers, targets and standards ask for is data, in [claim sets](claims.md). A check that is known not to hold says
why in its file, and how far it may be off. This page has all of them, made of the files without a run by

```sh
PYTHONPATH=tests build/venv/bin/python -m published declared
```

A test says when it is out of date. [`cc-lab claims`](claims.md) makes the runs. It fails if a check does otherwise than
its file says: if one that is not on this page does not hold, or one that is here is farther off, or holds. The report
of that command has the measured numbers. Letters are unique within a folder only: claim S1 of the papers is another
one than S1 of the targets. Symbols are those of [the specification](papers/hybrid.md#quantities).

| in the tables | meaning |
|---|---|
| claim | its checks belong together; a claim holds if all of them do |
| check | one comparison, at one or many *points*, such as paths; it does not hold if it fails at one |
| bound | what is asked for |
| holds within | the limit: what was measured last, with some room ([status](claims.md#status)) |
| may fail at | at how many of its points; at all of them where nothing is said |
| why | the reason; in the sets about several controllers it begins with those that it is about |
"""


@dataclass(frozen=True)
class ClaimSet:
    folder: str
    file: str
    letter: str
    title: str
    claims: Sequence[Mapping[str, Any]]

    @property
    def checks(self) -> list[Mapping[str, Any]]:
        return [check for claim in self.claims for check in claim["check"]]

    @property
    def whole(self) -> int:
        """Claims without a check that deviates."""
        return sum(not any("deviates" in check for check in claim["check"]) for claim in self.claims)

    @property
    def deviating(self) -> int:
        return sum("deviates" in check for check in self.checks)


def claim_sets(root: Path) -> list[ClaimSet]:
    """In the order of the page."""
    found = []
    for folder in KINDS:
        for file in sorted((root / folder).glob("*.toml")):
            given = msgspec.toml.decode(file.read_bytes())
            about = given.get("claim_set")
            if about:
                name = f"{folder}/{file.name}"
                found.append(ClaimSet(folder, name, about["letter"], about["title"], given.get("claim", [])))
    return found


def page(root: Path) -> str:
    sets = claim_sets(root)
    lines = [HEAD.strip(), "", "## How many", "", overview(sets)]
    for folder, (heading, about) in KINDS.items():
        own = [one for one in sets if one.folder == folder]
        lines += [f"## {heading}", "", f"{about[0].upper()}{about[1:]}.", ""]
        for one in own:
            if one.deviating:
                lines += [f"### {one.letter}: {one.title}", "", deviations(one)]
            else:
                lines += [f"### {one.letter}: {one.title}", "", "All checks hold.", ""]
    return "\n".join(lines).rstrip() + "\n"


def overview(sets: Sequence[ClaimSet]) -> str:
    rows = [
        [
            f"[{one.letter}](../{one.file})",
            one.title,
            str(len(one.claims)),
            str(one.whole),
            str(len(one.checks)),
            str(len(one.checks) - one.deviating),
            str(one.deviating),
        ]
        for one in sets
    ]
    sums = [str(sum(int(row[column]) for row in rows)) for column in range(2, 7)]
    head = (
        "letter, file",
        "claim set",
        "claims",
        "claims that hold",
        "checks",
        "checks that hold",
        "checks that do not",
    )
    return table(head, [*rows, ["", "all", *sums]])


def deviations(one: ClaimSet) -> str:
    rows, before = [], ""
    for claim in one.claims:
        for check in claim["check"]:
            if "deviates" in check:
                why = cell(check["deviates"])
                limit = check.get("limit", {})
                row = [claim["id"], cell(check["what"]), asked(check), within(limit), cell(limit.get("points", ""))]
                rows.append([*row, "the same" if why == before else why])
                before = why
    return table(("claim", "check", "bound", "holds within", "may fail at", "why"), rows)


def cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def asked(check: Mapping[str, Any]) -> str:
    """The bound, or what it is compared with."""
    if "bound" in check:
        return f"`{check['bound']}`"
    key = next(key for key in ("less_than", "greater_than", "equals") if key in check)
    parts = [key.replace("_", " ") if key != "equals" else "equal to"]
    parts += [f"{check['factor']:g} times"] if check.get("factor", 1) != 1 else []
    parts += [other(check[key])]
    parts += [f"and {check['plus']}"] if "plus" in check else []
    parts += [f"within {check['within']}"] if "within" in check else []
    return " ".join(parts)


def other(measure: Mapping[str, Any]) -> str:
    """A measure or a formula, shortly."""
    what = measure.get("metric") or f"model = {measure['model']}"
    whose = measure.get("flow") or measure.get("link") or ", ".join(measure.get("flows", []))
    where = [f"{key} {value}" for key, value in measure.get("where", {}).items()]
    run = [f"run `{measure['run']}`"] if "run" in measure else []
    return " ".join([f"`{what}`", *([f"of {whose}"] if whose else []), f"({', '.join([*run, *where])})"])


def within(limit: Mapping[str, Any]) -> str:
    texts = {
        "bound": "`{}`",
        "factor": "{} times",
        "plus": "and {}",
        "within": "within {}",
        "seeds": "{} of the seeds",
    }
    return ", ".join(text.format(limit[key]) for key, text in texts.items() if key in limit)


def write(root: Path = ROOT) -> None:
    (root / PAGE).write_text(page(root), encoding="utf-8")
