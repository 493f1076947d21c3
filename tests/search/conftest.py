"""Figures to test with."""

from __future__ import annotations

from msgspec.structs import replace

from .evaluator import Cell, Figures, Result

GOOD = Figures(
    name="good",
    seed=1,
    kind="alone",
    flows=1,
    rtt_ms=40.0,
    packet_ms=0.1,
    utilisation=0.998,
    p95_ms=1.0,
    loss=0.0,
    start_loss=0.0,
    jain=None,
    bias=None,
    arrival_ms=None,
    start_up=8,
)
UNSTEADY = replace(GOOD, kind="disturbed")
EQUAL = replace(GOOD, kind="equal", flows=4, jain=0.995, bias=1.1, arrival_ms=2.0, start_up=None)
MIXED = replace(GOOD, kind="mixed", flows=3, jain=0.99, bias=1.2, start_up=None)


def result(**changes: float) -> Result:
    """Of one flow, with these figures."""
    figures = replace(GOOD, **changes)
    cells = {"used": 100 * figures.utilisation, "p95": figures.p95_ms, "jain": figures.jain or 1.0}
    return Result([figures], [Cell(name, name, 2, value) for name, value in cells.items()])
