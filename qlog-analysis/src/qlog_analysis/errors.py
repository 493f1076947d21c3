"""Errors that tell a user what is wrong with the input and what is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .visible import in_a_line


class AnalysisError(Exception):
    """The input cannot be analysed; the message is meant for the user, in one line."""

    def __init__(self, what: str, *more: object) -> None:
        super().__init__(in_a_line(what), *more)


class TraceError(AnalysisError):
    """A trace cannot be read. Says where: the file, the record (from 1; the header is the first) or the line, and the
    byte offset in the uncompressed file."""

    def __init__(
        self,
        what: str,
        *,
        path: Path | None = None,
        record: int | None = None,
        offset: int | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(what)
        self.what = in_a_line(what)
        self.path = path
        self.record = record
        self.offset = offset
        self.line = line

    def __str__(self) -> str:
        return (f"{in_a_line(str(self.path))}: " if self.path else "") + self.in_file

    @property
    def in_file(self) -> str:
        """The message to those who know which file it is."""
        return (f"{self.where}: " if self.where else "") + self.what

    @property
    def can_be_left_out(self) -> bool:
        """Whether it is about one record, without which the others may still be used: not the header."""
        return self.record is not None and self.record > 1

    @property
    def where(self) -> str:
        """The place in the file; empty if the error is about all of it."""
        inside = [f"line {self.line}"] if self.line is not None else []
        inside += [f"byte offset {self.offset}"] if self.offset is not None else []
        if self.record is None:
            return ", ".join(inside)
        return f"record {self.record}" + (f" ({', '.join(inside)})" if inside else "")


class EndlessRecordError(TraceError):
    """A record that is longer than any event, behind which no other one is looked for."""

    can_be_left_out = False


class TruncatedTraceError(TraceError):
    """The last record is incomplete: the writer was stopped while writing, or the file was cut."""

    has_header = True
    """Whether the header is whole, without which nothing can be used."""


class UnsuitableTraceError(TraceError):
    """The trace was read but does not hold what was asked for."""


class NoLawError(UnsuitableTraceError):
    """The equations of the trace's controller are not known: it is one of quiche's own, or of somebody else."""


class SeveralConnectionsError(UnsuitableTraceError):
    """Not exactly one of the connections that the file holds was chosen."""

    def __init__(self, what: str, count: int) -> None:
        super().__init__(what)
        self.count = count


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Errors of a trace name its file."""
    try:
        yield
    except TraceError as e:
        e.path = e.path or path
        raise
