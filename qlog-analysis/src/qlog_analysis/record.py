"""A record of a trace: the header, or an event."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from .errors import TraceError


@dataclass(frozen=True, slots=True)
class Record:
    number: int
    """From 1; the header is record 1."""
    offset: int
    """Byte offset of the record's JSON text in the (uncompressed) file."""
    text: bytes
    """JSON text, surrounding white space stripped."""
    line: int | None = None
    """From 1, where records are lines."""
    problem: str | None = None
    """Why it may be incomplete, though others follow."""

    def error(self, what: str) -> TraceError:
        return TraceError(what, record=self.number, offset=self.offset, line=self.line)


def is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
