"""Traces in folders and under addresses, by the endings of their names."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from ..dialect.writers import QVIS_CONVERSION, QVIS_EXPORT
from ..errors import AnalysisError
from ..nearby import TRACES, is_trace
from ..needs import library
from ..qvis.export import EXTENSIONS
from .fetch import NO_FILE, is_address
from .row import Found

_CHANGED = ("mtime", "LastModified", "last_modified", "updated", "modified", "ETag", "etag", "created")
"""What file systems of fsspec call the time of the last change, or what else tells a changed object."""

_EXPORT_NAME = ".qvis.sqlog"
"""How `to-qvis` names files of a folder."""
_HEAD = 256
"""Bytes at the beginning of an export in which it says what wrote it."""

Problem = Callable[[str], None]
"""Is told of what could not be searched, and of what has the name of a trace and is no file."""


def traces(where: str, problem: Problem) -> Iterator[Found]:
    """All traces in a folder and those below it, or that begin with an address; or the one that has this name."""
    yield from (_at(where, problem) if is_address(where) else _in(Path(where), problem))


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
    # Not in a title, which may say anything.
    return any(f'"code_version":"{writer.name}'.encode() in head for writer in (QVIS_EXPORT, QVIS_CONVERSION))


def expected() -> str:
    return f"names of traces end in {', '.join(TRACES)}, with .gz or .zst after it or without"


def _in(where: Path, problem: Problem) -> Iterator[Found]:
    try:
        known = where.stat()
    except OSError as e:
        why = "there is no such folder" if isinstance(e, FileNotFoundError) else e.strerror or e
        raise AnalysisError(f"cannot search {where}: {why}") from e
    if not stat.S_ISDIR(known.st_mode):
        if not stat.S_ISREG(known.st_mode):
            raise AnalysisError(f"cannot search {where}: {NO_FILE}")
        yield _local(os.path.realpath(where), known)
        return
    folders = [os.path.realpath(where)]
    while folders:
        for entry in _entries(folders.pop(), problem):
            yield from _one(entry, folders, problem)


def _one(entry: os.DirEntry[str], folders: list[str], problem: Problem) -> Iterator[Found]:
    """A trace; a folder is added to those that are to be searched."""
    try:
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry.path)
        elif is_trace(entry.name):
            yield from _trace(entry, problem)
    except OSError as e:
        # A file may be removed meanwhile; a link that leads nowhere stays.
        if os.path.lexists(entry.path):
            problem(f"cannot read {entry.path}: {e.strerror or e}")


def _entries(folder: str, problem: Problem) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError as e:
        problem(f"cannot search {folder}: {e.strerror or e}")


def _trace(entry: os.DirEntry[str], problem: Problem) -> Iterator[Found]:
    known = Path(entry.path).stat()
    if stat.S_ISREG(known.st_mode):
        # A link and what it leads to are one trace.
        yield _local(os.path.realpath(entry.path) if entry.is_symlink() else entry.path, known)
    elif not stat.S_ISDIR(known.st_mode):  # links to folders are not followed
        problem(f"cannot read {entry.path}: {NO_FILE}")


def _local(path: str, known: os.stat_result) -> Found:
    return _found(path, known.st_size, str(known.st_mtime_ns))


def _found(name: str, size: int, modified: str) -> Found:
    try:
        name.encode()
    except UnicodeEncodeError:
        return Found(_quoted(name), size, modified, "its name is not UTF-8; rename it")
    return Found(name, size, modified)


def _quoted(path: str) -> str:
    """As a shell takes it. No other path or address begins so."""
    escaped = path.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{os.fsencode(escaped).decode(errors='backslashreplace')}'"


def _at(where: str, problem: Problem) -> Iterator[Found]:
    if "::" in where:
        raise AnalysisError(f"cannot search {where}: an address of one file system is needed, without ::")
    fsspec = library("fsspec")
    try:
        system, path = fsspec.core.url_to_fs(where)
        for info in _matching(system, path, problem):
            if is_trace(PurePosixPath(info["name"]).name):
                modified = next((str(info[key]) for key in _CHANGED if info.get(key) is not None), "")
                yield _found(system.unstrip_protocol(info["name"]), int(info.get("size") or 0), modified)
    except AnalysisError:
        raise
    except Exception as e:  # every store has errors of its own
        raise AnalysisError(f"cannot search {where}: {type(e).__name__}: {e}") from e


def _matching(system: Any, path: str, problem: Problem) -> Iterator[dict[str, Any]]:
    if system.isfile(path):
        yield system.info(path)
    elif system.isdir(path):
        yield from _below(system, path, problem)
    else:
        for info in system.ls(path.rpartition("/")[0], detail=True):
            if info["name"].startswith(path):
                yield from _matching(system, info["name"], problem)


def _below(system: Any, path: str, problem: Problem) -> Iterator[dict[str, Any]]:
    """Folder by folder: a listing of everything might not fit into memory."""
    folders = [path]
    while folders:
        folder = folders.pop()
        try:
            listing = system.ls(folder, detail=True)
        except Exception as e:  # every store has errors of its own
            problem(f"cannot search {system.unstrip_protocol(folder)}: {type(e).__name__}: {e}")
            continue
        for info in listing:
            if info["type"] != "directory":
                yield info
            elif info["name"].rstrip("/") != folder.rstrip("/"):  # some list themselves
                folders.append(info["name"])
