"""All that a run of `fleet` has to say, in the forms in which it says it to machines and on a terminal."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import Any

from ..explain.limits import Limit
from ..explain.words import LIMIT_NAMES, percent, rate
from ..visible import in_a_line
from . import compare
from .compare import CONFIDENCE, Difference
from .summary import Fleet, Group, One

SHOWN_GROUPS = 10
SHOWN_ERRORS = 10
SHOWN_LIMITS = 3
SMALLEST_LIMIT = 0.02
WIDTH = 110


@dataclass(frozen=True, slots=True)
class Report:
    fleet: Fleet
    other: Fleet | None
    differences: list[Difference]
    seed: int

    @property
    def others(self) -> str:
        """Who the others are."""
        if self.other is None:
            return ""
        return " ".join(part for part in (self.other.store, self.other.chosen and f"({self.other.chosen})") if part)


def to_json(report: Report) -> dict[str, Any]:
    out = _fleet(report.fleet)
    if report.other is not None:
        out["against"] = _fleet(report.other)
        out["comparison"] = {
            "confidence": CONFIDENCE,
            "seed": report.seed,
            "figures": compare.to_json(report.differences),
        }
    return out


def _fleet(fleet: Fleet) -> dict[str, Any]:
    out = asdict(fleet)
    for kind, command in (("worst", "explain"), ("first_failing", "check")):
        for row, one in zip(out[kind], getattr(fleet, kind), strict=True):
            row["command"] = one.command(command)
    for groups in out["groups"].values():
        for g in groups:
            p50, p95 = g.pop("queueing_delay_p95_ms")
            g["queueing_delay_p95_ms"] = {"p50": p50, "p95": p95}
    return out


def to_text(report: Report) -> str:
    fleet = report.fleet
    chosen = f", {fleet.connections:,} connections with {fleet.chosen}" if fleet.chosen else ""
    of = "" if fleet.chosen else f", {fleet.connections:,} connections"
    lines = [f"{fleet.store}: {fleet.traces:,} traces{of}{chosen}", *_problems(fleet), *_errors(fleet)]
    if report.other is not None:
        lines += _comparison(report)
    lines += ["", "Delay: 95th percentile of a connection's queueing delay per packet; p50 and p95 over connections"]
    for name, groups in fleet.groups.items():
        lines += _groups(name, groups, fleet.more_groups.get(name, 0))
    lines += _ones("Worst queueing delay (95th percentile)", fleet.worst, "explain")
    lines += _ones(f"Verdict FAIL ({fleet.failing:,} in all)", fleet.first_failing, "check")
    return "\n".join(in_a_line(line) for line in lines)


def _problems(fleet: Fleet) -> list[str]:
    if not fleet.problems:
        return []
    lines = [f"  not searched or read: {len(fleet.problems):,}"]
    lines += [f"    {problem}" for problem in fleet.problems[:SHOWN_ERRORS]]
    return lines + _more(len(fleet.problems) - SHOWN_ERRORS, "on the standard error")


def _more(count: int, where: str) -> list[str]:
    return [f"    ... and {count:,} more ({where})"] if count > 0 else []


def _errors(fleet: Fleet) -> list[str]:
    if not fleet.errors:
        return []
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in fleet.error_kinds.items())
    lines = [f"  not used: {fleet.errors:,} ({kinds})"]
    lines += [f"    {one.name}: {one.error}" for one in fleet.first_errors[:SHOWN_ERRORS]]
    return lines + _more(fleet.errors - SHOWN_ERRORS, "column `error` of the table")


def _groups(by: str, groups: list[Group], more: int) -> list[str]:
    head = f"{'connections':>11} {'delay p50':>10} {'delay p95':>10} {'goodput':>12} {'loss':>8}"
    lines = ["", f"By {by}", f"  {head}"]
    for g in groups[:SHOWN_GROUPS]:
        low, high = g.queueing_delay_p95_ms
        loss = "-" if g.loss_percent is None else f"{g.loss_percent:.2f} %"
        goodput = "-" if g.goodput_bps is None else rate(g.goodput_bps)
        lines += [f"  {g.connections:>11,} {ms(low):>10} {ms(high):>10} {goodput:>12} {loss:>8}  {g.name}"]
        said = ", ".join(f"{count:,} {verdict}" for verdict, count in g.verdicts.items())
        lines += [f"  {'':>11} {said}; {limits(g)}"]
    left = more + max(len(groups) - SHOWN_GROUPS, 0)
    return lines + ([f"  ... and {left:,} more (--json lists {len(groups):,})"] if left else [])


def limits(group: Group) -> str:
    shares = sorted(((s, name) for name, s in group.limited_by.items() if s >= SMALLEST_LIMIT), reverse=True)
    named = ", ".join(f"{LIMIT_NAMES[Limit(name)]} {percent(s)}" for s, name in shares[:SHOWN_LIMITS])
    return f"limited by {named}" if named else "limits unknown"


def ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} ms"


def _ones(title: str, ones: list[One], command: str) -> list[str]:
    if not ones:
        return []
    lines = ["", title]
    for one in ones:
        copy = f"   (a copy of {one.trace})" if one.is_remote else ""
        broken = f"  {', '.join(one.disagreements)}" if command == "check" else ""
        lines.append(f"  {ms(one.queueing_delay_p95_ms):>10}  {one.controller}{broken}")
        lines.append(f"  {'':>10}  {one.command(command)}{copy}")
    return lines


def _comparison(report: Report) -> list[str]:
    lines = ["", f"Against {report.others}: this, other, difference with its interval"]
    for d in report.differences:
        lines.append(f"  {d.name}: {d.word}")
        said = f"{number(d.this)} and {number(d.other)} {d.unit}"
        if d.interval is not None and d.this is not None and d.other is not None:
            low, high = d.interval
            said += f"; {d.this - d.other:+.3g} ({low:+.3g} to {high:+.3g}) {d.unit}"
        lines.append(f"      {said}; {d.connections[0]:,} and {d.connections[1]:,} connections")
    return lines + textwrap.wrap(explained(report), WIDTH, initial_indent="  ", subsequent_indent="  ")


def explained(report: Report) -> str:
    return (
        f"All intervals together hold with {100 * CONFIDENCE:.0f} % if connections are independent of each other "
        f"(seed {report.seed}). A figure is called better or worse only if its interval does not contain 0."
    )


def number(value: float | None) -> str:
    if value is None:
        return "-"
    if abs(value) < 5e-4:
        return "0"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
