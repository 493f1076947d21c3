"""Typed views of the qlog events that are used, as quiche 0.30 (qlog crate 0.18) writes them. What other writers and
older drafts write, `dialect` turns into these.

Unknown fields and unknown events are skipped without being decoded.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

Uint = Annotated[int, msgspec.Meta(ge=0, le=(1 << 62) - 1)]
NonNegative = Annotated[float, msgspec.Meta(ge=0.0, le=1e20)]
"""Other writers have values such as 2^64 - 1."""
MAX_TIME_MS = 1e11
"""About three years; a larger relative time, or duration, is damage."""
Milliseconds = Annotated[float, msgspec.Meta(ge=0.0, le=MAX_TIME_MS)]


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
    ack_delay: Milliseconds | None = None
    acked_ranges: list[list[Uint]] | None = None
    ect0: Uint | None = None
    ect1: Uint | None = None
    ce: Uint | None = None
    stream_id: Uint | None = None
    offset: Uint | None = None
    fin: bool | None = None
    maximum: Uint | None = None
    """Of `max_data` and `max_stream_data`: what may be sent in all, bytes."""
    limit: Uint | None = None
    """Of `data_blocked` and `stream_data_blocked`: what was allowed when it was used up, bytes."""
    reason: str | None = None
    """Of `connection_close`."""


QUIET_FRAMES = frozenset({"ack", "padding", "connection_close"})
"""Frames that are not ack-eliciting (RFC 9002 section 2)."""
PROBE_FRAMES = frozenset({"ping", "padding"})
"""Of a path MTU probe."""


class Packet(msgspec.Struct):
    header: PacketHeader
    raw: RawInfo | None = None
    frames: list[Frame] = []


class DataMoved(msgspec.Struct):
    """`quic:stream_data_moved`"""

    stream_id: Uint | None = None
    offset: Uint | None = None
    source: str | None = msgspec.field(name="from", default=None)
    to: str | None = None
    raw: RawInfo | None = None


class Counter(msgspec.Struct):
    total: Uint | None = None
    delta: Uint | None = None


class MetricsUpdated(msgspec.Struct):
    """Only fields that changed are present."""

    min_rtt: Milliseconds | None = None
    smoothed_rtt: Milliseconds | None = None
    latest_rtt: Milliseconds | None = None
    congestion_window: Uint | None = None
    bytes_in_flight: Uint | None = None
    pacing_rate: Uint | None = None
    cf_lost_packets: Counter | None = None

    @property
    def is_guess(self) -> bool:
        """Whether the RTTs are what a path without a sample has, as at the start and after a change of the path."""
        return self.latest_rtt is None and self.min_rtt is not None and self.min_rtt == self.smoothed_rtt


class PacketLost(msgspec.Struct):
    """One packet that was declared lost, or (`number` None) as many as `count`."""

    packet_type: str
    number: Uint | None
    count: Uint = 1


class StateUpdated(msgspec.Struct):
    new: str


class TransportParameters(msgspec.Struct):
    initiator: str | None = None
    ack_delay_exponent: Annotated[int, msgspec.Meta(ge=0, le=20)] | None = None
    max_ack_delay: Annotated[int, msgspec.Meta(ge=0, le=1 << 14)] | None = None
    max_udp_payload_size: Uint | None = None
    initial_max_data: Uint | None = None
    initial_max_stream_data_bidi_local: Uint | None = None
    initial_max_stream_data_bidi_remote: Uint | None = None
    initial_max_stream_data_uni: Uint | None = None
