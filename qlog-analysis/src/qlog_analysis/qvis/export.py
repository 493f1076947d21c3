"""Writes the converted trace. The original is read twice: first for the losses, then record by record."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from ..dialect.base import Decoder
from ..dialect.writers import QVIS_CONVERSION, QVIS_EXPORT
from ..errors import AnalysisError, TraceError, TruncatedTraceError, UnsuitableTraceError, about
from ..load import WHOLE, Choice, load
from ..model import Trace
from ..output import keep_apart, replacing
from ..read import records
from ..record import Record
from . import adapt, convert

EXTENSIONS = (".sqlog", ".qlogseq")
"""By these names qvis recognises JSON-SEQ; it decompresses nothing."""

WINDOW = 10_000
"""Events that are held back for sorting. quiche writes events of one datagram out of order, but never by far."""


def export(source: Path, out: Path, choice: Choice = WHOLE, read: Callable[[Path, Choice], Trace] = load) -> int:
    """Converts `source`, which `read` reads; returns the number of events written."""
    if out.suffix not in EXTENSIONS:
        raise AnalysisError(
            f"cannot write {out.name}: qvis opens JSON-SEQ only by the names {' and '.join(EXTENSIONS)}"
        )
    keep_apart([source], [out])
    trace = read(source, choice)
    if trace.writer in (QVIS_EXPORT, QVIS_CONVERSION):
        raise UnsuitableTraceError("this is an export for qvis already: open it as it is", path=source)
    with replacing(out) as f, about(source):
        return _write(f, source, trace, choice)


def _write(f: IO[bytes], source: Path, trace: Trace, choice: Choice) -> int:
    encoder = msgspec.json.Encoder()

    def put(record: Any) -> None:
        f.write(b"\x1e" + encoder.encode(record) + b"\n")

    began_ms = (trace.reference or 0.0) * 1e3
    source_records = _tolerant(records(source, choice.connection), choice)
    streams = convert.shown_streams({*trace.sent.frames.stream, *trace.received.stream})
    if trace.native:
        first = next(source_records)
        head, writer = Decoder().decode(first.text, dict, first, "header"), QVIS_EXPORT
        events = _decoded(source_records)
    else:
        head, writer = adapt.header(trace), QVIS_CONVERSION
        events = adapt.Adapter(trace, choice.connection).events(source_records)
    put(convert.header(head, began_ms, streams, writer))
    count = 0
    used = ((record, event) for record, event in events if record.number not in trace.unused_records)
    for event in sorted_by_time(_events(used, trace, convert.Conversion(streams))):
        put(event)
        count += 1
    if count == 0:
        raise AnalysisError(f"{source}: no events in the trace; qvis cannot open an empty one")
    return count


def _tolerant(source: Iterator[Record], choice: Choice) -> Iterator[Record]:
    try:
        yield from source
    except TruncatedTraceError:
        if not choice.allow_truncated:
            raise


def _decoded(source: Iterator[Record]) -> Iterator[tuple[Record, convert.Json]]:
    decoder = Decoder()
    for record in source:
        try:
            event = decoder.decode(record.text, dict, record, "event")
        except TraceError:  # told when the trace was read
            continue
        yield record, event


def _events(
    source: Iterator[tuple[Record, convert.Json]], trace: Trace, conversion: convert.Conversion
) -> Iterator[convert.Json]:
    lost = defaultdict(list)
    for feedback in trace.feedback:
        lost[feedback.record].extend(feedback.lost)
    packet_types: list[str] = []  # one per sent packet that has a number, as in trace.sent
    for record, event in source:
        time = event["time"]
        if len(packet_types) < len(trace.sent) and trace.sent.record[len(packet_types)] == record.number:
            packet_types.append(str(event["data"]["header"]["packet_type"]))
        yield from conversion.event(event)
        for packet in lost.pop(record.number, ()):
            number, size = trace.sent.number[packet], trace.sent.size[packet]
            yield convert.packet_lost(time, packet_types[packet], number, size)


def sorted_by_time(events: Iterator[convert.Json], window: int = WINDOW) -> Iterator[convert.Json]:
    """Sorts with bounded memory; qvis shows an alert for every trace that is out of order. An event that is late by
    more than `window` events is moved to where the trace has arrived."""
    heap: list[tuple[float, int, convert.Json]] = []
    written = 0.0

    def pop() -> convert.Json:
        nonlocal written
        time, _, event = heapq.heappop(heap)
        if time < written:
            event["time"] = written
        written = max(written, time)
        return event

    for order, event in enumerate(events):
        heapq.heappush(heap, (float(event["time"]), order, event))
        if len(heap) > window:
            yield pop()
    while heap:
        yield pop()
