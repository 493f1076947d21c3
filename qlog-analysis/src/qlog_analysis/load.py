"""Reads a trace from a file."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from .blocks import BlockBuilder
from .broken import Broken
from .builder import Builder
from .dialect import OtherLayoutError, dialect_of
from .dialect.connections import ByNameError, require_the_only_one
from .dialect.native import Native
from .errors import TraceError, TruncatedTraceError, about
from .model import Trace
from .piped import take
from .read import Piece, one_by_one, pieces, reading
from .record import Record


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
    with about(path), _no_garbage():
        with reading(path):
            take(path)
        try:
            trace = _of_either_layout(path, choice)
        except ByNameError as e:
            choice = replace(choice, connection=str(e.number))
            trace = _of_either_layout(path, choice)
        if trace.losses_from is None and not trace.writer.tells_losses:
            # Not one loss was told, perhaps because this writer never does: find them as RFC 9002 would.
            trace = _load(path, choice, foreign=True, losses_by_threshold=True)
        trace.connection = choice.connection
        return trace


def _of_either_layout(path: Path, choice: Choice) -> Trace:
    try:
        return _load(path, choice)
    except OtherLayoutError:
        return _load(path, choice, foreign=True)


def _load(path: Path, choice: Choice, *, foreign: bool = False, losses_by_threshold: bool = False) -> Trace:
    builder: Builder | None = None
    broken = Broken(skip=choice.skip_broken)
    source = pieces(path, choice.connection)
    try:
        first, rest = _header(source)
        connection = None if first.of_several else choice.connection
        dialect = dialect_of(first, foreign_for_certain=foreign, connection=connection)
        builder = Builder(path, dialect, losses_by_threshold=losses_by_threshold or dialect.strict)
        if isinstance(dialect, Native):
            blocks = BlockBuilder(builder, dialect, broken)
            for piece in rest:
                blocks.add(piece)
                builder.pack()
            require_the_only_one(connection)
        else:
            for record, event in dialect.events(one_by_one(rest), broken):
                builder.add(record, event, broken)
                builder.pack()
    except TruncatedTraceError as e:
        e.has_header = builder is not None
        if not choice.allow_truncated or builder is None:
            raise
        builder.trace.unused.append(f"truncated trace: {e.in_file}")
    builder.trace.unused[:0] = broken.notes(builder.progress.records, enough=builder.has_packets)
    builder.trace.unused_records = broken.records
    builder.trace.notes += builder.trace.unused
    return builder.finish()


@contextmanager
def _no_garbage() -> Iterator[None]:
    """A trace is many objects, of which none is garbage while it is read: the collector would go through all of them
    again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _header(source: Iterator[Piece]) -> tuple[Record, Iterator[Piece]]:
    """The first record, and all others."""
    first = next(source, None)
    if first is None:
        raise TraceError("no record found; expected a qlog header")
    if isinstance(first, Record):
        return first, source
    rest = first.without_first()
    return next(first.records(0, 1)), source if rest is None else chain([rest], source)
