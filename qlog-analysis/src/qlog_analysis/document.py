"""One JSON document with all events (`file:contained` of today's draft, qlog_format JSON before)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from .dialect.connections import choose_one, chosen
from .elements import elements, extent, is_empty
from .errors import TraceError, TruncatedTraceError
from .record import Record, is_json

MAX_DOCUMENT = 1 << 30
"""Bytes; a document is held in memory."""
MAX_TRACES = 10_000
"""In a document; no endpoint writes as many into one."""

_EVENTS = re.compile(rb'"events"\s*:\s*(?=\[)')

OneTrace = tuple[dict[str, msgspec.Raw], memoryview]
"""A trace without its events, and the list of these."""


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
    text, packed_cut = _all(chunks)
    cut: TraceError | EOFError | None = packed_cut
    try:
        top, with_events = _parts(text)
    except TraceError as e:
        cut = packed_cut or e
        closed = _as_far_as_it_goes(text) if isinstance(cut, TruncatedTraceError | EOFError) else None
        if closed is None:
            raise cut from None
        text = closed
        top, with_events = _parts(text)
    some = [(t, events) for t, events in with_events if not is_empty(events)] or with_events
    yield from _records_of(text, top, _choice(some, connection), of_several=len(some) > 1)
    if cut is not None:
        raise cut


def _parts(text: bytes) -> tuple[dict[str, msgspec.Raw], list[OneTrace]]:
    """What a document has beside its traces, and the traces with events."""
    try:
        top = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        decoded = [msgspec.json.decode(trace, type=dict[str, msgspec.Raw]) for trace in _traces(top)]
        return top, [(trace, _list(trace.pop("events"))) for trace in decoded if "events" in trace]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
        raise _error(text, e) from None


def _traces(top: dict[str, msgspec.Raw]) -> Iterator[memoryview | msgspec.Raw]:
    """Takes them out."""
    listed = _list(top.pop("traces", msgspec.Raw(b"[]")))
    for number, (begin, end) in enumerate(elements(listed), start=1):
        _refuse_many(number)
        yield listed[begin:end]
    if "trace" in top:
        yield top.pop("trace")


def _list(raw: msgspec.Raw) -> memoryview:
    """Raises msgspec's error where it is none."""
    view = memoryview(raw)
    if view[0] != ord("["):
        msgspec.json.decode(raw, type=list)
    return view


def _refuse_many(traces: int) -> None:
    if traces > MAX_TRACES:
        raise TraceError(f"the document holds more than {MAX_TRACES} traces, which none of an endpoint does")


def _choice(traces: list[OneTrace], connection: str | None) -> list[OneTrace]:
    if len(traces) < 2:
        return traces
    names = [_name(trace, extent(events)[0]) for trace, events in traces]
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


def _as_far_as_it_goes(text: bytes) -> bytes | None:
    """A document that ends early, as that of a writer that was stopped: up to the last event that is whole, with the
    brackets that are missing. None if no trace has events so far."""
    view, end, lists = memoryview(text), 0, 0
    while found := _EVENTS.search(text, end):
        lists += 1
        _refuse_many(lists)
        end = found.end() + extent(view[found.end() :])[1]
    if not lists:
        return None
    if is_json(text[end:].lstrip(b", \t\r\n")):  # the last one, which no comma follows yet
        end = len(text)
    closed = (text[:end] + ending for ending in (b"]}]}", b"]}}"))  # within a list of traces, or one trace
    return next((whole for whole in closed if is_json(whole)), None)


def _records_of(
    text: bytes, top: dict[str, msgspec.Raw], traces: list[OneTrace], *, of_several: bool
) -> Iterator[Record]:
    if not {"qlog_version", "file_schema"} & set(top):
        raise TraceError("this is JSON, but not qlog: neither `qlog_version` nor `file_schema` is there")
    if not traces:
        raise TraceError("the document holds no trace with events")
    ((trace, events),) = traces
    yield Record(1, 0, msgspec.json.encode({**top, "trace": trace}), of_several=of_several)
    place = _address(events) - _address(text)
    for number, (begin, end) in enumerate(elements(events), start=2):
        yield Record(number, place + begin, bytes(events[begin:end]))


def _address(part: bytes | memoryview) -> int:
    """Where it stands in memory: what is decoded as `Raw` is no copy, but a part of the text."""
    return int(np.frombuffer(part, dtype=np.uint8).ctypes.data)


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
    return bytes(text), cut


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
