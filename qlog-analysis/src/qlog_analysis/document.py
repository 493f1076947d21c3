"""One JSON document with all events (`file:contained` of today's draft, qlog_format JSON before)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from .errors import TraceError, TruncatedTraceError
from .record import Record

MAX_DOCUMENT = 1 << 30
"""Bytes; a document is held in memory."""


class _Head(msgspec.Struct):
    """What tells a header from an event and from a document. A `TraceHeader` has no events."""

    traces: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    trace: dict[str, msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET
    qlog_version: Any = None
    file_schema: Any = None


def is_header_alone(text: bytes) -> bool:
    """Whether a line is the header of a file whose other lines are events."""
    try:
        head = msgspec.json.decode(text, type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    if isinstance(head.trace, msgspec.UnsetType):
        return False
    return isinstance(head.traces, msgspec.UnsetType) and "events" not in head.trace


def is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def records(chunks: Iterator[bytes]) -> Iterator[Record]:
    """The header without the events, then each event."""
    text = _all(chunks)
    try:
        top = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        traces = msgspec.json.decode(top.pop("traces", b"[]"), type=list[dict[str, msgspec.Raw]])
        if "trace" in top:
            traces.append(msgspec.json.decode(top.pop("trace"), type=dict[str, msgspec.Raw]))
        with_events = [
            (t, msgspec.json.decode(t.pop("events"), type=list[msgspec.Raw])) for t in traces if "events" in t
        ]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
        raise _error(text, e) from None
    yield from _records_of(text, top, [(t, events) for t, events in with_events if events] or with_events)


def _records_of(
    text: bytes, top: dict[str, msgspec.Raw], traces: list[tuple[dict[str, msgspec.Raw], list[msgspec.Raw]]]
) -> Iterator[Record]:
    if not {"qlog_version", "file_schema"} & set(top):
        raise TraceError("this is JSON, but not qlog: neither `qlog_version` nor `file_schema` is there")
    if len(traces) != 1:
        raise TraceError(f"the document holds {len(traces)} traces with events; expected exactly one")
    ((trace, events),) = traces
    yield Record(1, 0, msgspec.json.encode({**top, "trace": trace}))
    place = 0
    for number, event in enumerate(events, start=2):
        raw = bytes(event)
        place = max(text.find(raw, place), 0)
        yield Record(number, place, raw)


def _all(chunks: Iterator[bytes]) -> bytes:
    text = bytearray()
    for chunk in chunks:
        text += chunk
        if len(text) > MAX_DOCUMENT:
            raise TraceError(
                f"a JSON document of more than {MAX_DOCUMENT >> 20} MiB; larger traces can be JSON-SEQ or JSON lines"
            )
    return bytes(text).removeprefix(b"\xef\xbb\xbf")


def _error(text: bytes, e: Exception) -> TraceError:
    if "truncated" in str(e):
        return TruncatedTraceError(
            "the JSON document ends early; of a cut trace only JSON-SEQ and JSON lines can be used", offset=len(text)
        )
    if isinstance(e, msgspec.ValidationError):
        return TraceError(f"this is JSON, but not qlog: {e}")
    place = re.search(r"byte (\d+)", str(e))
    if place is None:
        return TraceError(f"not valid JSON: {e}")
    offset = int(place[1])
    return TraceError(f"not valid JSON: {e}", offset=offset, line=text.count(b"\n", 0, offset) + 1)
