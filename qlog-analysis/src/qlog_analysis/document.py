"""One JSON document with all events (`file:contained` of today's draft, qlog_format JSON before)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import msgspec

from .dialect.connections import choose_one, chosen
from .errors import TraceError, TruncatedTraceError
from .record import Record, is_json

MAX_DOCUMENT = 1 << 30
"""Bytes; a document is held in memory."""


_BETWEEN = re.compile(r"[\s,]*")

OneTrace = tuple[dict[str, msgspec.Raw], list[msgspec.Raw]]
"""A trace without its events, and these."""


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
        # Some write version and format alone, in a line of their own.
        named = head.qlog_version is not None or head.file_schema is not None
        return named and isinstance(head.traces, msgspec.UnsetType)
    return isinstance(head.traces, msgspec.UnsetType) and "events" not in head.trace


def records(chunks: Iterator[bytes], connection: str | None = None) -> Iterator[Record]:
    """The header without the events, then each event. Of several traces those of the one that `connection` names."""
    text, cut = _all(chunks)
    try:
        top = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        traces = msgspec.json.decode(top.pop("traces", b"[]"), type=list[dict[str, msgspec.Raw]])
        if "trace" in top:
            traces.append(msgspec.json.decode(top.pop("trace"), type=dict[str, msgspec.Raw]))
        with_events = [
            (t, msgspec.json.decode(t.pop("events"), type=list[msgspec.Raw])) for t in traces if "events" in t
        ]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
        error = cut or _error(text, e)
        if not isinstance(error, TruncatedTraceError | EOFError):
            raise error from None
        yield from _as_far_as_it_goes(text)
        raise error from None
    some = [(t, events) for t, events in with_events if events] or with_events
    yield from _records_of(text, top, _choice(some, connection), of_several=len(some) > 1)
    if cut is not None:
        raise cut


def _choice(traces: list[OneTrace], connection: str | None) -> list[OneTrace]:
    if len(traces) < 2:
        return traces
    names = [_name(trace, len(events)) for trace, events in traces]
    place = chosen(names, connection) if connection is not None else None
    if place is None:
        raise choose_one(names, connection)
    return [traces[place]]


def _name(trace: dict[str, msgspec.Raw], events: int) -> str:
    """What tells traces of a document apart."""
    point, title = (_decoded(trace.get(key)) for key in ("vantage_point", "title"))
    words = [point.get(key) for key in ("type", "name")] if isinstance(point, dict) else []
    said = " ".join(str(word) for word in [*words, title] if word)
    return f"{said or 'no name'} ({events} events)"


def _decoded(value: msgspec.Raw | None) -> Any:
    """None where it is missing, or no text can be read from it."""
    try:
        return None if value is None else msgspec.json.decode(value, type=Any)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _as_far_as_it_goes(text: bytes) -> Iterator[Record]:
    """Header and events of a document that ends early, as that of a writer that was stopped."""
    begin = re.search(rb'"events"\s*:\s*\[', text)
    if begin is None:
        return
    head = text[: begin.end()] + b"]"
    for ending in (b"}]}", b"}}"):  # within a list of traces, or one trace
        if is_json(head + ending):
            yield from records(iter([head + ending]))
            break
    else:
        return
    rest = text[begin.end() :].decode(errors="replace")
    decoder, place = json.JSONDecoder(), 0
    for number in count(2):
        place = _BETWEEN.match(rest, place).end()  # type: ignore[union-attr]  # matches nothing as well
        try:
            _, end = decoder.raw_decode(rest, place)
        except (ValueError, RecursionError):
            return
        yield Record(number, begin.end() + place, rest[place:end].encode())
        place = end


def _records_of(
    text: bytes, top: dict[str, msgspec.Raw], traces: list[OneTrace], *, of_several: bool
) -> Iterator[Record]:
    if not {"qlog_version", "file_schema"} & set(top):
        raise TraceError("this is JSON, but not qlog: neither `qlog_version` nor `file_schema` is there")
    if not traces:
        raise TraceError("the document holds no trace with events")
    ((trace, events),) = traces
    yield Record(1, 0, msgspec.json.encode({**top, "trace": trace}), of_several=of_several)
    place = 0
    for number, event in enumerate(events, start=2):
        raw = bytes(event)
        place = max(text.find(raw, place), 0)
        yield Record(number, place, raw)


def _all(chunks: Iterator[bytes]) -> tuple[bytes, EOFError | None]:
    """With the error that ended it, of a compressed file that was cut."""
    text, cut = bytearray(), None
    try:
        for chunk in chunks:
            text += chunk
            if len(text) > MAX_DOCUMENT:
                raise TraceError(
                    f"a JSON document of more than {MAX_DOCUMENT >> 20} MiB; "
                    "larger traces can be JSON-SEQ or JSON lines"
                )
    except EOFError as e:
        cut = e
    return bytes(text).removeprefix(b"\xef\xbb\xbf"), cut


def _error(text: bytes, e: Exception) -> TraceError:
    if "truncated" in str(e):
        return TruncatedTraceError(
            "the JSON document ends early: its writer was stopped, or the file was cut", offset=len(text)
        )
    if isinstance(e, msgspec.ValidationError):
        return TraceError(f"this is JSON, but not qlog: {e}")
    place = re.search(r"byte (\d+)", str(e))
    if place is None:
        return TraceError(f"not valid JSON: {e}")
    offset = int(place[1])
    return TraceError(f"not valid JSON: {e}", offset=offset, line=text.count(b"\n", 0, offset) + 1)
