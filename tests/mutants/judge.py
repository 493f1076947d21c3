"""What the checker says of traces, remembered by trace and checker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import qlog_analysis
from json_lines import JsonLines
from qlog_analysis.check.verdict import Outcome
from qlog_analysis.check.whole import check
from qlog_analysis.errors import UnsuitableTraceError
from qlog_analysis.load import load

from .tree import OWN, digest

PASS, FAIL, NOT_JUDGED = "pass", "fail", "not judged"


class Verdict(msgspec.Struct, frozen=True):
    """Of one trace."""

    outcome: str
    laws: tuple[str, ...] = ()
    """What does not hold, each once."""
    first: str = ""
    """The first disagreement, as text; or why nothing could be judged."""


def verdict(trace: Path) -> Verdict:
    """What `qlog-analysis check` says of it."""
    try:
        checked = check(load(trace))
    except UnsuitableTraceError as error:
        return Verdict(NOT_JUDGED, (), error.what)
    if checked.outcome is Outcome.FAIL:
        return Verdict(FAIL, tuple(dict.fromkeys(checked.disagreements)), _first(checked))
    return Verdict(PASS if checked.outcome is Outcome.PASS else NOT_JUDGED)


def _first(checked: object) -> str:
    law = getattr(checked, "law", None)
    found = [(f.time, f.message) for f in law.findings] if law is not None else []
    for judgement in getattr(checked, "invariants", []):
        found += [(b.time, b.message) for b in judgement.judged.breaches]
    time, message = min(found)
    return f"at {time:.3f} s: {message}"


def checker_digests() -> dict[str, str]:
    """By controller, of the checker's sources but other controllers' laws."""
    package = Path(qlog_analysis.__file__).parent
    files = [file.relative_to(package) for file in sorted(package.rglob("*.py"))]
    laws = {folder for folders in OWN.values() for folder in folders}
    return {
        spec: digest(package, [file for file in files if file.parts[0] not in laws - set(folders)])
        for spec, folders in OWN.items()
    }


class _Line(msgspec.Struct):
    key: str
    verdict: Verdict


class Journal:
    """Verdicts by key."""

    def __init__(self, file: Path) -> None:
        self._lines = JsonLines(file, _Line)
        self._known = {line.key: line.verdict for line in self._lines.read()}

    def get(self, key: str, ask: Callable[[], Verdict]) -> Verdict:
        if key not in self._known:
            self._known[key] = ask()
            self._lines.add(_Line(key, self._known[key]))
        return self._known[key]
