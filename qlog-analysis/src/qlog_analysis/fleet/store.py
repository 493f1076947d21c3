"""A folder of Parquet files with the rows of a fleet.

A file is complete when it has its name, and holds all rows of its traces. Nothing is ever changed: a trace that is
worked again gets newer rows, and only the newest of a trace count (`table`). So a run that is stopped loses at most
what it had not written, and two runs at once do not disturb each other.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ..errors import AnalysisError
from ..needs import library
from ..output import write_text
from .row import Row, columns

FORMAT = 3
"""Of the columns and their meaning. A store of another one is refused."""
MARK = "fleet.json"
_KIND = "qlog-analysis fleet"
_UNNAMED = ".part"
"""Ends the name of a file that is not complete."""
_STALE = 86_400.0
"""s after which a file that never got its name was left behind by a run that was killed."""


class Store:
    def __init__(self, path: Path) -> None:
        """Raises AnalysisError if there is something else."""
        self.path = path
        _refuse_name(path)
        _refuse_other(path)

    @classmethod
    def made(cls, path: Path) -> Store:
        """One to write to, which may be new."""
        _refuse_name(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            if not (path / MARK).exists():
                if any(p.name != MARK and not p.name.startswith(".") for p in path.iterdir()):
                    raise AnalysisError(f"{path} is a folder with other files: name a new or an empty one with --store")
                write_text(path / MARK, json.dumps({"kind": _KIND, "format": FORMAT}) + "\n")
        except OSError as e:
            raise AnalysisError(f"cannot make the store {path}: {e.strerror or e}") from e
        store = cls(path)
        store._tidy()
        return store

    def parts(self) -> list[Path]:
        return sorted(self.path.glob("*.parquet"))

    def _tidy(self) -> None:
        for left in self.path.glob(f"*{_UNNAMED}"):
            with suppress(FileNotFoundError):  # the run that makes it is done
                if time.time() - left.stat().st_mtime > _STALE:
                    left.unlink()


def _refuse_name(path: Path) -> None:
    """What DuckDB would not take as the name of one folder."""
    if any(c in str(path) for c in "*?["):
        raise AnalysisError(f"{path}: a store's path cannot have *, ? or [ in it")
    try:
        str(path).encode()
    except UnicodeEncodeError as e:
        raise AnalysisError(f"{path}: a store's path must be UTF-8") from e


def _refuse_other(path: Path) -> None:
    mark = path / MARK
    if not mark.exists():
        raise AnalysisError(
            f"{path} is no store of `fleet`: {MARK} is not in it; `qlog-analysis fleet TRACES --store {path}` makes one"
        )
    try:
        said = json.loads(mark.read_text())
    except (OSError, ValueError, RecursionError) as e:
        raise AnalysisError(f"cannot read {mark}: {e}") from e
    if not isinstance(said, dict) or said.get("kind") != _KIND:
        raise AnalysisError(f"{mark} is not that of a store of `fleet`")
    if said.get("format") != FORMAT:
        raise AnalysisError(
            f"the store {path} has format {said.get('format')}, this version of qlog-analysis has format {FORMAT}: "
            "name a new folder with --store and work the traces again, or use the version that made it"
        )


class Writer:
    """Adds the rows of one run."""

    def __init__(self, store: Store, seen: int) -> None:
        """`seen`: when the traces were listed; of a trace's rows those that saw it last count."""
        self._store = store
        self._seen = seen
        self._run = uuid.uuid4().hex
        self._parts = 0
        self._database: Any = library("duckdb").connect(":memory:", config=LOCAL)

    def add(self, rows: Iterable[Row]) -> None:
        """All rows of each of some traces."""
        self._parts += 1
        name = f"{self._seen}-{self._run[:12]}-{self._parts:06}.parquet"
        with tempfile.TemporaryDirectory(prefix="qlog-analysis-") as folder:
            lines = Path(folder) / "rows.jsonl"
            lines.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
            target, unnamed = self._store.path / name, self._store.path / f"{name}{_UNNAMED}"
            try:
                self._database.execute(_write(unnamed), [str(lines), self._seen, self._run])
                _settle(unnamed)
                unnamed.replace(target)
            except (OSError, library("duckdb").Error) as e:
                raise AnalysisError(f"cannot write to the store {self._store.path}: {e}") from e
            finally:
                unnamed.unlink(missing_ok=True)


LOCAL = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
"""DuckDB never looks for anything on the network."""

PLAIN = "hive_partitioning = false"
"""Else DuckDB makes a column of each folder that is called NAME=VALUE."""

LINES = f"format = 'newline_delimited', {PLAIN}"

KEY = r"regexp_replace(trace, '\.(gz|zst)$', '')"
"""A trace and its compressed copy are one."""


def quoted(text: object) -> str:
    """As a text of SQL, where no parameter can stand."""
    return "'" + str(text).replace("'", "''") + "'"


def json_columns(of: dict[str, str]) -> str:
    return "{" + ", ".join(f"{name}: {quoted(kind)}" for name, kind in of.items()) + "}"


def _write(to: Path) -> str:
    of = json_columns(columns())
    rows = f"read_json($1, {LINES}, columns = {of}, maximum_object_size = 67108864)"
    chosen = f"SELECT {KEY} AS key, $2::BIGINT AS seen, $3 AS run, * FROM {rows}"
    return f"COPY ({chosen}) TO {quoted(to)} (FORMAT parquet, COMPRESSION zstd)"


def _settle(path: Path) -> None:
    """A file that has its name must be whole after a power failure as well."""
    with path.open("rb") as f:
        os.fsync(f.fileno())
