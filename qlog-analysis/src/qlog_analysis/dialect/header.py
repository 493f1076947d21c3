"""The header of any qlog file, read loosely: which draft, which writer, what times count from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from .. import wire
from ..dates import unix_time
from ..record import Record
from .base import Decoder
from .clock import UNIX_MS
from .native import FILE_SCHEMA
from .writers import UNKNOWN, Writer, named_in

_VERSIONS = ("0.3", "0.4", "draft-00", "draft-01", "draft-02", "draft-03")
_SCHEMAS = (FILE_SCHEMA, "urn:ietf:params:qlog:file:contained")
_NOBODY = wire.VantagePoint()
_FORMATS = (None, "JSON", "JSON-SEQ", "NDJSON", "application/qlog+json", "application/qlog+json-seq")

_MS_OF_UNIT = {"ms": 1.0, "us": 1e-3}
_TIME_FORMATS = ("absolute", "relative", "delta", "relative_to_epoch", "relative_to_previous_event")


class _Trace(msgspec.Struct):
    title: Any = None
    description: Any = None
    vantage_point: Any = None
    configuration: Any = None
    common_fields: Any = None
    event_fields: list[str] | None = None


class _Header(msgspec.Struct):
    trace: _Trace | None = None
    title: Any = None
    description: Any = None
    code_version: Any = None
    configuration: Any = None
    qlog_version: Any = None
    qlog_format: Any = None
    serialization_format: Any = None
    file_schema: Any = None
    event_fields: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a trace before its first event."""

    header: wire.Header
    writer: Writer
    is_native: bool
    time_format: str | None = None
    """`absolute`, `relative`, `delta`, or one of the newer drafts' names."""
    milliseconds: float = 1.0
    """Of one unit of time."""
    event_fields: list[str] = field(default_factory=list)
    """Of events that are arrays (draft-01 and before), in lower case."""
    common: dict[str, Any] = field(default_factory=dict)
    anonymous: bool = False
    """Nobody is named and no side is told, as quinn writes it."""
    reference: float | None = None
    """Unix time, in s, that relative times count from."""


def read(first: Record) -> Known:
    top = Decoder().decode(first.text, _Header, first, "header")
    _refuse_unknown(top, first)
    trace = top.trace or _Trace()
    common = trace.common_fields if isinstance(trace.common_fields, dict) else {}
    point = _vantage_point(trace.vantage_point)
    titles = [_text(t) for t in (top.title, top.description, trace.title, trace.description)]
    writer = named_in(_text(top.code_version), point.name, *titles)
    milliseconds = _milliseconds(trace, first)
    return Known(
        header=wire.Header(
            trace=wire.TraceHeader(title=titles[2], description=titles[3], vantage_point=point),
            file_schema=_text(top.file_schema) or "",
            title=titles[0],
        ),
        writer=writer,
        is_native=_is_native(top, point, writer),
        time_format=_time_format(common, first),
        milliseconds=milliseconds,
        event_fields=[name.lower() for name in trace.event_fields or top.event_fields or []],
        common={str(key).lower(): value for key, value in common.items()},
        anonymous=top.code_version is None and point == _NOBODY and titles == [None] * 4,
        reference=_unix(common.get("reference_time"), milliseconds),
    )


def _is_native(top: _Header, point: wire.VantagePoint, writer: Writer) -> bool:
    """quiche 0.30 does not name itself; what others say beside the schema tells them apart."""
    says_more = (top.qlog_version, top.qlog_format, top.code_version, point.name) != (None,) * 4
    return top.file_schema == FILE_SCHEMA and (writer.name == "quiche" or (writer is UNKNOWN and not says_more))


def _refuse_unknown(top: _Header, first: Record) -> None:
    if top.file_schema is None and top.qlog_version is None:
        raise first.error("this is not a qlog header: neither `file_schema` nor `qlog_version` is there")
    if top.file_schema is not None and top.file_schema not in _SCHEMAS:
        raise first.error(f"file schema {top.file_schema!r} is not supported; supported are {', '.join(_SCHEMAS)}")
    if top.file_schema is None and str(top.qlog_version) not in _VERSIONS:
        raise first.error(f"qlog version {top.qlog_version!r} is not supported; supported are {', '.join(_VERSIONS)}")
    form = top.serialization_format if top.file_schema is not None else top.qlog_format
    if form not in _FORMATS:
        raise first.error(f"format {form!r} is not supported; supported are {', '.join(f for f in _FORMATS if f)}")


def _milliseconds(trace: _Trace, first: Record) -> float:
    """Of one unit of time. What is not known is no time at all: a guess would be wrong by a factor of a thousand."""
    configuration = trace.configuration if isinstance(trace.configuration, dict) else {}
    unit = configuration.get("time_units")
    if unit is None:
        return 1.0
    if not isinstance(unit, str) or unit not in _MS_OF_UNIT:
        raise first.error(f"time unit {unit!r} is not supported; supported are {', '.join(_MS_OF_UNIT)}")
    return _MS_OF_UNIT[unit]


def _time_format(common: dict[str, Any], first: Record) -> str | None:
    written = common.get("time_format")
    if written is not None and written not in _TIME_FORMATS:
        raise first.error(f"time format {written!r} is not supported; supported are {', '.join(_TIME_FORMATS)}")
    return _text(written)


def _vantage_point(value: Any) -> wire.VantagePoint:
    if not isinstance(value, dict):
        return wire.VantagePoint()
    return wire.VantagePoint(type=(_text(value.get("type")) or "unknown").lower(), name=_text(value.get("name")))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _unix(value: Any, unit: float) -> float | None:
    """A reference time as Unix time in s: a number or text that counts from 1970, or an object with a date. A clock
    that began later, as one that counts from the start of a machine, is no Unix time. `unit`: ms of one."""
    if isinstance(value, dict):
        text = _text(value.get("wall_clock_time")) or _text(value.get("epoch"))
        return unix_time(text) if text else None
    try:
        milliseconds = float(value) * unit
    except (TypeError, ValueError):
        return None
    return milliseconds / 1e3 if milliseconds > UNIX_MS else None
