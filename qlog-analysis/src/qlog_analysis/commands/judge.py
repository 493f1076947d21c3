"""`check` and `zones`."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from .. import hints, junit
from ..check.run import check as judge
from ..check.verdict import Outcome, Verdict
from ..check.whole import Checked
from ..check.whole import check as check_all
from ..errors import AnalysisError
from ..output import STANDARD_OUTPUT, write_text
from .codes import Code
from .used import Used, loaded

_OF_OUTCOME = {Outcome.PASS: Code.OK, Outcome.FAIL: Code.VIOLATIONS, Outcome.INCONCLUSIVE: Code.UNSUITABLE}

J = TypeVar("J", Verdict, Checked)


def check(args: Namespace) -> Code:
    records = _beside(args.record, args.traces, "--record", "records")

    def use(path: Path) -> Checked:
        checked = check_all(loaded(args, path), records.get(path))
        if checked.without_law is not None:
            why = checked.without_law
            print(f"qlog-analysis: {why}{hints.after(why, judges=True)}", file=sys.stderr)
        return checked

    used = _judge(args, "check", use)
    return used.code([Code.NO_LAW if c.outcome is None else _OF_OUTCOME[c.outcome] for c in used.results])


def _beside(given: list[Path], traces: list[Path], option: str, what: str) -> dict[Path, Path]:
    """What was given of each trace; of all the same if it was given once."""
    if len(given) == 1:
        given *= len(traces)
    if given and len(given) != len(traces):
        raise AnalysisError(
            f"{len(given)} {what} for {len(traces)} traces: give {option} once for all, or as often as there are "
            "traces, in the same order"
        )
    return dict(zip(traces, given, strict=False))


def zones(args: Namespace) -> Code:
    def use(path: Path) -> Verdict:
        return judge(loaded(args, path), "hybrid")

    used = _judge(args, "zones", use)
    # A trace of another controller is not what was asked for.
    return used.code([_OF_OUTCOME[v.outcome] for v in used.results])


def _judge(args: Namespace, command: str, use: Callable[[Path], J]) -> Used[J]:
    """Judges, prints and writes."""
    if args.json == args.junit == STANDARD_OUTPUT:
        raise AnalysisError("--json and --junit cannot both be written to the standard output")

    def shown(path: Path) -> J:
        judged = use(path)
        if STANDARD_OUTPUT not in (args.json, args.junit):
            print(judged.to_text())
        return judged

    used = Used.of(args.traces, shown, judges=True)
    used.write_json(args.json, lambda j: j.to_json())
    if args.junit is not None:
        came = ((t.path, t.result or t.error) for t in used.tried)
        write_text(args.junit, junit.to_xml(command, ((path, result) for path, result in came if result is not None)))
    return used
