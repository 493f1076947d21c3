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
    return rewritten(record, f"* REPLACE ({late})", clock="real", duration_ns="3600000000000")


def ends_early(record: Path, told: bool) -> Path:
    """The same of a relay that is stopped 20 ms before the last packet comes, and says so or not."""
    relayed = by_a_relay(record)
    database: Any = duckdb.connect(":memory:")
    [last] = database.execute(f"SELECT max(arrived_ns) FROM read_parquet('{relayed}')").fetchone()
    end = int(last) - 20_000_000
    more = {"duration_ns": str(end)} if told else {}
    return rewritten(relayed.rename(relayed.with_name("relayed.parquet")), where=f"arrived_ns < {end}", **more)
