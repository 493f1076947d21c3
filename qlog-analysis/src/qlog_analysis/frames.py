"""What frames of a packet carry, and whether a packet can."""

from __future__ import annotations

from collections.abc import Iterator

from . import wire
from .record import Record

MOST_BYTES = 65_535
"""Of a packet: the largest UDP datagram."""


def check_frames(record: Record, packet: wire.Packet) -> None:
    for frame in packet.frames:
        _, _, length = stream_part(frame)
        if length > MOST_BYTES:
            raise record.error(f"{frame.frame_type} frame: {length} bytes of data, expected at most {MOST_BYTES}")


def stream_part(frame: wire.Frame) -> tuple[int, int, int]:
    length = frame.raw.payload_length if frame.raw is not None else None
    return frame.stream_id or 0, frame.offset or 0, length or 0


def ack_ranges(frame: wire.Frame, record: Record) -> Iterator[tuple[int, int]]:
    for r in frame.acked_ranges or []:
        if len(r) not in (1, 2) or r[0] > r[-1]:
            raise record.error(f"ack frame: range {r[:3]} is not [number] or [first, last] with first <= last")
        yield r[0], r[-1]
