"""qlog of other implementations and of older drafts (draft-00 to 0.3, and what mixes them), with quiche's names.

Names, fields and units differ from draft to draft and writer to writer; every way that is known to be written is
read, also numbers as text. What is written in none of these ways is missing, never 0.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import msgspec

from .. import wire
from ..broken import Broken
from ..errors import TruncatedTraceError
from ..record import Record
from . import loose
from .base import Decoder, Located, each
from .clock import Clock
from .connections import Connections
from .header import Known
from .writers import QUINN, UNKNOWN

SORTED = 1000
"""Events that are held back for sorting: some writers' threads write out of order, but never by far."""

_NAMES = {
    "packet_sent": "quic:packet_sent",
    "packet_received": "quic:packet_received",
    "packet_lost": "quic:packet_lost",
    "packets_lost": "quic:packet_lost",
    "metrics_updated": "quic:recovery_metrics_updated",
    "metric_update": "quic:recovery_metrics_updated",
    "congestion_metric_update": "quic:recovery_metrics_updated",
    "recovery_metrics_updated": "quic:recovery_metrics_updated",
    "congestion_state_updated": "quic:congestion_state_updated",
    "parameters_set": "quic:parameters_set",
    "transport_parameters_set": "quic:parameters_set",
}
"""By the name without its category."""
_NOTHING = (b"[]", b"{}")
"""Some writers end a list with one, to be spared the comma."""
_CATEGORIES = frozenset({"quic", "transport", "recovery", "loss", "metric_update"})
"""The last two are mvfst's, before it followed the drafts."""
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
    "versionnegotiation": "version_negotiation",
    "version-negotiation": "version_negotiation",
}
_FIRST_RTT_OF_SECONDS = 10.0
"""The first RTT that is written is a guess of some hundred ms; below this it is meant in s."""


class Foreign(Decoder):
    def __init__(self, known: Known, connection: str | None) -> None:
        super().__init__(strict=False)
        self._connections = Connections(connection)
        self.header = known.header
        self.writer = known.writer
        self._known = known
        self._clock = Clock(known.time_format, known.milliseconds, known.reference)
        self._rtt_unit = known.milliseconds
        self._guess: float | None = None

    @property
    def reference(self) -> float | None:
        return self._clock.reference

    # -- events -------------------------------------------------------------------------------------------------

    def events(self, records: Iterator[Record], broken: Broken) -> Iterator[Located]:
        """In the order of their times."""
        heap: list[tuple[float, int, Record, wire.Event]] = []
        cut: TruncatedTraceError | None = None
        try:
            for record, event in each(records, broken, self._event):
                heapq.heappush(heap, (event.time, record.number, record, event))
                if len(heap) > SORTED:
                    yield heapq.heappop(heap)[2:]
        except TruncatedTraceError as e:
            cut = e
        self._connections.conclude()
        while heap:
            yield heapq.heappop(heap)[2:]
        if cut is not None:
            raise cut

    def _event(self, record: Record) -> wire.Event | None:
        if len(record.text) < 3 and record.text in _NOTHING:
            return None
        is_array = record.text.startswith(b"[")
        event = self._array(record) if is_array else self.decode(record.text, loose.Event, record, "event")
        name = self._name(event)
        if event.group_id is not None:
            data = event.data
            if not self._connections.wanted(str(event.group_id), lambda: self._goes_on(record, name, data)):
                return None
        time = next((t for t in (event.time, event.relative_time, event.delta_time) if t is not None), None)
        if time is None:
            raise record.error(f"{name}: no time")
        at = self._clock.at(time, delta=event.time is None and event.relative_time is None)
        if at is None:
            raise record.error(
                f"{name}: time {time} is out of range, expected at most 1 s before the first event or three years after"
            )
        return wire.Event(at, name, event.data)

    def _goes_on(self, record: Record, name: str, data: msgspec.Raw) -> bool:
        """Whether it is about a packet that is not the first of a connection: the first is an Initial that a server
        receives (number 1 after a Retry), or that a client sends."""
        if name not in ("quic:packet_sent", "quic:packet_received"):
            return False
        packet = self.decode(data, loose.Packet, record, name)
        if _packet_type(packet) != "initial":
            return True
        return name == "quic:packet_sent" and _number(packet) != 0

    def _array(self, record: Record) -> loose.Event:
        """An event of draft-01 or before: values in the order of the header's `event_fields`."""
        fields = self._known.event_fields
        values = self.decode(record.text, list[msgspec.Raw], record, "event")
        if len(values) < len(fields) or not fields:
            raise record.error(f"an event of {len(values)} values, expected those of `event_fields`: {fields}")
        known = {k.replace("event_type", "event"): v for k, v in zip(fields, values, strict=False)}
        text = msgspec.json.encode({k: v for k, v in known.items() if k in loose.Event.__struct_fields__})
        return self.decode(text, loose.Event, record, "event")

    def _name(self, event: loose.Event) -> str:
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
        data = self.decode(event.data, loose.Packet, record, event.name)
        size = _length(data.raw) or data.header.packet_size or data.packet_size or None
        if data.frames is None and data.raw is None:
            if self.writer is UNKNOWN and self._known.anonymous:
                self.writer = QUINN
            size = data.header.length or None if self.writer is QUINN else size
        kind = _packet_type(data)
        if kind is None:
            raise record.error(f"{event.name}: no packet type, neither in `header` nor beside it")
        return wire.Packet(
            header=wire.PacketHeader(kind, _number(data)),
            raw=wire.RawInfo(size),
            frames=[_frame(f, self._known.milliseconds) for f in data.frames or []],
        )

    def lost(self, record: Record, event: wire.Event) -> wire.PacketLost:
        data = self.decode(event.data, loose.Packet, record, event.name)
        if data.lost_packets is not None:
            return wire.PacketLost("1RTT", None, data.lost_packets)
        return wire.PacketLost(_packet_type(data) or "1RTT", _number(data))

    def metrics(self, record: Record, event: wire.Event) -> wire.MetricsUpdated:
        data = self.decode(event.data, loose.Metrics, record, event.name)
        if self.writer is QUINN and data.latest_rtt is not None and data.latest_rtt == data.min_rtt:
            self._quinns_rtts(data)
        unit = self._rtt_unit
        windows = (data.congestion_window, data.cwnd, data.current_cwnd)
        window = next((w for w in windows if w is not None), None)
        return wire.MetricsUpdated(
            min_rtt=_scaled(data.min_rtt, unit),
            smoothed_rtt=_scaled(data.smoothed_rtt, unit),
            latest_rtt=_scaled(data.latest_rtt or None, unit),  # 0 is none yet
            congestion_window=_whole(window),
            bytes_in_flight=_whole(data.bytes_in_flight),
            pacing_rate=_whole(data.pacing_rate),
        )

    def _quinns_rtts(self, data: loose.Metrics) -> None:
        """quinn 0.11 writes RTTs in s, and takes its guess before the first sample for the latest one."""
        if self._guess is None:
            self._guess = data.latest_rtt
            self._rtt_unit = 1e3 if (data.latest_rtt or 0.0) < _FIRST_RTT_OF_SECONDS else 1.0
        if data.latest_rtt == self._guess == data.smoothed_rtt:
            data.latest_rtt = None

    def state(self, record: Record, event: wire.Event) -> wire.StateUpdated | None:
        data = self.decode(event.data, loose.State, record, event.name)
        return wire.StateUpdated(data.new) if data.new is not None else None

    def parameters(self, record: Record, event: wire.Event) -> wire.TransportParameters:
        data = self.decode(event.data, loose.Parameters, record, event.name)
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


def _length(raw: loose.Raw | str | None) -> int | None:
    return raw.length if isinstance(raw, loose.Raw) else None


def _packet_type(data: loose.Packet) -> str | None:
    written = data.header.packet_type or data.header.type or data.packet_type or data.type
    return None if written is None else _PACKET_TYPES.get(written.lower(), written.lower())


def _number(data: loose.Packet) -> int | None:
    number = data.header.packet_number if data.header.packet_number is not None else data.packet_number
    return number if number is not None and number >= 0 else None


def _frame(frame: loose.Frame, milliseconds: float) -> wire.Frame:
    kind = str(frame.frame_type).lower()
    if frame.acked_ranges is not None and kind.startswith("ack"):  # ack_ecn, ack_receive_timestamps, ...
        kind = "ack"
    length = frame.length
    if length is None and isinstance(frame.raw, loose.Raw):
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
