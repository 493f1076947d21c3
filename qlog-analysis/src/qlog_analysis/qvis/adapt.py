"""Events of other writers and drafts as quiche would have written them, which is what `convert` takes. What a view of
qvis reads has quiche's names and units; everything else stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from .. import wire
from ..broken import Broken
from ..dialect import dialect_of
from ..dialect.base import Decoder
from ..model import Trace
from ..record import Record
from .convert import Json

_OLD_NAMES = ("packet_size", "payload_length", "length", "type")
"""Fields of packet headers by which qvis takes a trace for one of an older draft, or that stand elsewhere now."""
_OLD_BESIDE = ("packet_type", "packet_size")
"""The same of other events."""
_METRICS = ("min_rtt", "smoothed_rtt", "latest_rtt", "congestion_window", "bytes_in_flight")


def header(trace: Trace) -> Json:
    """As much of the header as qvis shows."""
    of = trace.header.trace
    out: Json = {"vantage_point": {"type": trace.vantage_point}}
    out |= {k: v for k, v in (("title", of.title), ("description", of.description)) if v is not None}
    return {"trace": out}


class Adapter:
    def __init__(self, trace: Trace, connection: str | None) -> None:
        self._connection = connection
        # With encoded delays the field of the frame is written, in thousandths.
        self._delay_unit = 2.0**trace.ack_delay_exponent if trace.writer.encoded_ack_delay else 1.0
        self._decoder = Decoder()

    def events(self, source: Iterator[Record]) -> Iterator[tuple[Record, Json]]:
        """`source` from the header on. What was lost `export` writes, whoever tells it; the record is there for it."""
        dialect = dialect_of(next(source), foreign_for_certain=True, connection=self._connection)
        for record, event in dialect.events(source, Broken(skip=True)):
            original = self._decoder.decode(event.data, Any, record, event.name)
            data: Json | None = None
            if not isinstance(original, dict) or event.name == "quic:packet_lost":
                pass
            elif event.name in ("quic:packet_sent", "quic:packet_received"):
                data = self._packet(original, dialect.packet(record, event))
            elif event.name == "quic:recovery_metrics_updated":
                data = _metrics(dialect.metrics(record, event), dialect.writer.pacing_unit)
            elif event.name != "quic:congestion_state_updated" or isinstance(original.get("new"), str):
                data = {k: v for k, v in original.items() if k not in _OLD_BESIDE}
            yield record, {"time": event.time, "name": event.name, "data": data}

    def _packet(self, original: Json, packet: wire.Packet) -> Json:
        was = original.get("header")
        head = {k: v for k, v in was.items() if k not in _OLD_NAMES} if isinstance(was, dict) else {}
        head["packet_type"] = packet.header.packet_type
        head |= {"packet_number": packet.header.packet_number} if packet.header.packet_number is not None else {}
        out: Json = {"header": head}
        if packet.raw is not None and packet.raw.length is not None:
            out["raw"] = {"length": packet.raw.length}
        if packet.frames:
            out["frames"] = [self._frame(o, f) for o, f in zip(original["frames"], packet.frames, strict=True)]
        return out

    def _frame(self, original: Json, frame: wire.Frame) -> Json:
        known = msgspec.to_builtins(frame)
        length = known.pop("raw")
        out = {**original, **{k: v for k, v in known.items() if v is not None}}
        if frame.ack_delay is not None:
            out["ack_delay"] = frame.ack_delay * self._delay_unit
        if frame.frame_type in ("stream", "crypto"):
            out["raw"] = length
            out.pop("length", None)
        return out


def _metrics(m: wire.MetricsUpdated, pacing_unit: float) -> Json:
    out: Json = {k: getattr(m, k) for k in _METRICS if getattr(m, k) is not None}
    if m.pacing_rate is not None:
        out["pacing_rate"] = round(m.pacing_rate * pacing_unit / 8.0)  # quiche writes bytes/s
    return out
