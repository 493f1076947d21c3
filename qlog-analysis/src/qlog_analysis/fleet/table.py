"""The table of connections that the files of a store make, in SQL. DuckDB keeps on disk what does not fit in memory."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..errors import AnalysisError
from ..needs import library
from .row import Found, columns
from .store import KEY, LOCAL, Store, json_columns, quoted

BATCH = 1000
MEMORY = "2GB"
"""Of DuckDB; more than that is on disk."""
_KEYS = {"key": "VARCHAR", "seen": "BIGINT", "run": "VARCHAR"}


class Table:
    """`connections` has the newest rows of each trace."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._error: Any = library("duckdb").Error
        self._spilled = tempfile.TemporaryDirectory(prefix="qlog-analysis-")
        config = {**LOCAL, "memory_limit": MEMORY, "temp_directory": self._spilled.name}
        self._database: Any = library("duckdb").connect(":memory:", config=config)
        parts = store.parts()
        if parts:
            listed = ", ".join(quoted(p) for p in parts)
            source = f"SELECT {', '.join([*_KEYS, *columns()])} FROM read_parquet([{listed}])"
        else:
            nothing = ", ".join(f"NULL::{kind} AS {name}" for name, kind in {**_KEYS, **columns()}.items())
            source = f"SELECT {nothing} WHERE false"
        self.ask(f"CREATE VIEW parts AS {source}")
        self.ask("CREATE TABLE newest AS SELECT key, max({'seen': seen, 'run': run}) AS last FROM parts GROUP BY key")
        self.ask(
            "CREATE VIEW connections AS SELECT parts.* FROM parts JOIN newest USING (key) "
            "WHERE {'seen': parts.seen, 'run': parts.run} = newest.last"
        )

    def close(self) -> None:
        self._database.close()
        self._spilled.cleanup()

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        try:
            rows: list[tuple[Any, ...]] = self._database.execute(sql, list(parameters)).fetchall()
        except self._error as e:
            raise self._unreadable(e) from e
        return rows

    def column(self, expression: str, where: str, parameters: Sequence[object] = ()) -> Any:
        """The values of all connections that have one, as a numpy array."""
        sql = f"SELECT ({expression})::DOUBLE AS x FROM connections WHERE ({where}) AND ({expression}) IS NOT NULL"
        try:
            return self._database.execute(sql, list(parameters)).fetchnumpy()["x"]
        except self._error as e:
            raise self._unreadable(e) from e

    def _unreadable(self, e: Exception) -> AnalysisError:
        first = str(e).partition("\n")[0]
        return AnalysisError(
            f"the store {self.store.path} cannot be read: {first}. If a file of it is damaged, remove that file: "
            "the traces that it held are worked again"
        )

    def next_seen(self) -> int:
        """Later than every row that is there, also if a clock was put back."""
        ((last,),) = self.ask("SELECT max(seen) FROM parts")
        return max(time.time_ns(), (last or 0) + 1)

    def list_found(self, found: Iterator[Found]) -> tuple[int, int]:
        """Takes the traces that were found; how many, and how many bytes."""
        path = Path(self._spilled.name) / "found.jsonl"
        with path.open("wb") as f:
            for one in found:
                f.write(msgspec.json.encode(one) + b"\n")
        of = {"trace": "VARCHAR", "size": "BIGINT", "modified": "VARCHAR", "problem": "VARCHAR"}
        self.ask(
            f"CREATE TABLE found AS SELECT {KEY} AS key, * FROM "
            f"read_json($1, format = 'newline_delimited', columns = {json_columns(of)}) "
            "QUALIFY row_number() OVER (PARTITION BY key ORDER BY modified DESC, trace) = 1",
            [str(path)],
        )
        path.unlink()
        ((count, size),) = self.ask("SELECT count(*), sum(size)::BIGINT FROM found")
        return count, size or 0

    def choose(self, *, again: bool) -> tuple[int, int]:
        """Of what was found, what is new or has changed, and with `again` what had an error; how many, and bytes."""
        same = "c.key = f.key AND c.trace = f.trace AND c.size_bytes = f.size AND c.modified = f.modified"
        usable = "AND c.error IS NULL" if again else ""
        self.ask(
            "CREATE TABLE todo AS SELECT trace, size, modified, problem FROM found f "
            f"WHERE NOT EXISTS (FROM connections c WHERE {same} {usable})"
        )
        ((count, size),) = self.ask("SELECT count(*), sum(size)::BIGINT FROM todo")
        return count, size or 0

    def todo(self) -> Iterator[Found]:
        """A cursor of its own: other questions may be asked meanwhile."""
        cursor = self._database.cursor()
        cursor.execute("FROM todo ORDER BY trace")
        while rows := cursor.fetchmany(BATCH):
            yield from (Found(*row) for row in rows)
