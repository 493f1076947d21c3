"""The traces that a command was given: what came of each, and which could not be used."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from .. import hints
from ..errors import AnalysisError
from ..load import Choice, load
from ..model import Trace
from ..output import write_text
from .codes import Code

_GRAVEST_FIRST = (Code.VIOLATIONS, Code.UNSUITABLE, Code.NO_LAW, Code.OK)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tried(Generic[T]):
    """One of the traces that were given: what came of it, or why it could not be used."""

    path: Path
    result: T | None
    error: AnalysisError | None


@dataclass(frozen=True, slots=True)
class Used(Generic[T]):
    """What came of several traces, each for itself: an unusable one is named and does not keep the others back."""

    tried: list[Tried[T]]

    @classmethod
    def of(cls, paths: list[Path], use: Callable[[Path], T], *, judges: bool = False) -> Used[T]:
        return cls([cls._try(path, use, judges) for path in paths])

    @staticmethod
    def _try(path: Path, use: Callable[[Path], T], judges: bool) -> Tried[T]:
        try:
            return Tried(path, use(path), None)
        except AnalysisError as e:
            print(f"qlog-analysis: {e}{hints.after(e, judges=judges)}", file=sys.stderr)
            return Tried(path, None, e)

    @property
    def results(self) -> list[T]:
        return [t.result for t in self.tried if t.result is not None]

    @property
    def errors(self) -> list[AnalysisError]:
        return [t.error for t in self.tried if t.error is not None]

    def code(self, verdicts: list[Code]) -> Code:
        """The exit code of all; `verdicts` are those of the traces that could be used."""
        if self.errors:
            return Code.PARTLY if self.results else Code.UNSUITABLE
        return next(code for code in _GRAVEST_FIRST if code in verdicts)

    def done(self) -> Code:
        """The exit code of commands that give no verdict."""
        return self.code([Code.OK] * len(self.results))

    def write_json(self, path: Path | None, to_json: Callable[[T], dict[str, Any]]) -> None:
        """One object for one trace, a list for several; of a trace that could not be used the reason."""
        if path is None:
            return
        rows = [
            to_json(t.result) if t.result is not None else {"trace": str(t.path), "error": str(t.error)}
            for t in self.tried
        ]
        write_text(path, json.dumps(rows[0] if len(rows) == 1 else rows, indent=1, allow_nan=False) + "\n")


def choice(args: Namespace) -> Choice:
    """A verdict holds only if every record was read; figures are of use without one or the other."""
    skip = not args.judges and not args.strict
    return Choice(args.allow_truncated or skip, skip, args.connection)


def loaded(args: Namespace, path: Path) -> Trace:
    return told(path, choice(args))


def told(path: Path, choice: Choice) -> Trace:
    """Reads a trace and says what of it is not used."""
    trace = load(path, choice)
    for note in trace.unused:
        print(f"qlog-analysis: {path}: {note}", file=sys.stderr)
    return trace
