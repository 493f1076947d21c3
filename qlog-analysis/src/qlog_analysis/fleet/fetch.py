"""A trace as a local file: itself, or a copy of what stands at an address for as long as it is needed."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from ..errors import AnalysisError, TraceError
from ..needs import library

NO_FILE = "it is no file, but a pipe or a device"
_ON_THIS_MACHINE = ("file://", "local://")


class GoneError(TraceError):
    """There is no such file any more."""


def where(name: str) -> str:
    """An address of files of this machine as their path, so that they are the same by both."""
    for scheme in _ON_THIS_MACHINE:
        name = name.removeprefix(scheme)
    return name


def is_address(name: str) -> bool:
    """`s3://bucket/prefix` and the like, as fsspec takes them."""
    return "://" in name


def is_there(trace: str) -> bool:
    """Whether this machine finds it; also if it cannot find out."""
    if not is_address(trace):
        return os.path.lexists(trace)
    try:
        system, path = library("fsspec").core.url_to_fs(trace)
        return bool(system.exists(path))
    except Exception:  # every store has errors of its own
        return True


@contextmanager
def local(trace: str) -> Iterator[Path]:
    """Raises TraceError if it cannot be had."""
    if not is_address(trace):
        _refuse_no_file(Path(trace))
        yield Path(trace)
        return
    fsspec = library("fsspec")
    with tempfile.TemporaryDirectory(prefix="qlog-analysis-") as folder:
        copy = Path(folder) / PurePosixPath(trace).name
        try:
            system, path = fsspec.core.url_to_fs(trace)
            system.get_file(path, str(copy))
        except AnalysisError:
            raise
        except FileNotFoundError as e:
            raise GoneError("it is gone") from e
        except Exception as e:  # every store has errors of its own
            raise TraceError(f"cannot read: {type(e).__name__}: {e}") from e
        yield copy


def _refuse_no_file(path: Path) -> None:
    """What was a file when it was listed may be a pipe now, of which a reader waits for ever."""
    try:
        known = path.stat()
    except (FileNotFoundError, NotADirectoryError) as e:
        raise GoneError("it is gone", path=path) from e
    except OSError as e:
        raise TraceError(f"cannot read: {e.strerror or e}", path=path) from e
    if not stat.S_ISREG(known.st_mode):
        raise TraceError(f"cannot read: {NO_FILE}", path=path)
