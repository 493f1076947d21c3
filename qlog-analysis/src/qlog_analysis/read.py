"""Records of a trace file, whatever frames them: JSON text sequences (RFC 7464), as quiche writes qlog, JSON lines, or
one JSON document. The first record is the header.

Sequences and lines are streamed; at no time is more than one chunk and one record in memory. The records of a chunk of
a sequence are handed on together. Plain, gzip and zstd files are read.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Protocol

import numpy as np
import zstandard

from . import document
from .errors import EndlessRecordError, TraceError, TruncatedTraceError, about
from .nearby import instead_of
from .piped import readable
from .record import SEPARATOR as RECORD_SEPARATOR
from .record import Block, Record, is_json

_END = b"}\n"
"""Of a record that is whole."""
CHUNK = 1 << 20
MAX_RECORD = 16 << 20
"""No event that quiche writes comes near this; a larger record is refused instead of being held in memory."""
FREE_EXPANSION = 256 << 20
"""Bytes that a compressed file may expand to in any case."""
MAX_EXPANSION = 200
"""How many times larger than itself a compressed file may become beyond that; qlog does not reach 60."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_MAX_ZSTD_WINDOW = 128 << 20


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


Piece = Block | Record


def records(path: Path, connection: str | None = None) -> Iterator[Record]:
    """Yields the records of `path`; of a document with several traces, those of the one that `connection` names.
    Raises TraceError, and TruncatedTraceError *after* the last complete record."""
    return one_by_one(pieces(path, connection))


def pieces(path: Path, connection: str | None = None) -> Iterator[Piece]:
    """The same, of a JSON text sequence in blocks where nothing is wrong with the frames of records."""
    with about(path), reading(path), readable(path).open("rb") as f:
        yield from _framed(_chunks(_decompressed(f)), connection)


def one_by_one(some: Iterable[Piece]) -> Iterator[Record]:
    for piece in some:
        if isinstance(piece, Block):
            yield from piece.records()
        else:
            yield piece


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Failures of reading and decompressing, said as errors of the trace."""
    try:
        yield
    except (gzip.BadGzipFile, zlib.error) as e:
        raise TraceError(f"damaged gzip file: {e}") from e
    except zstandard.ZstdError as e:
        raise TraceError(f"damaged zstd file: {e}") from e
    except EOFError as e:
        raise TruncatedTraceError("the compressed file ends early") from e
    except OSError as e:
        raise TraceError(f"cannot read: {e.strerror or e}{instead_of(path)}") from e


class _Expanding:
    """A decompressed stream that ends with an error where it grows like nothing but a compression bomb."""

    def __init__(self, stream: Stream, packed: IO[bytes]) -> None:
        self._stream = stream
        self._packed = packed
        self._total = 0

    def read(self, size: int, /) -> bytes:
        chunk = self._stream.read(size)
        self._total += len(chunk)
        if self._total > max(FREE_EXPANSION, MAX_EXPANSION * self._packed.tell()):
            raise TraceError(
                f"the compressed file expands more than {MAX_EXPANSION}-fold and beyond {FREE_EXPANSION >> 20} MiB, "
                "which no qlog trace does; decompress it yourself if it is one"
            )
        return chunk


class _Gzip:
    """gzip members. A cut file gives all that can be unpacked before it tells that it is cut."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._file = gzip.GzipFile(fileobj=packed)

    def read(self, size: int, /) -> bytes:
        out = bytearray()
        with _told_later(out):
            while len(out) < size and (more := self._file.read1(size - len(out))):
                out += more
        return bytes(out)


@contextmanager
def _told_later(out: bytearray) -> Iterator[None]:
    """The end of a cut file is told again by the next reading, so what was read before it is not lost."""
    try:
        yield
    except EOFError:
        if not out:
            raise


class _Zstd:
    """zstd frames, one after the other. Unlike the library's own reader it tells a cut frame from a whole one. Little
    is fed at a time, because there is no other bound on what comes out at once."""

    FED = 2048
    """Bytes; a block takes 4 at least and becomes 128 KiB at most, which makes 64 MiB."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._unpacker = zstandard.ZstdDecompressor(max_window_size=_MAX_ZSTD_WINDOW)
        self._frame = self._unpacker.decompressobj()
        self._left = b""

    def read(self, size: int, /) -> bytes:
        out = bytearray()
        while len(out) < size:
            fed = self._left or self._packed.read(self.FED)
            self._left = b""
            if not fed:
                if not self._frame.eof and not out:
                    raise EOFError
                break
            if self._frame.eof:
                self._frame = self._unpacker.decompressobj()
            out += self._frame.decompress(fed)
            self._left = self._frame.unused_data if self._frame.eof else b""
        return bytes(out)


def _decompressed(f: IO[bytes]) -> Stream:
    magic = f.peek(4)[:4]  # type: ignore[attr-defined]  # a buffered reader, which open() gives
    if magic.startswith(_GZIP_MAGIC):
        return _Expanding(_Gzip(f), f)
    if magic == _ZSTD_MAGIC:
        return _Expanding(_Zstd(f), f)
    return f


def _chunks(stream: Stream) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


def _framed(chunks: Iterator[bytes], connection: str | None) -> Iterator[Piece]:
    first = next(chunks, b"")
    if not first:
        raise TraceError("the file is empty; expected a qlog trace")
    rest = chain([first], chunks)
    if first.startswith(RECORD_SEPARATOR):
        return _sequence(rest)
    if first.removeprefix(_BYTE_ORDER_MARK).lstrip().startswith((b"{", b"[")):
        return _lines_or_document(rest, connection)
    raise TraceError(
        "this is not a qlog trace: expected JSON-SEQ (the first byte is 0x1E), JSON lines or a JSON document, "
        f"found 0x{first[0]:02x} first"
    )


def split(stream: Stream) -> Iterator[Record]:
    """Splits a JSON text sequence into records."""
    return one_by_one(_sequence(_chunks(stream)))


def _sequence(chunks: Iterator[bytes]) -> Iterator[Piece]:
    pending = b""
    start = 0  # offset of pending[0] in the stream
    number = 0
    for chunk in chunks:
        complete, separator, pending = (pending + chunk).rpartition(RECORD_SEPARATOR)
        if separator:
            for piece in _complete(complete, number + 1, start):
                number += len(piece) if isinstance(piece, Block) else 1
                yield piece
            start += len(complete) + 1
        _refuse_endless(pending, number + 1, start)
    if pending.strip():
        yield _record(number + 1, start, pending, last=True)


def _complete(raw: bytes, number: int, start: int) -> Iterator[Piece]:
    """The records in what stands before a separator."""
    if raw.startswith(RECORD_SEPARATOR):  # as at the begin of a file that begins with one
        raw, start = raw[1:], start + 1
    block = Block.of(number, start, raw)
    if raw.endswith(_END) and _ends_before(block):
        yield block
        return
    for part in raw.split(RECORD_SEPARATOR):
        if part.strip():
            yield _record(number, start, part, last=False)
            number += 1
        start += len(part) + 1


def _ends_before(block: Block) -> bool:
    """Whether every separator stands behind the end of a record."""
    bytes_, separators = np.frombuffer(block.raw, dtype=np.uint8), block.separators
    if len(separators) and separators[0] < len(_END):
        return False
    return all(bool((bytes_[separators - i - 1] == byte).all()) for i, byte in enumerate(reversed(_END)))


def _record(number: int, offset: int, part: bytes, *, last: bool) -> Record:
    # RFC 7464 section 2.3: a record whose text does not end in LF may have been cut.
    if part.endswith(b"\n"):
        return Record(number, offset, part.strip())
    problem = (
        "truncated: expected the record to end with a line feed, "
        f"but {'the file ends' if last else 'the next record begins'} after {len(part)} bytes"
    )
    if last:
        raise TruncatedTraceError(problem, record=number, offset=offset)
    return Record(number, offset, part.strip(), problem=problem)


def _lines_or_document(chunks: Iterator[bytes], connection: str | None) -> Iterator[Record]:
    head = bytearray()
    try:
        for chunk in chunks:
            head += chunk
            if b"\n" in head.lstrip() or len(head) > MAX_RECORD:
                break
    except EOFError as e:
        chunks = _cut(e)
    if head.startswith(_BYTE_ORDER_MARK):  # blanks instead, which JSON allows, so every offset stays right
        head[: len(_BYTE_ORDER_MARK)] = b" " * len(_BYTE_ORDER_MARK)
    everything = chain([bytes(head)], chunks)
    first_line = head.lstrip().partition(b"\n")[0]
    if document.is_header_alone(bytes(first_line)):
        return _lines(everything)
    return document.records(everything, connection)


def _cut(error: EOFError) -> Iterator[bytes]:
    """The end of a compressed file that was cut, told behind what came before it."""
    raise error
    yield


def _lines(chunks: Iterator[bytes]) -> Iterator[Record]:
    pending = bytearray()
    start = 0
    line = number = 0
    for chunk in chunks:
        pending += chunk
        *complete, rest = pending.split(b"\n")
        for part in complete:
            line += 1
            if part.strip():
                number += 1
                yield Record(number, start, bytes(part).strip(), line)
            start += len(part) + 1
        pending = rest
        _refuse_endless(pending, number + 1, start)
    if pending.strip():  # many writers end the last line with nothing
        if not is_json(bytes(pending)):
            raise TruncatedTraceError(
                f"truncated: the file ends after {len(pending)} bytes of it", record=number + 1, offset=start
            )
        yield Record(number + 1, start, bytes(pending).strip(), line + 1)


def _refuse_endless(pending: bytes | bytearray, number: int, start: int) -> None:
    if len(pending) > MAX_RECORD:
        what = f"longer than {MAX_RECORD >> 20} MiB, which no qlog event is"
        raise EndlessRecordError(what, record=number, offset=start)
