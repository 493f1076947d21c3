"""A record of a trace: the header, or an event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec
import numpy as np

from .arrays import Ints
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
    of_several: bool = False
    """Whether it is the header of a trace that was chosen from several."""

    def error(self, what: str) -> TraceError:
        return TraceError(what, record=self.number, offset=self.offset, line=self.line)


SEPARATOR = b"\x1e"


@dataclass(frozen=True, slots=True)
class Block:
    """Records of a JSON text sequence that follow each other and are whole, as far as their ends tell."""

    number: int
    """Of the first."""
    offset: int
    """Likewise."""
    raw: bytes
    """Their texts with a separator between two."""
    separators: Ints = field(repr=False, compare=False)
    """Where these are."""

    @classmethod
    def of(cls, number: int, offset: int, raw: bytes) -> Block:
        return cls(number, offset, raw, np.flatnonzero(np.frombuffer(raw, dtype=np.uint8) == SEPARATOR[0]))

    @property
    def texts(self) -> list[bytes]:
        return self.raw.split(SEPARATOR)

    def __len__(self) -> int:
        return len(self.separators) + 1

    def records(self, first: int = 0, end: int | None = None) -> Iterator[Record]:
        """Those of these places."""
        yield from self.some(list(range(first, len(self) if end is None else end))).values()

    def some(self, places: list[int]) -> dict[int, Record]:
        """Those of these places, by them."""
        if not places:
            return {}
        edges = np.concatenate(([-1], self.separators, [len(self.raw)]))
        bounds = zip(places, (edges[places] + 1).tolist(), edges[np.array(places) + 1].tolist(), strict=True)
        return {at: Record(self.number + at, self.offset + a, self.raw[a:b].strip()) for at, a, b in bounds}

    def without_first(self) -> Block | None:
        """None if nothing else is in it."""
        if not len(self.separators):
            return None
        begin = int(self.separators[0]) + 1
        return Block(self.number + 1, self.offset + begin, self.raw[begin:], self.separators[1:] - begin)


def is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
