"""Writes events as quiche 0.30 does: header, names, diffs of metrics, times truncated to 1 us."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

Json = dict[str, Any]
CC_SCHEMA = "https://quiche-cc.example/qlog/112026/cc"


def header(controller: str) -> Json:
    text = f"server with congestion controller {controller}"
    return {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "JSON-SEQ",
        "title": "simulated",
        "description": text,
        "trace": {
            "title": "simulated",
            "description": text,
            "common_fields": {
                "reference_time": {
                    "clock_type": "monotonic",
                    "epoch": "unknown",
                    "wall_clock_time": "2026-11-21T07:16:16.720681874Z",
                }
            },
            "vantage_point": {"type": "server"},
            "event_schemas": [
                "urn:ietf:params:qlog:events:quic-12",
                "urn:ietf:params:qlog:events:http3-12",
                CC_SCHEMA,
            ],
        },
    }


@dataclass(slots=True)
class TraceWriter:
    controller: str
    records: list[Json] = field(default_factory=list)
    _metrics: Json = field(default_factory=dict)
    _state: str = ""

    def __post_init__(self) -> None:
        self.records.append(header(self.controller))

    def event(self, now: float, name: str, data: Json) -> None:
        self.records.append({"time": math.floor(now * 1e6 + 1e-6) / 1e3, "name": name, "data": data})

    def metrics(self, now: float, lost: int, **values: float | None) -> None:
        """Only what changed."""
        changed: Json = {k: v for k, v in values.items() if v is not None and self._metrics.get(k) != v}
        before = self._metrics.get("lost", -1)
        if lost != before:
            changed["cf_lost_packets"] = {"total": lost, "delta": lost - max(before, 0)}
        self._metrics.update(values, lost=lost)
        if changed:
            self.event(now, "quic:recovery_metrics_updated", changed)

    def state(self, now: float, name: str) -> None:
        if name != self._state:
            self._state = name
            self.event(now, "quic:congestion_state_updated", {"new": name})


def encode(records: list[Json]) -> bytes:
    return b"".join(b"\x1e" + msgspec.json.encode(r) + b"\n" for r in records)


def write(path: Path, records: list[Json]) -> Path:
    path.write_bytes(encode(records))
    return path
