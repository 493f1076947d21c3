"""One connection as a row of the table. The README documents the columns."""

from __future__ import annotations

import types
import typing

import msgspec

from ..explain.limits import Limit


class Found(msgspec.Struct, frozen=True):
    """A trace that was found. Path, size and time of change tell whether it was worked already."""

    trace: str
    """Absolute path, or address."""
    size: int
    """Bytes."""
    modified: str
    """As the file system says it: ns since 1970 of a local file; a date or a tag of an object store."""
    problem: str | None = None
    """Why it cannot even be opened, as its name tells."""


class Row(msgspec.Struct, kw_only=True):
    """Null is what the trace does not tell. Names carry their units."""

    trace: str
    connection: int = 1
    """Its number in the file."""
    size_bytes: int
    modified: str
    made_by: str
    """Version of qlog-analysis."""

    error: str | None = None
    """Why nothing could be measured; all that follows is null then."""
    error_kind: str | None = None

    title: str | None = None
    writer: str | None = None
    vantage_point: str | None = None
    role: str | None = None
    controller: str | None = None
    options: str | None = None
    rule: str | None = None
    """Of the server, that chose the controller."""
    server_name: str | None = None
    rowd_source: str | None = None
    peer: str | None = None
    began_unix_s: float | None = None
    duration_s: float | None = None

    packets_sent: int | None = None
    bytes_sent: int | None = None
    stream_bytes_acked: int | None = None
    stream_bytes_received: int | None = None
    goodput_bps: float | None = None
    received_goodput_bps: float | None = None

    rtt_min_ms: float | None = None
    rtt_p50_ms: float | None = None
    rtt_p95_ms: float | None = None
    delay_samples: int | None = None
    queueing_delay_mean_ms: float | None = None
    queueing_delay_p50_ms: float | None = None
    queueing_delay_p95_ms: float | None = None
    queueing_delay_over_time_mean_ms: float | None = None
    queueing_delay_over_time_p95_ms: float | None = None

    packets_lost: int | None = None
    loss_percent: float | None = None
    spurious_losses: int | None = None
    losses_from: str | None = None

    delivery_rate_p50_bps: float | None = None
    delivery_rate_max_bps: float | None = None
    relative_one_way_delay_p95_ms: float | None = None
    relative_one_way_delay_from: str | None = None
    reordered_percent: float | None = None
    """By ACKs."""
    packets_per_ack_mean: float | None = None
    ack_gap_p95_ms: float | None = None
    acks_batched_percent: float | None = None
    application_limited_spells: int | None = None
    application_limited_s: float | None = None
    bytes_in_bursts_percent: float | None = None

    verdict: str | None = None
    verdict_why: str | None = None
    law: str | None = None
    updates_judged: int | None = None
    invariants_failed: int | None = None
    disagreements: list[str] | None = None

    limited_by: str | None = None
    """What did longest."""
    limited_by_handshake: float | None = None
    limited_by_application: float | None = None
    limited_by_receiver: float | None = None
    limited_by_congestion_window: float | None = None
    limited_by_pacing: float | None = None
    limited_by_path: float | None = None
    limited_by_interrupted: float | None = None
    limited_by_unknown: float | None = None
    limited_by_late_sending: float | None = None

    records_not_used: int | None = None


LIMITED_BY = {limit: f"limited_by_{limit.value}" for limit in Limit}
"""The columns with shares of time."""

_TYPES = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", list[str]: "VARCHAR[]"}


def columns() -> dict[str, str]:
    """Name and SQL type of each column."""
    return {f.name: _sql_type(f.type) for f in msgspec.structs.fields(Row)}


def _sql_type(annotated: typing.Any) -> str:
    if isinstance(annotated, types.UnionType) or typing.get_origin(annotated) is typing.Union:
        (annotated,) = (a for a in typing.get_args(annotated) if a is not type(None))
    return _TYPES[annotated]
