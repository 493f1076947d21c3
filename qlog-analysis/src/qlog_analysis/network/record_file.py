"""Reads the record of a run: Parquet, by DuckDB."""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..arrays import Ints
from ..errors import AnalysisError
from ..needs import library
from .errors import RecordError

FORMAT = "quiche-cc run record"
VERSION = "1"
NEVER_ENDS = 2**63
"""ns."""
COLUMNS = frozenset(
    {"packet", "hop", "link", "flow", "to", "size", "payload", "arrived_ns", "queued_bytes", "started_ns", "left_ns"}
    | {"ecn_in", "ecn_out", "fate"}
)

_SPECIAL = frozenset("*?[\\=")
"""What makes a pattern of a name, or a column of a folder (`flow=1`)."""

_WAYS = """
SELECT packet,
    min_by(arrived_ns, hop) AS sent,
    min_by(payload, hop) AS payload,
    min_by(ecn_in, hop) AS ecn,
    CASE WHEN bool_and(fate = 'delivered') THEN max_by(left_ns, hop) ELSE -1 END AS delivered,
    max_by(ecn_out, hop) AS ecn_end,
    CAST(coalesce(sum(started_ns - arrived_ns), 0) AS BIGINT) AS queueing
FROM read_parquet($file) WHERE flow = $flow AND "to" = $to GROUP BY packet ORDER BY packet
"""
"""A row per packet, of all links that it crossed."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The packets of a flow in one direction, in the order sent. Times are ns since the run began."""

    sent: Ints
    """When it came to its first link."""
    payload: Ints
    """Bytes of UDP payload."""
    ecn: Ints
    """The two bits with which it came there."""
    delivered: Ints
    """When it left its last link; -1 if it did not."""
    ecn_end: Ints
    """The bits with which it left."""
    queueing: Ints
    """ns in queues, all links together."""

    def __len__(self) -> int:
        return len(self.sent)


class RunRecord:
    """The file, asked by SQL: only the packets of one flow are in memory."""

    def __init__(self, path: Path) -> None:
        duckdb = library("duckdb", "a record of packets")
        self.path = path
        self._error: Any = duckdb.Error
        if not path.is_file():
            raise RecordError(f"the record {path} does not exist or is no file; `cc-lab run --record` writes one")
        config = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        self._database: Any = duckdb.connect(":memory:", config=config)
        self._file = str(self._literal(path))
        rows = self._ask("SELECT key, value FROM parquet_kv_metadata($file)", file=self._file)
        self.told = {_text(key): _text(value) for key, value in rows}
        self._understood()

    def _literal(self, path: Path) -> Path:
        """A name that DuckDB takes for nothing but a file: a link, where `path` may be a pattern or tell a column.
        Brackets around what is special would do, but not behind a backslash."""
        if _SPECIAL.isdisjoint(str(path)):
            return path
        folder = Path(tempfile.mkdtemp(prefix="qlog-analysis-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        link = folder / "record.parquet"
        link.symlink_to(path.absolute())
        return link

    def _understood(self) -> None:
        if self.told.get("format") != FORMAT:
            raise RecordError(f"{self.path} is no record of a run: its key `format` must be `{FORMAT}`")
        version = self.told.get("version")
        if version != VERSION:
            raise RecordError(f"{self.path} is a record of version {version}; this program reads version {VERSION}")
        names = self._ask("SELECT column_name FROM (DESCRIBE SELECT * FROM read_parquet($file))", file=self._file)
        missing = COLUMNS - {name for (name,) in names}
        if missing:
            raise RecordError(f"{self.path} lacks the columns {', '.join(sorted(missing))}")

    @property
    def virtual(self) -> bool:
        """Whether hosts and network have one clock, that of a simulation."""
        return self.told.get("clock") == "virtual"

    @property
    def run(self) -> str | None:
        return self.told.get("run")

    @property
    def dropped(self) -> int:
        """Rows that are missing, also of packets that were lost on their way to a link."""
        return self._count("dropped_rows", 0) + self._count("unseen_packets", 0)

    @property
    def duration(self) -> float:
        """How long it was written, s; very long where it does not say."""
        return self._count("duration_ns", NEVER_ENDS) * 1e-9

    def _count(self, key: str, otherwise: int) -> int:
        told = self.told.get(key)
        if told is None:
            return otherwise
        if not (told.isascii() and told.isdecimal()):
            raise RecordError(f"{self.path}: {key} of its metadata is a whole number from 0 on, not {told[:40]!r}")
        return int(told)

    def flows(self, to: str) -> list[str]:
        """All with packets to that side, those with the most packets first."""
        of = 'SELECT flow FROM read_parquet($file) WHERE "to" = $to GROUP BY flow ORDER BY count(*) DESC, flow'
        return [flow for (flow,) in self._ask(of, file=self._file, to=to)]

    def start_of(self, flow: str) -> int | None:
        """ns at which the flow began, if the record says so."""
        try:
            flows = json.loads(self.told.get("flows", "[]"))
            return next((int(f["start_ns"]) for f in flows if f["name"] == flow), None)
        except (ValueError, KeyError, TypeError) as e:
            raise RecordError(f"{self.path}: the key `flows` cannot be read: {e}") from e

    def ways(self, flow: str, to: str) -> Ways:
        try:
            columns = self._database.execute(_WAYS, {"file": self._file, "flow": flow, "to": to}).fetchnumpy()
        except self._error as e:
            raise self._unreadable(e) from e
        return Ways(**{name: columns[name].astype("int64") for name in Ways.__slots__})

    def _ask(self, sql: str, **parameters: object) -> Sequence[tuple[Any, ...]]:
        try:
            rows: Sequence[tuple[Any, ...]] = self._database.execute(sql, parameters).fetchall()
        except self._error as e:
            raise self._unreadable(e) from e
        return rows

    def _unreadable(self, e: Exception) -> AnalysisError:
        first = str(e).partition("\n")[0]
        return RecordError(
            f"{self.path} cannot be read as Parquet: {first}. A record is whole only when its run has ended"
        )


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
