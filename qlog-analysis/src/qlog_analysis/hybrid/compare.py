"""One epoch: the rules, the packets, and the report, held against each other."""

from __future__ import annotations

from dataclasses import dataclass

from ..check.verdict import Finding
from ..events import HybridEpoch
from ..model import Update
from ..zones.verdict import row_of
from . import law
from .by_packets import PacketsAgainstReport
from .by_rules import RulesAgainstReport
from .course import Course
from .measured import Measured
from .sides import Before, Sides
from .standing import Standing
from .verdict import HybridRow


@dataclass(frozen=True, slots=True)
class Compared:
    row: HybridRow
    findings: list[Finding]
    measured_anew: bool | None
    """Whether by the packets only what is sent from now on counts; None if rounding leaves that open."""
    interrupted: bool
    """Whether the path was: start-up begins again."""
    startup_after: bool | None
    """Whether by the packets the next epoch is one of start-up; None if rounding leaves that open."""
    transmission: float
    """T as it counted in the epoch, by the report, s."""
    ack_gap: tuple[float, float]
    """G then, s: at least and at most."""
    jitters: list[float]
    ack_jitters: list[float]
    """Values that J may have then, s."""
    standing: Standing
    """The same of a queue that stands, with all values that Q may have."""
    queues: frozenset[float]
    since_decrease: tuple[float, float]
    """u, s: at least and at most."""
    course: Course
    """What the epoch leaves to those after it. Numbers are those of the report: each is checked where it stands."""


def compare(event: Update[HybridEpoch], measured: Measured, before: Before) -> Compared:
    """Holds one reported epoch against one measured."""
    sides = Sides(event, measured, before)
    rules = RulesAgainstReport(sides)
    PacketsAgainstReport(sides).run()
    rules.run()
    anew = {u.starts_anew for u in rules.from_packets}
    course = (
        rules.course if event.data.return_rate is None else rules.course._replace(return_rate=event.data.return_rate)
    )
    return Compared(
        row=_row(sides, rules.from_packets),
        findings=sides.findings,
        measured_anew=anew.pop() if len(anew) == 1 else None,
        interrupted=sides.interrupted,
        startup_after=rules.startup_after,
        transmission=sides.reported_transmission(),
        ack_gap=sides.ack_gap_after,
        jitters=sides.jitters_after,
        ack_jitters=sides.ack_jitters_after,
        standing=rules.standing,
        queues=rules.queues,
        since_decrease=rules.since_decrease,
        course=course,
    )


def _row(sides: Sides, updates: list[law.Update]) -> HybridRow:
    r = sides.r
    common = row_of(sides, updates[0].zone if updates else None)
    return HybridRow(**common, state=r.state, delivery_rate_bps=r.delivery_rate, return_rate_bps=r.return_rate)
