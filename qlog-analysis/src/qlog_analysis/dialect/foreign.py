"""qlog of other implementations and of older drafts (draft-00 to 0.3, and what mixes them), with quiche's names.

Names, fields and units differ from draft to draft and writer to writer; every way that is known to be written is
read, also numbers as text. What is written in none of these ways is missing, never 0.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

import msgspec

from .. import wire
from ..errors import TruncatedTraceError
from ..record import Record
from ..wire import NonNegative, Uint
from .base import Decoder, Located
from .clock import Clock
from .header import Known

SORTED = 1000
"""Events that are held back for sorting: some writers' threads write out of order, but never by far."""

_NAMES = {
    "packet_sent": "quic:packet_sent",
    "packet_received": "quic:packet_received",
    "packet_lost": "quic:packet_lost",
    "packets_lost": "quic:packet_lost",
    "metrics_updated": "quic:recovery_metrics_updated",
    "metric_update": "quic:recovery_metrics_updated",
    "recovery_metrics_updated": "quic:recovery_metrics_updated",
    "congestion_state_updated": "quic:congestion_state_updated",
    "parameters_set": "quic:parameters_set",
    "transport_parameters_set": "quic:parameters_set",
}
"""By the name without its category."""
_CATEGORIES = frozenset({"quic", "transport", "recovery"})
_PARAMETERS = frozenset({"quic", "transport"})
"""`recovery:parameters_set` is about something else."""

_PACKET_TYPES = {
    "initial": "initial",
    "handshake": "handshake",
    "0rtt": "0RTT",
    "zerortt": "0RTT",
    "0-rtt": "0RTT",
    "1rtt": "1RTT",
    "onertt": "1RTT",
    "1-rtt": "1RTT",
    "short": "1RTT",
}


class _Event(msgspec.Struct):
    time: float | None = None
    relative_time: float | None = None
    delta_time: float | None = None
    name: str | None = None
    category: str | None = None
    event: str | None = None
    type: str | None = None
    data: msgspec.Raw = msgspec.Raw(b"{}")


class _Raw(msgspec.Struct):
    length: Uint | None = None
    payload_length: Uint | None = None


class _PacketHeader(msgspec.Struct):
    packet_type: str | None = None
    type: str | None = None
    packet_number: int | None = None
    packet_size: Uint | None = None


class _Frame(msgspec.Struct):
    frame_type: Any = None
    raw: _Raw | str | None = None
    length: Uint | None = None
    ack_delay: NonNegative | None = None
    acked_ranges: list[list[Uint]] | None = None
    ect0: Uint | None = None
    ect1: Uint | None = None
    ce: Uint | None = None
    ecn_ect0: Uint | None = None
    ecn_ect1: Uint | None = None
    ecn_ce: Uint | None = None
    stream_id: Uint | None = None
    id: Uint | None = None
    offset: Uint | None = None
    fin: Any = None
    maximum: Uint | None = None
    limit: Uint | None = None
    reason: Any = None


class _Packet(msgspec.Struct):
    header: _PacketHeader = msgspec.field(default_factory=_PacketHeader)
    packet_type: str | None = None
    type: str | None = None
    packet_number: int | None = None
    packet_size: Uint | None = None
    raw: _Raw | str | None = None
    frames: list[_Frame] | None = None
    lost_packets: Uint | None = None
    """Of `packets_lost`: how many at once."""


class _Metrics(msgspec.Struct):
    min_rtt: NonNegative | None = None
    smoothed_rtt: NonNegative | None = None
    latest_rtt: NonNegative | None = None
    congestion_window: NonNegative | None = None
    cwnd: NonNegative | None = None
    bytes_in_flight: NonNegative | None = None
    pacing_rate: NonNegative | None = None


class _Parameters(msgspec.Struct):
    initiator: str | None = None
    owner: str | None = None
    ack_delay_exponent: int | None = None
    max_ack_delay: NonNegative | None = None
    max_udp_payload_size: Uint | None = None
    initial_max_data: Uint | None = None
    initial_max_stream_data_bidi_local: Uint | None = None
    initial_max_stream_data_bidi_remote: Uint | None = None
    initial_max_stream_data_uni: Uint | None = None


class Foreign(Decoder):
    def __init__(self, known: Known) -> None:
        super().__init__(strict=False)
        self.header = known.header
        self.writer = known.writer
        self._known = known
        self._clock = Clock(known.time_format, known.milliseconds, known.reference)

    @property
    def reference(self) -> float | None:
        return self._clock.reference

    # -- events -------------------------------------------------------------------------------------------------

    def events(self, records: Iterator[Record]) -> Iterator[Located]:
        """In the order of their times."""
        heap: list[tuple[float, int, Record, wire.Event]] = []
        cut: TruncatedTraceError | None = None
        try:
            for record in records:
                event = self._event(record)
                heapq.heappush(heap, (event.time, record.number, record, event))
                if len(heap) > SORTED:
                    yield heapq.heappop(heap)[2:]
        except TruncatedTraceError as e:
            cut = e
        while heap:
            yield heapq.heappop(heap)[2:]
        if cut is not None:
            raise cut

    def _event(self, record: Record) -> wire.Event:
        is_array = record.text.startswith(b"[")
        event = self._array(record) if is_array else self.decode(record.text, _Event, record, "event")
        name = self._name(event)
        time = next((t for t in (event.time, event.relative_time, event.delta_time) if t is not None), None)
        if time is None:
            raise record.error(f"{name}: no time")
        at = self._clock.at(time, delta=event.time is None and event.relative_time is None)
        if at is None:
            raise record.error(f"{name}: time {time} is out of range")
        return wire.Event(at, name, event.data)

    def _array(self, record: Record) -> _Event:
        """An event of draft-01 or before: values in the order of the header's `event_fields`."""
        fields = self._known.event_fields
        values = self.decode(record.text, list[msgspec.Raw], record, "event")
        if len(values) < len(fields) or not fields:
            raise record.error(f"an event of {len(values)} values, expected those of `event_fields`: {fields}")
        known = {k.replace("event_type", "event"): v for k, v in zip(fields, values, strict=False)}
        text = msgspec.json.encode({k: v for k, v in known.items() if k in _Event.__struct_fields__})
        return self.decode(text, _Event, record, "event")

    def _name(self, event: _Event) -> str:
        """quiche's name of an event that is used, else its own."""
        category, short = event.category, event.event or event.type
        if event.name is not None and ":" in event.name:
            category, _, short = event.name.partition(":")
        elif short is None:
            short = event.name or ""
        category = (category or str(self._known.common.get("category", ""))).lower()
        short = short.lower()
        used = _NAMES.get(short) if category in _CATEGORIES else None
        if used == "quic:parameters_set" and category not in _PARAMETERS:
            used = None
        return used or f"{category}:{short}"

    # -- their data ---------------------------------------------------------------------------------------------

    def packet(self, record: Record, event: wire.Event) -> wire.Packet:
        data = self.decode(event.data, _Packet, record, event.name)
        size = next((s for s in (_length(data.raw), data.header.packet_size, data.packet_size) if s), None)
        return wire.Packet(
            header=wire.PacketHeader(_packet_type(data, record, event.name), _number(data)),
            raw=wire.RawInfo(size),
            frames=[_frame(f, self._known.milliseconds) for f in data.frames or []],
        )

    def lost(self, record: Record, event: wire.Event) -> wire.PacketLost:
        data = self.decode(event.data, _Packet, record, event.name)
        if data.lost_packets is not None:
            return wire.PacketLost("1RTT", None, data.lost_packets)
        return wire.PacketLost(_packet_type(data, record, event.name), _number(data))

    def metrics(self, record: Record, event: wire.Event) -> wire.MetricsUpdated:
        data = self.decode(event.data, _Metrics, record, event.name)
        unit = self._known.milliseconds
        window = data.congestion_window if data.congestion_window is not None else data.cwnd
        return wire.MetricsUpdated(
            min_rtt=_scaled(data.min_rtt, unit),
            smoothed_rtt=_scaled(data.smoothed_rtt, unit),
            latest_rtt=_scaled(data.latest_rtt or None, unit),  # 0 is none yet
            congestion_window=_whole(window),
            bytes_in_flight=_whole(data.bytes_in_flight),
            pacing_rate=_whole(data.pacing_rate),
        )

    def state(self, record: Record, event: wire.Event) -> wire.StateUpdated:
        return self.decode(event.data, wire.StateUpdated, record, event.name)

    def parameters(self, record: Record, event: wire.Event) -> wire.TransportParameters:
        data = self.decode(event.data, _Parameters, record, event.name)
        exponent = data.ack_delay_exponent
        return wire.TransportParameters(
            initiator=data.initiator or data.owner,
            ack_delay_exponent=exponent if exponent is not None and 0 <= exponent <= 20 else None,
            max_ack_delay=_whole(data.max_ack_delay),
            max_udp_payload_size=data.max_udp_payload_size,
            initial_max_data=data.initial_max_data,
            initial_max_stream_data_bidi_local=data.initial_max_stream_data_bidi_local,
            initial_max_stream_data_bidi_remote=data.initial_max_stream_data_bidi_remote,
            initial_max_stream_data_uni=data.initial_max_stream_data_uni,
        )


def _length(raw: _Raw | str | None) -> int | None:
    return raw.length if isinstance(raw, _Raw) else None


def _packet_type(data: _Packet, record: Record, name: str) -> str:
    written = data.header.packet_type or data.header.type or data.packet_type or data.type
    if written is None:
        raise record.error(f"{name}: no packet type, neither in `header` nor beside it")
    return _PACKET_TYPES.get(written.lower(), written)


def _number(data: _Packet) -> int | None:
    number = data.header.packet_number if data.header.packet_number is not None else data.packet_number
    return number if number is not None and number >= 0 else None


def _frame(frame: _Frame, milliseconds: float) -> wire.Frame:
    kind = str(frame.frame_type).lower()
    if frame.acked_ranges is not None and kind.startswith("ack"):  # ack_ecn, ack_receive_timestamps, ...
        kind = "ack"
    length = frame.length
    if length is None and isinstance(frame.raw, _Raw):
        length = frame.raw.payload_length if frame.raw.payload_length is not None else frame.raw.length
    return wire.Frame(
        frame_type=kind,
        raw=wire.RawInfo(payload_length=length),
        ack_delay=_scaled(frame.ack_delay, milliseconds),
        acked_ranges=frame.acked_ranges,
        ect0=_first(frame.ect0, frame.ecn_ect0),
        ect1=_first(frame.ect1, frame.ecn_ect1),
        ce=_first(frame.ce, frame.ecn_ce),
        stream_id=_first(frame.stream_id, frame.id),
        offset=frame.offset,
        fin=frame.fin is True,
        maximum=frame.maximum,
        limit=frame.limit,
        reason=frame.reason if isinstance(frame.reason, str) else None,
    )


def _first(*values: int | None) -> int | None:
    return next((v for v in values if v is not None), None)


def _scaled(value: float | None, unit: float) -> float | None:
    return None if value is None else value * unit


def _whole(value: float | None) -> int | None:
    """Some writers give bytes as fractions."""
    return None if value is None else int(min(value, float(1 << 62)))
