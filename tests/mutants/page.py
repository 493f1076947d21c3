"""Results as JSON and as a table."""

from __future__ import annotations

from collections import Counter

import msgspec

from .interval import shown
from .judge import NOT_JUDGED
from .measure import FOUND, NOT_FOUND, SAME, OfController, Result


def summary(results: list[Result]) -> dict[str, object]:
    """Counts, with the rates among those that behave differently and are judged."""
    counts = Counter(result.outcome for result in results)
    pairs = Counter(one.outcome for result in results for one in result.controllers)
    return {
        "outcomes": dict(counts),
        "found": shown(counts[FOUND], counts[FOUND] + counts[NOT_FOUND] + counts[NOT_JUDGED]),
        "controllers": dict(pairs),
        "found_by_controller": shown(pairs[FOUND], pairs[FOUND] + pairs[NOT_FOUND] + pairs[NOT_JUDGED]),
    }


def as_json(results: list[Result], commit: str) -> str:
    """What was found on a commit, a mutant on a line, in the order of their names."""
    lines = [msgspec.json.encode(_told(result)).decode() for result in sorted(results, key=lambda r: r.name)]
    told = msgspec.json.encode({"commit": commit, **summary(results)}).decode().removesuffix("}")
    return f'{told},"mutants":[\n' + ",\n".join(lines) + "\n]}\n"


def _told(result: Result) -> dict[str, object]:
    of = [
        {"controller": one.spec, "outcome": one.outcome}
        | ({"path": one.path, "checks": one.laws} if one.outcome == FOUND else {})
        for one in result.controllers
    ]
    return {"mutant": result.name, "changes": result.changes, "outcome": result.outcome, "controllers": of}


def markdown(results: list[Result]) -> str:
    """The table, those first that were not found."""
    counts = Counter(result.outcome for result in results)
    head = [
        f"Found: {summary(results)['found']} of the mutants that behave differently on these paths; "
        f"{counts[SAME]} more behave the same.",
        f"Counted by mutant and controller: {summary(results)['found_by_controller']}.",
        "",
        "| mutant | what it changes | verdict | by |",
        "|---|---|---|---|",
    ]
    order = [NOT_FOUND, NOT_JUDGED, SAME, FOUND]
    ranked = sorted(results, key=lambda result: order.index(result.outcome) if result.outcome in order else -1)
    return "\n".join([*head, *map(_row, ranked)]) + "\n"


def _row(result: Result) -> str:
    why = f" {result.why}" if result.why and result.outcome != FOUND else ""
    return f"| `{result.name}` | {result.changes}{why} | {result.outcome} | {verdicts(result)} |"


def verdicts(result: Result) -> str:
    """By controller, with the path on which it was found and what did not hold."""
    return "; ".join(_of(one) for one in result.controllers)


def _of(one: OfController) -> str:
    if one.outcome == FOUND:
        return f"`{one.spec}`, {one.path}: {', '.join(one.laws[:3])}"
    return f"`{one.spec}`: {one.outcome}"
