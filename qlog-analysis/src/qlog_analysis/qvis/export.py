"""Writes the converted trace. The original is read twice: first for the losses, then record by record."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from ..dialect.base import Decoder
from ..errors import AnalysisError, TruncatedTraceError, UnsuitableTraceError, about
from ..load import load
from ..model import Trace
from ..output import keep_apart, replacing
from ..read import records
from ..record import Record
from . import convert

EXTENSIONS = (".sqlog", ".qlogseq")
"""By these names qvis recognises JSON-SEQ; it decompresses nothing."""

WINDOW = 10_000
"""Events that are held back for sorting. quiche writes events of one datagram out of order, but never by far."""


def export(source: Path, out: Path, *, allow_truncated: bool = False) -> int:
    """Converts `source`; returns the number of events written."""
    if out.suffix not in EXTENSIONS:
        raise AnalysisError(
            f"cannot write {out.name}: qvis opens JSON-SEQ only by the names {' and '.join(EXTENSIONS)}"
        )
    keep_apart([source], [out])
    trace = load(source, allow_truncated=allow_truncated)
    if not trace.native:
        raise UnsuitableTraceError(
            f"only traces as quiche 0.30 writes them are converted, this one is of {trace.writer.name}; "
            "qvis may open it as it is",
            path=source,
        )
    with replacing(out) as f, about(source):
        return _write(f, source, trace, allow_truncated=allow_truncated)


def _write(f: IO[bytes], source: Path, trace: Trace, *, allow_truncated: bool) -> int:
    encoder = msgspec.json.Encoder()

    def put(record: Any) -> None:
        f.write(b"\x1e" + encoder.encode(record) + b"\n")

    began_ms = (trace.reference or 0.0) * 1e3
    source_records = _tolerant(records(source), allow_truncated=allow_truncated)
    first = next(source_records)
    streams = convert.shown_streams({*trace.sent.frames.stream, *trace.received.stream})
    put(convert.header(Decoder().decode(first.text, dict, first, "header"), began_ms, streams))
    count = 0
    for event in sorted_by_time(_events(source_records, trace, convert.Conversion(streams))):
        put(event)
        count += 1
    if count == 0:
        raise AnalysisError(f"{source}: no events in the trace; qvis cannot open an empty one")
    return count


def _tolerant(source: Iterator[Record], *, allow_truncated: bool) -> Iterator[Record]:
    try:
        yield from source
    except TruncatedTraceError:
        if not allow_truncated:
            raise


def _events(source: Iterator[Record], trace: Trace, conversion: convert.Conversion) -> Iterator[convert.Json]:
    decoder = Decoder()
    lost = defaultdict(list)
    for feedback in trace.feedback:
        lost[feedback.record].extend(feedback.lost)
    packet_types: list[str] = []  # one per sent packet that has a number, as in trace.sent
    for record in source:
        event = decoder.decode(record.text, dict, record, "event")
        if len(packet_types) < len(trace.sent) and trace.sent.record[len(packet_types)] == record.number:
            packet_types.append(str(event["data"]["header"]["packet_type"]))
        yield from conversion.event(event)
        for packet in lost.pop(record.number, ()):
            number, size = trace.sent.number[packet], trace.sent.size[packet]
            yield convert.packet_lost(event["time"], packet_types[packet], number, size)


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
