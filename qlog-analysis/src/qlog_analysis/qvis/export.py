"""Writes the converted trace. The original is read twice: first for the losses, then record by record."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, NamedTuple

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
from .thin import WHOLE as WHOLE_TRACE
from .thin import Kind, Part, Tagged, Thinner, ack_places

EXTENSIONS = (".sqlog", ".qlogseq")
"""By these names qvis recognises JSON-SEQ; it decompresses nothing."""

_KINDS = {
    "transport:packet_sent": Kind.SENT,
    "transport:packet_received": Kind.RECEIVED,
    "recovery:metrics_updated": Kind.METRICS,
    "transport:data_moved": Kind.MOVED,
}

WINDOW = 10_000
"""Events that are held back for sorting. quiche writes events of one datagram out of order, but never by far."""


class Exported(NamedTuple):
    events: int
    """That were written."""
    of_events: int
    """That the whole trace has."""


def export(
    source: Path,
    out: Path,
    choice: Choice = WHOLE,
    read: Callable[[Path, Choice], Trace] = load,
    part: Part = WHOLE_TRACE,
) -> Exported:
    """Converts `part` of `source`, which `read` reads."""
    if out.suffix not in EXTENSIONS:
        raise AnalysisError(
            f"cannot write {out.name}: the name must end in {' or '.join(EXTENSIONS)}, by which qvis knows JSON-SEQ, "
            "or it must be a folder that exists"
        )
    keep_apart([source], [out])
    trace = read(source, choice)
    if trace.writer in (QVIS_EXPORT, QVIS_CONVERSION):
        raise UnsuitableTraceError("this is an export for qvis already: open it as it is", path=source)
    with replacing(out) as f, about(source):
        return _write(f, _Original(source, trace, choice), part)


class _Original:
    """The trace as events for qvis, in the order of the file, as often as they are wanted."""

    def __init__(self, source: Path, trace: Trace, choice: Choice) -> None:
        self._source, self.trace, self._choice = source, trace, replace(choice, connection=trace.connection)
        self._streams = convert.shown_streams({*trace.sent.frames.stream, *trace.received.stream})

    def _records(self) -> Iterator[Record]:
        return _tolerant(records(self._source, self._choice.connection), self._choice)

    def header(self, left_out: str | None) -> convert.Json:
        if self.trace.native:
            first = next(self._records())
            head, writer = Decoder().decode(first.text, dict, first, "header"), QVIS_EXPORT
        else:
            head, writer = adapt.header(self.trace), QVIS_CONVERSION
        return convert.header(head, (self.trace.reference or 0.0) * 1e3, self._streams, writer, left_out)

    def events(self) -> Iterator[Tagged]:
        found, trace = self._records(), self.trace
        if trace.native:
            next(found)
            events = _decoded(found)
        else:
            events = adapt.Adapter(trace, self._choice.connection).events(found)
        used = ((record, event) for record, event in events if record.number not in trace.unused_records)
        return _events(used, trace, convert.Conversion(self._streams))


def _write(f: IO[bytes], original: _Original, part: Part) -> Exported:
    encoder = msgspec.json.Encoder()

    def put(record: Any) -> None:
        f.write(b"\x1e" + encoder.encode(record) + b"\n")

    thinner = None if part.whole else Thinner(original.trace, part, original.events())
    put(original.header(None if thinner is None else thinner.told()))
    tagged = original.events()
    count = 0
    for event in sorted_by_time((one.event for one in tagged) if thinner is None else thinner.chosen(tagged)):
        put(event)
        count += 1
    if count == 0:
        where = "" if part.whole else " in the time that was chosen"
        raise AnalysisError(
            f"{original.trace.path}: no events{where or ' in the trace'}; qvis cannot open an empty one"
        )
    return Exported(count, count if thinner is None else thinner.all_events)


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
) -> Iterator[Tagged]:
    acks = ack_places(trace)
    lost = defaultdict(list)
    for feedback in trace.feedback:
        lost[feedback.record].extend(feedback.lost)
    packet_types: list[str] = []  # one per sent packet that has a number, as in trace.sent
    for record, event in source:
        time, sent = event["time"], -1
        if len(packet_types) < len(trace.sent) and trace.sent.record[len(packet_types)] == record.number:
            sent = len(packet_types)
            packet_types.append(str(event["data"]["header"]["packet_type"]))
        for converted in conversion.event(event):
            yield _tagged(converted, sent, acks.get(record.number, -1))
        for packet in lost.pop(record.number, ()):
            number, size = trace.sent.number[packet], trace.sent.size[packet]
            yield Tagged(convert.packet_lost(time, packet_types[packet], number, size), Kind.OTHER)


def _tagged(event: convert.Json, sent: int, ack: int) -> Tagged:
    """`sent`, `ack`: the places of the packet, if it has one."""
    kind = _KINDS.get(event["name"], Kind.OTHER)
    if kind is Kind.SENT:
        return Tagged(event, kind, sent) if sent >= 0 else Tagged(event, Kind.OTHER)
    if kind is Kind.RECEIVED and ack >= 0:
        return Tagged(event, Kind.ACK, ack)
    return Tagged(event, kind)


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
