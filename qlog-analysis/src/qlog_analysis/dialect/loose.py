"""Fields of events as any writer of any draft may lay them out: all are optional, and types are loose."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from ..wire import NonNegative, Uint

PacketNumber = Annotated[int, msgspec.Meta(ge=-(1 << 62), le=(1 << 62) - 1)]
"""Negative where there is none."""


class Event(msgspec.Struct):
    time: float | None = None
    relative_time: float | None = None
    delta_time: float | None = None
    name: str | None = None
    category: str | None = None
    event: str | None = None
    type: str | None = None
    group_id: Any = None
    data: msgspec.Raw = msgspec.Raw(b"{}")


class Raw(msgspec.Struct):
    length: Uint | None = None
    payload_length: Uint | None = None


class PacketHeader(msgspec.Struct):
    packet_type: str | None = None
    type: str | None = None
    packet_number: PacketNumber | None = None
    packet_size: Uint | None = None
    length: Uint | None = None


class Frame(msgspec.Struct):
    frame_type: Any = None
    raw: Raw | str | None = None
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


class Packet(msgspec.Struct):
    header: PacketHeader = msgspec.field(default_factory=PacketHeader)
    packet_type: str | None = None
    type: str | None = None
    packet_number: PacketNumber | None = None
    packet_size: Uint | None = None
    raw: Raw | str | None = None
    frames: list[Frame] | None = None
    lost_packets: Uint | None = None
    """Of `packets_lost`: how many at once."""


class Metrics(msgspec.Struct):
    min_rtt: NonNegative | None = None
    smoothed_rtt: NonNegative | None = None
    latest_rtt: NonNegative | None = None
    congestion_window: NonNegative | None = None
    cwnd: NonNegative | None = None
    current_cwnd: NonNegative | None = None
    bytes_in_flight: NonNegative | None = None
    pacing_rate: NonNegative | None = None


class State(msgspec.Struct):
    new: str | None = None
    """None where mvfst tells by the same event that the application has nothing to send."""


class Parameters(msgspec.Struct):
    initiator: str | None = None
    owner: str | None = None
    ack_delay_exponent: int | None = None
    max_ack_delay: NonNegative | None = None
    max_udp_payload_size: Uint | None = None
    initial_max_data: Uint | None = None
    initial_max_stream_data_bidi_local: Uint | None = None
    initial_max_stream_data_bidi_remote: Uint | None = None
    initial_max_stream_data_uni: Uint | None = None
