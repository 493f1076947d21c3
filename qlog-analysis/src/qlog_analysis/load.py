"""Reads a trace from a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .broken import Broken
from .builder import Builder
from .dialect import OtherLayoutError, dialect_of
from .errors import TraceError, TruncatedTraceError, about
from .model import Trace
from .read import records


@dataclass(frozen=True, slots=True)
class Choice:
    """Of what a file holds, what is used."""

    allow_truncated: bool = False
    """A cut last record becomes a note instead of an error."""
    skip_broken: bool = False
    """So does every other record that cannot be used."""
    connection: str | None = None
    """One of several: its number, from 1, or the beginning of its name."""


WHOLE = Choice()


def load(path: Path, choice: Choice = WHOLE) -> Trace:
    """Reads a trace. Unless `choice` says otherwise, every record has to be right."""
    with about(path):
        try:
            trace = _load(path, choice)
        except OtherLayoutError:
            trace = _load(path, choice, foreign=True)
        if trace.losses_from is None and not trace.writer.tells_losses:
            # Not one loss was told, perhaps because this writer never does: find them as RFC 9002 would.
            trace = _load(path, choice, foreign=True, losses_by_threshold=True)
        return trace


def _load(path: Path, choice: Choice, *, foreign: bool = False, losses_by_threshold: bool = False) -> Trace:
    builder: Builder | None = None
    broken = Broken(skip=choice.skip_broken)
    source = records(path, choice.connection)
    try:
        first = next(source, None)
        if first is None:
            raise TraceError("no record found; expected a qlog header")
        dialect = dialect_of(first, foreign_for_certain=foreign, connection=choice.connection)
        builder = Builder(path, dialect, losses_by_threshold=losses_by_threshold or dialect.strict)
        for record, event in dialect.events(source, broken):
            builder.add(record, event, broken)
    except TruncatedTraceError as e:
        if not choice.allow_truncated or builder is None:
            raise
        builder.trace.unused.append(f"truncated trace: {e}")
    builder.trace.unused[:0] = broken.notes(builder.records, enough=builder.has_packets)
    builder.trace.unused_records = broken.records
    builder.trace.notes += builder.trace.unused
    return builder.finish()
