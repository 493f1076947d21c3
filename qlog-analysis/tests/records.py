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


def by_a_relay(record: Path) -> Path:
    """A copy as cc-link records a server: it began at another time, and a packet takes up to 3 ms to it."""
    late = ", ".join(f"{x}_ns + 7000000000 + hash(packet) % 3000000 AS {x}_ns" for x in ("arrived", "started", "left"))
    return rewritten(record, f"* REPLACE ({late})", clock="real")
