"""A trace as a local file: itself, or a copy of what stands at an address for as long as it is needed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from ..errors import AnalysisError, TraceError
from ..needs import library


def is_address(name: str) -> bool:
    """`s3://bucket/prefix` and the like, as fsspec takes them."""
    return "://" in name


@contextmanager
def local(trace: str) -> Iterator[Path]:
    """Raises TraceError if it cannot be had."""
    if not is_address(trace):
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
        except Exception as e:  # every store has errors of its own
            raise TraceError(f"cannot read: {type(e).__name__}: {e}") from e
        yield copy
