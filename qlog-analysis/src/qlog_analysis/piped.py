"""Traces that come through a pipe, which can be read only once, while a trace is read several times: a copy in a
temporary file is what is read, until this program ends or more comes through a pipe of that name."""

from __future__ import annotations

import atexit
import stat
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from .document import MAX_DOCUMENT
from .errors import TraceError

CHUNK = 1 << 20

_open = ExitStack()
atexit.register(_open.close)
_copies: dict[Path, IO[bytes]] = {}


def take(path: Path) -> None:
    """Copies what comes out of `path` now, if it is no file. A pipe that was emptied before keeps its copy."""
    if not _is_pipe(path):
        return
    copy = _open.enter_context(tempfile.NamedTemporaryFile(prefix="qlog-analysis-"))  # noqa: SIM115  closed at the end
    with path.open("rb") as source:
        while chunk := source.read(CHUNK):
            copy.write(chunk)
            if copy.tell() > MAX_DOCUMENT:
                copy.truncate(0)
                raise TraceError(f"more than {MAX_DOCUMENT >> 20} MiB come through a pipe: write them to a file first")
    copy.flush()
    if copy.tell() or path not in _copies:
        _copies[path] = copy


def readable(path: Path) -> Path:
    """The copy of a pipe; `path` itself if it is a file."""
    if not _is_pipe(path):
        return path
    if path not in _copies:
        take(path)
    return Path(_copies[path].name)


def _is_pipe(path: Path) -> bool:
    """Also a socket or a terminal, but neither a folder nor what does not exist, which the reader tells of."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
