"""Ways to falsify the record of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb


def rewritten(record: Path, columns: str = "*", where: str = "true", **told: str) -> Path:
    """A copy with these columns, rows, and keys."""
    database: Any = duckdb.connect(":memory:")
    rows = database.execute("SELECT decode(key), decode(value) FROM parquet_kv_metadata($1)", [str(record)]).fetchall()
    keys = {**dict(rows), **told}
    listed = ", ".join(f"'{key}': '{value}'" for key, value in keys.items())
    out = record.with_name("rewritten.parquet")
    source = f"SELECT {columns} FROM read_parquet('{record}') WHERE {where}"
    database.execute(f"COPY ({source}) TO '{out}' (FORMAT parquet, KV_METADATA {{{listed}}})")
    return out
