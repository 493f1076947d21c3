"""The numbers of docs/results/mutants.md, of what `mutants run`, `mutants honest` and `mutants tests` found."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mutants.interval import shown
from mutants.judge import FAIL, NOT_JUDGED
from mutants.measure import FOUND, NOT_FOUND, SAME
from mutants.parts import HEAD, Outcome, Trial, rows

from .claims import table
from .publication import Part, Place, PublishedError

PAGE = "docs/results/mutants.md"
COUNTS, REST, HONEST, TESTED = (Part(PAGE, mark) for mark in ("counts", "rest", "honest", "tested"))
NUMBERS = "docs/results/mutants.json"
HONEST_RUNS = 2000
FIRST_SEED = 20001
SHARD = "11/36"
"""Of the mutants by cargo-mutants. None of it was looked at when tests were written for others."""
OUTCOMES = (FOUND, NOT_FOUND, NOT_JUDGED, SAME)


def load(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PublishedError(f"{file}: {error}") from error


def counts(told: dict[str, Any]) -> str:
    """How many there are of each outcome, and the rates."""
    rows = [
        [what, *(str(told[key].get(outcome, 0)) for outcome in OUTCOMES)]
        for what, key in (("mutants", "outcomes"), ("mutant and controller", "controllers"))
    ]
    said = (
        f"\nFound of those that behave differently and can be judged, with 95 % intervals by Wilson:\n{told['found']} "
        f"of the mutants;\n{told['found_by_controller']} by mutant and controller.\n"
    )
    return table(("counted", *OUTCOMES), rows) + said


def rest(told: dict[str, Any]) -> str:
    """Those that are not found by some controller."""
    rows = []
    for mutant in told["mutants"]:
        by_outcome = defaultdict(list)
        for one in mutant["controllers"]:
            by_outcome[one["outcome"]].append(f"`{one['controller']}`")
        if by_outcome and FOUND not in by_outcome:
            said = "; ".join(f"{', '.join(ccs)}: {outcome}" for outcome, ccs in by_outcome.items())
            rows.append([f"`{mutant['mutant']}`", mutant["changes"], said])
    return table(("mutant", "what it changes", "by"), rows)


def honest(rows: Sequence[dict[str, Any]]) -> str:
    """How many runs are accused, and of what."""
    outcomes = Counter(row["verdict"]["outcome"] for row in rows)
    seeds = [row["seed"] for row in rows]
    said = (
        f"Seeds {min(seeds)} to {max(seeds)}. Alarms: {shown(outcomes[FAIL], len(rows))}.\n"
        f"Not judged: {shown(outcomes[NOT_JUDGED], len(rows))}.\n"
    )
    accused: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in rows:
        if row["verdict"]["outcome"] == FAIL:
            accused[row["spec"], ", ".join(row["verdict"]["laws"])].append(row["seed"])
    lines = [
        [str(len(found)), f"`{spec}`", laws, ", ".join(map(str, found))]
        for (spec, laws), found in sorted(accused.items(), key=lambda item: -len(item[1]))
    ]
    return said + ("\n" + table(("runs", "controller", "what does not hold", "seeds"), lines) if lines else "")


def tested(told: dict[str, Any]) -> str:
    """How many of the mutants by rules the tests find, and which they do not."""
    mutants = [Trial(one["name"], one["file"], Outcome(one["outcome"])) for one in told["mutants"]]
    left = [_mutant_row(one) for one in mutants if one.outcome is Outcome.MISSED]
    first, of = told["shard"].split("/")
    head = f"Every {of}th mutant of the list, from number {int(first) + 1} on, by {told['tests']}.\n\n"
    head += table(HEAD, rows(mutants))
    return head + (f"\nNot found:\n\n{table(('where', 'what it changes'), left)}" if left else "")


def _mutant_row(one: Trial) -> list[str]:
    """The file and the line; and what is changed, which may have a bar in it."""
    place, _, change = one.name.partition(": ")
    file, line, _ = place.rsplit(":", 2)
    return [f"`{file.removeprefix('cc/src/')}:{line}`", "`" + change.replace("|", "\\|") + "`"]


def write(place: Place, folder: Path, commit: str) -> None:
    told = load(folder / "mutants.json")
    COUNTS.write(place.root, counts(told), commit)
    REST.write(place.root, rest(told), commit)
    (place.root / NUMBERS).write_text((folder / "mutants.json").read_text(encoding="utf-8"), encoding="utf-8")


def write_honest(place: Place, folder: Path, commit: str) -> None:
    HONEST.write(place.root, honest(load(folder / "honest.json")), commit)


def write_tested(place: Place, folder: Path, commit: str) -> None:
    TESTED.write(place.root, tested(load(folder / "tested.json")), commit)
