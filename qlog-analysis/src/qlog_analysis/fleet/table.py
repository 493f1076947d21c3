"""The table of connections that the files of a store make, in SQL. DuckDB keeps on disk what does not fit in memory."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ..errors import AnalysisError
from ..needs import library
from .row import Found, columns
from .store import KEY, LINES, LOCAL, PLAIN, Store, json_columns, quoted

BATCH = 1000
MEMORY = "2GB"
"""Of DuckDB; more than that is on disk."""
_KEYS = {"key": "VARCHAR", "seen": "BIGINT", "run": "VARCHAR"}
_PLACE = {"filename": "VARCHAR", "file_row_number": "BIGINT"}


class Table:
    """`connections` has the newest rows of each trace."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._error: Any = library("duckdb").Error
        self._spilled = tempfile.TemporaryDirectory(prefix="qlog-analysis-")
        config = {**LOCAL, "memory_limit": MEMORY, "temp_directory": self._spilled.name}
        self._database: Any = library("duckdb").connect(":memory:", config=config)
        self.ask(f"CREATE VIEW parts AS {_source(store.parts())}")
        self.ask("CREATE TABLE last AS SELECT key, max({'seen': seen, 'run': run}) AS last FROM parts GROUP BY key")
        # A file of the store may have been copied, or have rows of another one.
        self.ask(
            "CREATE TABLE newest AS SELECT min({'filename': filename, 'row': file_row_number}) AS place "
            "FROM parts JOIN last USING (key) WHERE {'seen': seen, 'run': run} = last GROUP BY key, connection"
        )
        self.ask(
            "CREATE VIEW connections AS SELECT parts.* EXCLUDE (filename, file_row_number) FROM parts JOIN newest ON "
            "parts.file_row_number = newest.place.row AND parts.filename = newest.place.filename"
        )

    def close(self) -> None:
        self._database.close()
        self._spilled.cleanup()

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._telling(f"cannot work with the store {self.store.path}"):
            rows: list[tuple[Any, ...]] = self._database.execute(sql, list(parameters)).fetchall()
        return rows

    def column(self, expression: str, where: str, parameters: Sequence[object] = ()) -> Any:
        """The values of all connections that have one, as a numpy array."""
        sql = f"SELECT ({expression})::DOUBLE AS x FROM connections WHERE ({where}) AND ({expression}) IS NOT NULL"
        with self._telling(f"cannot work with the store {self.store.path}"):
            return self._database.execute(sql, list(parameters)).fetchnumpy()["x"]

    def copy(self, sql: str, parameters: Sequence[object], to: Path, form: str) -> None:
        with self._telling(f"cannot write {to}"):
            self._database.execute(f"COPY ({sql}) TO {quoted(to)} ({form})", list(parameters))

    @contextmanager
    def _telling(self, cannot: str) -> Iterator[None]:
        try:
            yield
        except self._error as e:
            # Only a file that is read alone tells that it is this one.
            damaged = next((part for part in self.store.parts() if not self._is_whole(part)), None)
            if damaged is None:
                raise AnalysisError(f"{cannot}: {_first_line(e)}") from e
            raise AnalysisError(
                f"the file {damaged} of the store is damaged: {_first_line(e)}. Remove that file: "
                "the traces that it held are worked again"
            ) from e

    def _is_whole(self, part: Path) -> bool:
        try:
            self._database.execute(f"SELECT count(COLUMNS(*)) FROM ({_source([part])})").fetchall()
        except self._error:
            return False
        return True

    def next_seen(self) -> int:
        """Later than every row that is there, also if a clock was put back."""
        ((last,),) = self.ask("SELECT max(seen) FROM parts")
        return max(time.time_ns(), (last or 0) + 1)

    def list_found(self, found: Iterator[Found]) -> tuple[int, int]:
        """Takes the traces that were found, originals before their compressed copies; how many, and how many bytes."""
        path = Path(self._spilled.name) / "found.jsonl"
        with path.open("wb") as f:
            for one in found:
                f.write(msgspec.json.encode(one) + b"\n")
        of = {"trace": "VARCHAR", "size": "BIGINT", "modified": "VARCHAR", "problem": "VARCHAR"}
        self.ask(
            f"CREATE TABLE found AS SELECT {KEY} AS key, * FROM "
            f"read_json($1, {LINES}, columns = {json_columns(of)}) "
            "QUALIFY row_number() OVER (PARTITION BY key ORDER BY trace = key DESC, modified DESC, trace) = 1",
            [str(path)],
        )
        path.unlink()
        ((count, size),) = self.ask("SELECT count(*), sum(size)::BIGINT FROM found")
        return count, size or 0

    def choose(self, *, again: bool) -> tuple[int, int]:
        """Of what was found, what is new or has changed, and with `again` what had an error; how many, and bytes."""
        same = (
            "FROM connections c WHERE c.key = f.key AND c.trace = f.trace AND c.size_bytes = f.size "
            "AND c.modified = f.modified"
        )
        wrong = f"OR EXISTS ({same} AND c.error IS NOT NULL)" if again else ""
        self.ask(
            f"CREATE TABLE todo AS SELECT trace, size, modified, problem FROM found f WHERE NOT EXISTS ({same}) {wrong}"
        )
        ((count, size),) = self.ask("SELECT count(*), sum(size)::BIGINT FROM todo")
        return count, size or 0

    def todo(self) -> Iterator[Found]:
        """A cursor of its own: other questions may be asked meanwhile."""
        cursor = self._database.cursor()
        cursor.execute("FROM todo ORDER BY trace")
        while rows := cursor.fetchmany(BATCH):
            yield from (Found(*row) for row in rows)


def _source(parts: list[Path]) -> str:
    """With the place of each row."""
    if parts:
        listed = ", ".join(quoted(p) for p in parts)
        places = f"filename = true, file_row_number = true, {PLAIN}"
        return f"SELECT {', '.join([*_KEYS, *columns(), *_PLACE])} FROM read_parquet([{listed}], {places})"
    nothing = ", ".join(f"NULL::{kind} AS {name}" for name, kind in {**_KEYS, **columns(), **_PLACE}.items())
    return f"SELECT {nothing} WHERE false"


def _first_line(e: Exception) -> str:
    return str(e).partition("\n")[0]
