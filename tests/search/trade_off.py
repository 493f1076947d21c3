"""What a search has seen, as a trade-off: delay against use against equality of shares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .evaluator import Evaluator, Result
from .judge import seeds_of
from .optimise import Found
from .plots import draw_trade_off
from .tables import Row, table

NAMES = ("used", "p95", "jain")


def dominates(one: Result, other: Result) -> bool:
    """Whether `one` is nowhere worse, and somewhere better, in use, delay and equality."""
    better = [sign * (one.value(name) - other.value(name)) for name, sign in zip(NAMES, (1, -1, 1), strict=True)]
    return min(better) >= 0 and max(better) > 0


def front(rows: Sequence[Row]) -> list[Row]:
    """What nothing dominates, from the least delay on."""
    kept = [row for row in rows if not any(dominates(other, row[1]) for _, other in rows)]
    return sorted(kept, key=lambda row: row[1].value("p95"))


def write(evaluator: Evaluator, found: Found, seed: int, out: Path) -> None:
    """Writes trade-off.svg and trade-off.md (the front); a set without one of the three figures has none."""
    rows = [(f"`{point.spec}`", evaluator.measure(point.spec, [point.seed])) for point in found.points]
    if {cell.name for cell in rows[0][1].summary}.issuperset(NAMES):
        named = {"default": "hybrid", "found": found.best}
        marked = [(name, evaluator.measure(spec, seeds_of(seed))) for name, spec in named.items()]
        draw_trade_off([result for _, result in rows], marked, out / "trade-off.svg")
        (out / "trade-off.md").write_text(table(front(rows), "spec"), encoding="utf-8")
