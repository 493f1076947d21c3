"""Errors that tell a user what is wrong with the input and what is allowed."""

from __future__ import annotations


class AnalysisError(Exception):
    """The input cannot be analysed; the message is meant for the user."""


class TraceError(AnalysisError):
    """A trace cannot be read. Says where: record number (from 1) and byte offset of the record."""

    def __init__(self, what: str, *, record: int | None = None, offset: int | None = None) -> None:
        where = ""
        if record is not None:
            where = f"record {record}" + (f" (byte offset {offset})" if offset is not None else "") + ": "
        super().__init__(where + what)
        self.record = record
        self.offset = offset


class TruncatedTraceError(TraceError):
    """The last record is incomplete: the writer was stopped while writing, or the file was cut."""


class UnsuitableTraceError(AnalysisError):
    """The trace was read but does not hold what was asked for."""
