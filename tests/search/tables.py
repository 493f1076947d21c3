"""Summaries as tables."""

from __future__ import annotations

from collections.abc import Sequence

from .evaluator import Result
from .objective import cost

Row = tuple[str, Result]


def table(rows: Sequence[Row], first: str) -> str:
    """A table in Markdown: one result a row, headed by its name, its cost in front."""
    heads = [first, "cost", *(cell.head for cell in rows[0][1].summary)]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for head, result in rows:
        cells = [f"{cell.value:.{cell.digits}f}" for cell in result.summary]
        lines.append("| " + " | ".join([head, f"{cost(result.scenarios):.3f}", *cells]) + " |")
    return "\n".join(lines) + "\n"
