"""JSON text sequences (RFC 7464), as quiche writes qlog: each record is RS (0x1E), JSON, LF.

The file is streamed; at no time is more than one chunk and one record in memory. Plain and gzip files are read.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from .errors import TraceError, TruncatedTraceError

RECORD_SEPARATOR = b"\x1e"
CHUNK = 1 << 20
MAX_RECORD = 16 << 20
"""No event that quiche writes comes near this; a larger record is refused instead of being held in memory."""

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True, slots=True)
class Record:
    number: int
    """From 1; the header is record 1."""
    offset: int
    """Byte offset of the record's JSON text in the (uncompressed) file."""
    text: bytes
    """JSON text, surrounding white space stripped."""


def records(path: Path) -> Iterator[Record]:
    """Yields the records of `path`. Raises TraceError, and TruncatedTraceError *after* the last complete record."""
    try:
        with _open(path) as stream:
            yield from split(stream)
    except (gzip.BadGzipFile, zlib.error) as e:
        raise TraceError(f"{path}: damaged gzip file: {e}") from e
    except EOFError as e:
        raise TruncatedTraceError(f"{path}: the gzip file ends early") from e
    except OSError as e:
        raise TraceError(f"cannot read {path}: {e.strerror or e}") from e


def _open(path: Path) -> IO[bytes] | io.BufferedIOBase:
    with path.open("rb") as f:
        magic = f.read(4)
    if magic.startswith(_GZIP_MAGIC):
        return gzip.open(path, "rb")
    if magic == _ZSTD_MAGIC:
        raise TraceError(f"{path} is zstd-compressed; decompress it first (plain and gzip files can be read)")
    return path.open("rb")


def split(stream: IO[bytes] | io.BufferedIOBase) -> Iterator[Record]:
    """Splits a byte stream into records."""
    pending = bytearray()
    start = 0  # offset of pending[0] in the stream
    number = 0
    first = True
    while chunk := stream.read(CHUNK):
        pending += chunk
        if first:
            _check_start(bytes(pending[:256]))
            first = False
        *complete, rest = pending.split(RECORD_SEPARATOR)
        for part in complete:
            if part.strip():
                number += 1
                yield _record(number, start, bytes(part), last=False)
            start += len(part) + 1
        pending = rest
        if len(pending) > MAX_RECORD:
            raise TraceError(
                f"longer than {MAX_RECORD >> 20} MiB, which no qlog event is", record=number + 1, offset=start
            )
    if first:
        raise TraceError("the file is empty; expected a qlog trace in JSON-SEQ format")
    if pending.strip():
        yield _record(number + 1, start, bytes(pending), last=True)


def _record(number: int, offset: int, part: bytes, *, last: bool) -> Record:
    # RFC 7464 section 2.3: a record whose text does not end in LF may have been cut.
    if not part.endswith(b"\n"):
        kind = TruncatedTraceError if last else TraceError
        raise kind(
            "truncated: expected the record to end with a line feed, "
            f"but {'the file ends' if last else 'the next record begins'} after {len(part)} bytes",
            record=number,
            offset=offset,
        )
    return Record(number, offset, part.strip())


def _check_start(head: bytes) -> None:
    if head.startswith(RECORD_SEPARATOR):
        return
    if head.lstrip().startswith((b"{", b"[")):
        raise TraceError(
            "expected JSON-SEQ (each record starts with the byte 0x1E), found plain JSON; "
            "only traces as quiche writes them (.sqlog) can be read"
        )
    raise TraceError(f"this is not a qlog trace: expected the first byte to be 0x1E (JSON-SEQ), found 0x{head[0]:02x}")
