"""What a run writes: never onto one of its inputs, and whole or not at all.

`keep_apart` is asked before a command starts, `replacing` is how every file is written.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import IO, TextIO

from .errors import AnalysisError

STANDARD_OUTPUT = Path("-")

_DEVICES = Path("/dev")
_PROCESSES = Path("/proc")
"""Names in these stand for what is open, not for files in a folder: nothing can be renamed over them."""


def keep_apart(inputs: Iterable[Path], outputs: Iterable[Path]) -> None:
    """Refuses outputs that are an input, by whatever name, link or descriptor, or each other."""
    sources = [(path, _stat(path)) for path in inputs]
    files = [path for path in outputs if path != STANDARD_OUTPUT]
    targets: list[tuple[str, Path | None, os.stat_result | None]] = [(str(p), p, _stat(p)) for p in files]
    targets += [(name, None, _stat_open(stream)) for name, stream in _standard_streams()]
    for source, known in sources:
        for shown, path, other in targets:
            if _same(source, known, path, other):
                raise AnalysisError(
                    f"{shown} is the input {source}, which would be overwritten: choose another name for the output"
                )
    for one, two in combinations(files, 2):
        if _same(one, _stat(one), two, _stat(two)):
            raise AnalysisError(f"{one} and {two} are the same file: choose two names for two outputs")


def _same(one: Path, known: os.stat_result | None, two: Path | None, other: os.stat_result | None) -> bool:
    if known is not None and other is not None:
        # A terminal or /dev/null can be read and written at the same time.
        return not stat.S_ISCHR(known.st_mode) and os.path.samestat(known, other)
    return two is not None and known is None and other is None and _resolved(one) == _resolved(two)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _resolved(path: Path) -> str:
    return os.path.realpath(path)


def _standard_streams() -> list[tuple[str, TextIO]]:
    return [("the standard output", sys.stdout), ("the standard error output", sys.stderr)]


def _stat_open(stream: TextIO) -> os.stat_result | None:
    try:
        return os.fstat(stream.fileno())
    except (OSError, ValueError, AttributeError):  # closed, or replaced by something in memory
        return None


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes the name `path` when all of it is written; before that, and if writing fails,
    what had the name stays as it was. A symbolic link stays one: what it points to is replaced."""
    try:
        if path.is_dir():
            raise AnalysisError(f"cannot write {path}: it is a folder")
        if _is_special(path):
            with path.open("wb") as f:
                yield f
            return
        target = Path(os.path.realpath(path))
        with _beside(target) as f:
            yield f
    except OSError as e:
        raise AnalysisError(f"cannot write {path}: {e.strerror or e}") from e


def _is_special(path: Path) -> bool:
    """Pipes, devices and names of open descriptors are written to as they are."""
    folder = Path(os.path.realpath(path.parent))
    if folder == _DEVICES or _PROCESSES in folder.parents:
        return True
    known = _stat(path)
    return known is not None and not stat.S_ISREG(known.st_mode)


@contextmanager
def _beside(target: Path) -> Iterator[IO[bytes]]:
    descriptor, name = tempfile.mkstemp(prefix=".qlog-analysis-", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as f:
            yield f
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """Permissions of the file that is replaced, or those that a new one gets."""
    known = _stat(target)
    if known is not None:
        return stat.S_IMODE(known.st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def write_text(path: Path, text: str) -> None:
    """Writes UTF-8 text; the name `-` is the standard output."""
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    with replacing(path) as f:
        # A file name that is not UTF-8 may stand in it.
        f.write(text.encode(errors="backslashreplace"))
