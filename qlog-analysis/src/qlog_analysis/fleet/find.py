"""Traces in folders and under addresses, by the endings of their names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from ..dialect.writers import QVIS_CONVERSION, QVIS_EXPORT
from ..errors import AnalysisError
from ..nearby import TRACES, is_trace
from ..needs import library
from ..qvis.export import EXTENSIONS
from .fetch import is_address
from .row import Found

_CHANGED = ("mtime", "LastModified", "last_modified", "updated", "modified", "ETag", "etag", "created")
"""What file systems of fsspec call the time of the last change, or what else tells a changed object."""

_EXPORT_NAME = ".qvis.sqlog"
"""How `to-qvis` names files of a folder."""
_HEAD = 256
"""Bytes at the beginning of an export in which it says what wrote it."""

Problem = Callable[[str], None]
"""Is told of what could not be searched."""


def traces(where: str, problem: Problem) -> Iterator[Found]:
    """All traces in a folder and those below it, or that begin with an address; or the one that has this name."""
    found = _at(where) if is_address(where) else _in(Path(where), problem)
    yield from found


def is_export(found: Found) -> bool:
    """Whether `to-qvis` wrote it, so that its original tells of the same connection. A local file says so itself; one
    that would have to be copied or decompressed for it goes by its name."""
    if _EXPORT_NAME in PurePosixPath(found.trace).name:
        return True
    if is_address(found.trace) or not found.trace.endswith(EXTENSIONS):
        return False
    try:
        with Path(found.trace).open("rb") as f:
            head = f.read(_HEAD)
    except OSError:  # told when it is read
        return False
    return any(writer.name.encode() in head for writer in (QVIS_EXPORT, QVIS_CONVERSION))


def expected() -> str:
    return f"names of traces end in {', '.join(TRACES)}, with .gz or .zst after it or without"


def _in(where: Path, problem: Problem) -> Iterator[Found]:
    if where.is_file():
        yield _local(os.path.realpath(where))
        return
    if not where.is_dir():
        raise AnalysisError(f"cannot search {where}: there is no such folder")
    folders = [os.path.realpath(where)]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif is_trace(entry.name) and entry.is_file():
                        # A link and what it leads to are one trace.
                        yield _local(os.path.realpath(entry.path) if entry.is_symlink() else entry.path)
        except OSError as e:
            problem(f"cannot search {folder}: {e.strerror or e}")


def _local(path: str) -> Found:
    shown, wrong = path, None
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode(errors="backslashreplace")
        wrong = "its name is not UTF-8; rename it"
    try:
        known = Path(path).stat()
    except OSError as e:
        return Found(shown, 0, "", wrong or f"cannot read: {e.strerror or e}")
    return Found(shown, known.st_size, str(known.st_mtime_ns), wrong)


def _at(where: str) -> Iterator[Found]:
    if "::" in where:
        raise AnalysisError(f"cannot search {where}: an address of one file system is needed, without ::")
    fsspec = library("fsspec")
    try:
        system, path = fsspec.core.url_to_fs(where)
        for info in _below(system, path):
            if is_trace(PurePosixPath(info["name"]).name):
                modified = next((str(info[key]) for key in _CHANGED if info.get(key) is not None), "")
                yield Found(system.unstrip_protocol(info["name"]), int(info.get("size") or 0), modified)
    except AnalysisError:
        raise
    except Exception as e:  # every store has errors of its own
        raise AnalysisError(f"cannot search {where}: {type(e).__name__}: {e}") from e


def _below(system: Any, path: str) -> Iterator[dict[str, Any]]:
    """Folder by folder: a listing of everything might not fit into memory."""
    if system.isfile(path):
        yield system.info(path)
        return
    if system.isdir(path):
        for _, _, files in system.walk(path, detail=True):
            yield from files.values()
        return
    parent = path.rpartition("/")[0]
    for info in system.ls(parent, detail=True):
        if info["name"].startswith(path):
            yield from _below(system, info["name"])
