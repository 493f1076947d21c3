"""quiche 0.30 (qlog crate 0.18): JSON-SEQ, names `quic:*`, times relative to one reference time. Strict."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NoReturn

from .. import wire
from ..broken import Broken
from ..dates import unix_time
from ..record import Record
from .base import Decoder, Located, OtherLayoutError, each
from .writers import QUICHE

FILE_SCHEMA = "urn:ietf:params:qlog:file:sequential"
FORMATS = ("JSON-SEQ", "application/qlog+json-seq")

NEVER_QUICHE = frozenset({"transport:packet_sent", "transport:packet_received", "quic:packet_lost"})
"""quiche counts its losses in its metrics, also with our patches, and has no event for one."""

_TIME_FORMATS = (None, "relative_to_epoch", "relative")


class Native(Decoder):
    writer = QUICHE

    def __init__(self, first: Record) -> None:
        super().__init__()
        self.header = self._header(first)

    @property
    def reference(self) -> float | None:
        fields = self.header.trace.common_fields
        if fields is None or fields.reference_time is None or fields.reference_time.wall_clock_time is None:
            return None
        return unix_time(fields.reference_time.wall_clock_time)

    def _header(self, first: Record) -> wire.Header:
        header = self.decode(first.text, wire.Header, first, "header")
        if header.serialization_format not in (None, *FORMATS):
            self._refuse(f"serialization format {header.serialization_format!r} is not supported", first)
        fields = header.trace.common_fields
        if fields is not None and fields.time_format not in _TIME_FORMATS:
            raise OtherLayoutError
        return header

    @staticmethod
    def _refuse(what: str, record: Record) -> NoReturn:
        raise record.error(
            f"{what}; expected the JSON-SEQ format with file_schema {FILE_SCHEMA!r} and times relative to "
            "one reference time, as quiche 0.30 writes it"
        )

    def events(self, records: Iterator[Record], broken: Broken) -> Iterator[Located]:
        return each(records, broken, self._event)

    def _event(self, record: Record) -> wire.Event:
        event = self.decode(record.text, wire.Event, record, "event")
        if event.name in NEVER_QUICHE:  # before its time, which another layout may count from 1970
            raise OtherLayoutError
        if not (math.isfinite(event.time) and 0.0 <= event.time <= wire.MAX_TIME_MS):
            raise record.error(
                f"{event.name}: time {event.time} ms is out of range, expected 0 to {wire.MAX_TIME_MS:.0e}"
            )
        return event

    def packet(self, record: Record, event: wire.Event) -> wire.Packet:
        return self.decode(event.data, wire.Packet, record, event.name)

    def metrics(self, record: Record, event: wire.Event) -> wire.MetricsUpdated:
        return self.decode(event.data, wire.MetricsUpdated, record, event.name)

    def state(self, record: Record, event: wire.Event) -> wire.StateUpdated:
        return self.decode(event.data, wire.StateUpdated, record, event.name)

    def lost(self, record: Record, event: wire.Event) -> wire.PacketLost:
        raise record.error(f"{event.name}: quiche writes no such event")

    def parameters(self, record: Record, event: wire.Event) -> wire.TransportParameters:
        return self.decode(event.data, wire.TransportParameters, record, event.name)
