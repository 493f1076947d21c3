"""What frames of a packet carry, and whether a packet can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import wire
from .record import Record

MOST_BYTES = 65_535
"""Of a packet: the largest UDP datagram."""


def fit(frames: Sequence[wire.Frame]) -> bool:
    """Whether a packet can hold what its frames carry."""
    return all(frame_length(f) <= MOST_BYTES for f in frames)


def check_frames(record: Record, packet: wire.Packet) -> None:
    for f in packet.frames:
        if frame_length(f) > MOST_BYTES:
            raise record.error(f"{f.frame_type} frame: {frame_length(f)} bytes of data, expected at most {MOST_BYTES}")


def frame_length(frame: wire.Frame) -> int:
    """Bytes of data."""
    return (frame.raw.payload_length or 0) if frame.raw is not None else 0


def stream_part(frame: wire.Frame) -> tuple[int, int, int]:
    return frame.stream_id or 0, frame.offset or 0, frame_length(frame)


def ack_ranges(frame: wire.Frame, record: Record) -> Iterator[tuple[int, int]]:
    for r in frame.acked_ranges or []:
        if len(r) not in (1, 2) or r[0] > r[-1]:
            raise record.error(f"ack frame: range {r[:3]} is not [number] or [first, last] with first <= last")
        yield r[0], r[-1]
