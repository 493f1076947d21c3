"""Reads a trace from a file."""

from __future__ import annotations

from pathlib import Path

from .builder import Builder
from .dialect import OtherLayoutError, dialect_of
from .errors import TraceError, TruncatedTraceError, about
from .model import Trace
from .read import records


def load(path: Path, *, allow_truncated: bool = False) -> Trace:
    """Reads a trace. With `allow_truncated` a cut last record becomes a note instead of an error."""
    with about(path):
        try:
            trace = _load(path, allow_truncated=allow_truncated)
        except OtherLayoutError:
            trace = _load(path, allow_truncated=allow_truncated, foreign=True)
        if trace.losses_from is None and not trace.writer.tells_losses:
            # Not one loss was told, perhaps because this writer never does: find them as RFC 9002 would.
            trace = _load(path, allow_truncated=allow_truncated, foreign=True, losses_by_threshold=True)
        return trace


def _load(path: Path, *, allow_truncated: bool, foreign: bool = False, losses_by_threshold: bool = False) -> Trace:
    builder: Builder | None = None
    source = records(path)
    try:
        first = next(source, None)
        if first is None:
            raise TraceError("no record found; expected a qlog header")
        dialect = dialect_of(first, foreign_for_certain=foreign)
        builder = Builder(path, dialect, losses_by_threshold=losses_by_threshold or dialect.strict)
        for record, event in dialect.events(source):
            builder.add(record, event)
    except TruncatedTraceError as e:
        if not allow_truncated or builder is None:
            raise
        builder.trace.notes.append(f"truncated trace: {e}")
    return builder.finish()
