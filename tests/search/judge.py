"""What the search has found, frozen, beside today's default and the paper's, on both sets of scenarios."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import msgspec

from .evaluator import Evaluator, SearchError
from .objective import cost
from .optimise import Found
from .tables import table

FOUND = "found.json"
SEEDS = 3


def seeds_of(seed: int) -> range:
    """The seeds that judge: from the given one on."""
    return range(seed, seed + SEEDS)


def write_found(found: Found, out: Path) -> None:
    """Freezes what a search came to, with every point in the order in which it was looked at."""
    (out / FOUND).write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")


def best_of(out: Path) -> str:
    """The best spec of the search that left its results in `out`."""
    path = out / FOUND
    if not path.exists():
        raise SearchError(f"{path} does not exist; `search run` writes it")
    return msgspec.json.decode(path.read_bytes(), type=Found).best


def write(sets: Mapping[str, Evaluator], specs: Sequence[str], seed: int, out: Path) -> None:
    """Writes judge.md and judge.json."""
    seeds = seeds_of(seed)
    results = {name: [(spec, of.measure(spec, seeds)) for spec in specs] for name, of in sets.items()}
    text = f"All figures over the seeds {seeds.start} to {seeds.stop - 1}.\n"
    for name, rows in results.items():
        text += f"\n## {name.capitalize()}\n\n" + table([(f"`{spec}`", result) for spec, result in rows], "spec")
    (out / "judge.md").write_text(text, encoding="utf-8")
    data = {
        name: [{"spec": spec, "cost": cost(result.scenarios), "summary": result.summary} for spec, result in rows]
        for name, rows in results.items()
    }
    (out / "judge.json").write_bytes(msgspec.json.format(msgspec.json.encode(data), indent=1))
    print(text, end="")
