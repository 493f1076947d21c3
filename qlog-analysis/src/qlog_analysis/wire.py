"""Typed views of the qlog events of quiche that are used, as quiche 0.30 (qlog crate 0.18) writes them.

Decoding is strict: a field of the wrong type is an error that names the record, the field and what was expected.
Unknown fields and unknown events are skipped without being decoded.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeVar

import msgspec

from .errors import TraceError
from .read import Record

FILE_SCHEMA = "urn:ietf:params:qlog:file:sequential"
FORMATS = ("JSON-SEQ", "application/qlog+json-seq")

MAX_TIME_MS = 1e11
"""About three years; a larger relative time is damage."""

Uint = Annotated[int, msgspec.Meta(ge=0, le=(1 << 62) - 1)]
NonNegative = Annotated[float, msgspec.Meta(ge=0.0)]


class ReferenceTime(msgspec.Struct):
    wall_clock_time: str | None = None


class CommonFields(msgspec.Struct):
    reference_time: ReferenceTime | None = None
    time_format: str | None = None


class VantagePoint(msgspec.Struct):
    type: str = "unknown"
    name: str | None = None


class TraceHeader(msgspec.Struct):
    title: str | None = None
    description: str | None = None
    common_fields: CommonFields | None = None
    vantage_point: VantagePoint | None = None
    event_schemas: list[str] = []


class Header(msgspec.Struct):
    trace: TraceHeader
    file_schema: str
    serialization_format: str | None = None
    title: str | None = None


class _AnyHeader(msgspec.Struct):
    qlog_version: Any = None
    qlog_format: Any = None
    file_schema: Any = None
    traces: Any = None


class Event(msgspec.Struct):
    time: float
    name: str
    data: msgspec.Raw = msgspec.Raw(b"{}")
    receive_timestamps: list[tuple[Uint, Uint]] | None = None
    """Beside a packet with an ACK that has them: packet number and us since the peer's basis."""


class RawInfo(msgspec.Struct):
    length: Uint | None = None
    payload_length: Uint | None = None


class PacketHeader(msgspec.Struct):
    packet_type: str
    packet_number: Uint | None = None


class Frame(msgspec.Struct):
    frame_type: str
    raw: RawInfo | None = None
    ack_delay: NonNegative | None = None
    acked_ranges: list[list[Uint]] | None = None
    ect0: Uint | None = None
    ect1: Uint | None = None
    ce: Uint | None = None
    stream_id: Uint | None = None
    offset: Uint | None = None


class Packet(msgspec.Struct):
    header: PacketHeader
    raw: RawInfo | None = None
    frames: list[Frame] = []


class Counter(msgspec.Struct):
    total: Uint | None = None
    delta: Uint | None = None


class MetricsUpdated(msgspec.Struct):
    """Only fields that changed are present."""

    min_rtt: NonNegative | None = None
    smoothed_rtt: NonNegative | None = None
    latest_rtt: NonNegative | None = None
    congestion_window: Uint | None = None
    bytes_in_flight: Uint | None = None
    pacing_rate: Uint | None = None
    cf_lost_packets: Counter | None = None


class StateUpdated(msgspec.Struct):
    new: str


class TransportParameters(msgspec.Struct):
    initiator: str | None = None
    ack_delay_exponent: Annotated[int, msgspec.Meta(ge=0, le=20)] | None = None
    max_ack_delay: Annotated[int, msgspec.Meta(ge=0, le=1 << 14)] | None = None
    max_udp_payload_size: Uint | None = None


T = TypeVar("T")


class Decoder:
    """Decodes records; one msgspec decoder per type, built once."""

    def __init__(self) -> None:
        self._decoders: dict[Any, msgspec.json.Decoder[Any]] = {}

    def decode(self, text: bytes | msgspec.Raw, as_type: type[T], record: Record, what: str) -> T:
        decoder = self._decoders.get(as_type)
        if decoder is None:
            decoder = self._decoders[as_type] = msgspec.json.Decoder(as_type)
        try:
            out: T = decoder.decode(text)
        except msgspec.ValidationError as e:
            raise TraceError(f"{what}: {e}", record=record.number, offset=record.offset) from None
        except msgspec.DecodeError as e:
            raise TraceError(f"{what}: not valid JSON: {e}", record=record.number, offset=record.offset) from None
        except RecursionError:
            raise TraceError(f"{what}: nested too deeply", record=record.number, offset=record.offset) from None
        except UnicodeDecodeError:
            raise TraceError(f"{what}: text is not UTF-8", record=record.number, offset=record.offset) from None
        return out

    def header(self, record: Record) -> Header:
        """The first record; refuses what is qlog but not what quiche 0.30 writes."""
        loose = self.decode(record.text, _AnyHeader, record, "header")
        if loose.file_schema is None and loose.qlog_version is not None:
            self._refuse(f"qlog version {loose.qlog_version!r} is not supported", record)
        if loose.file_schema is None:
            self._refuse("this is not a qlog header: the field `file_schema` is missing", record)
        if loose.file_schema != FILE_SCHEMA:
            self._refuse(f"file schema {loose.file_schema!r} is not supported", record)
        header = self.decode(record.text, Header, record, "header")
        if header.serialization_format not in (None, *FORMATS):
            self._refuse(f"serialization format {header.serialization_format!r} is not supported", record)
        fields = header.trace.common_fields
        if fields is not None and fields.time_format not in (None, "relative_to_epoch", "relative"):
            self._refuse(f"time format {fields.time_format!r} is not supported", record)
        return header

    @staticmethod
    def _refuse(what: str, record: Record) -> None:
        raise TraceError(
            f"{what}; expected the JSON-SEQ format with file_schema {FILE_SCHEMA!r} and times relative to "
            "one reference time, as quiche 0.30 writes it",
            record=record.number,
            offset=record.offset,
        )

    def event(self, record: Record) -> Event:
        event = self.decode(record.text, Event, record, "event")
        if not (math.isfinite(event.time) and 0.0 <= event.time <= MAX_TIME_MS):
            raise TraceError(
                f"{event.name}: time {event.time} ms is out of range, expected 0 to {MAX_TIME_MS:.0e}",
                record=record.number,
                offset=record.offset,
            )
        return event
