"""Reads the usual records of a block into columns, in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from . import wire
from .columns import METRICS, Acks, Columns, Metrics, Received, Sent, Written
from .dialect.native import NEVER_QUICHE
from .frames import MOST_BYTES, fit, stream_part
from .model import SIGNALS, SPACE_OF_PACKET_TYPE, Space
from .record import Block


def columns_of(block: Block) -> Columns:
    rows = _Rows()
    for at, text in enumerate(block.texts):
        try:
            event = _decode(text)
        except _NOT_DECODED:
            rows.single.append(at)
            continue
        rows.take(at, event)
    return rows.columns()


class _Data(msgspec.Struct, gc=False):
    """All that is used of the events here; what one of them alone has is never of another type in the others."""

    header: wire.PacketHeader | None = None
    raw: wire.RawInfo | None = None
    frames: list[wire.Frame] = []
    stream_id: wire.Uint | None = None
    offset: wire.Uint | None = None
    source: str | None = msgspec.field(name="from", default=None)
    to: str | None = None
    min_rtt: wire.Milliseconds | None = None
    smoothed_rtt: wire.Milliseconds | None = None
    latest_rtt: wire.Milliseconds | None = None
    congestion_window: wire.Uint | None = None
    bytes_in_flight: wire.Uint | None = None
    pacing_rate: wire.Uint | None = None
    cf_lost_packets: wire.Counter | None = None


class _Event(msgspec.Struct, gc=False):
    time: float
    name: str
    data: _Data | None = None
    receive_timestamps: list[tuple[wire.Uint, wire.Uint]] | None = None


_decode = msgspec.json.Decoder(_Event).decode
_NOT_DECODED = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_NOT_IN_SENT = SIGNALS | {"reset_stream"}
_NOT_IN_RECEIVED = SIGNALS | {"stop_sending"}


class _Rows:
    """Row by row what `Columns` has as columns; the values of a row in the order that `columns` names."""

    def __init__(self) -> None:
        self.sent: list[tuple[Any, ...]] = []
        self.sent_frames: list[tuple[int, int, int]] = []
        self.received: list[tuple[Any, ...]] = []
        self.received_frames: list[tuple[int, int, int]] = []
        self.acks: list[tuple[Any, ...]] = []
        self.ranges: list[tuple[int, int]] = []
        self.told: list[tuple[int, int]] = []
        self.metrics: list[tuple[Any, ...]] = []
        self.written: list[tuple[Any, ...]] = []
        self.finished: list[tuple[int, int]] = []
        self.apart: list[int] = []
        self.single: list[int] = []
        self.end = 0.0

    def columns(self) -> Columns:
        ranges, told = _columns("low high", self.ranges), _columns("told_number told_time", self.told)
        return Columns(
            sent=Sent(
                **_columns("at time:f space:b number size ack_eliciting:b probe:b ack:b stream_frames", self.sent),
                **_columns("stream offset length", self.sent_frames),
            ),
            received=Received(
                **_columns("at time:f space:b number size stream_frames", self.received),
                **_columns("stream offset length", self.received_frames),
            ),
            acks=Acks(**_columns("at time:f space:b ack_delay:f ranges ect ce told", self.acks), **ranges, **told),
            metrics=Metrics(**_columns(f"at time:f {' '.join(f'{name}:f' for name in METRICS)}", self.metrics)),
            written=Written(**_columns("at time:f stream end", self.written)),
            finished=self.finished,
            apart=self.apart,
            single=self.single,
            end=self.end,
        )

    def take(self, at: int, event: _Event) -> None:
        taker, time = _TAKERS.get(event.name), event.time
        if not 0.0 <= time <= wire.MAX_TIME_MS or event.name in NEVER_QUICHE:
            self.single.append(at)
        elif taker is None:
            self.apart.append(at)
        elif event.data is None or not taker(self, at, time, event.data, event):
            self.single.append(at)
        elif time > self.end:
            self.end = time

    def _take_sent(self, at: int, time: float, data: _Data, _: _Event) -> bool:
        header, raw, frames = data.header, data.raw, data.frames
        if header is None or raw is None or raw.length is None or not 0 < raw.length <= MOST_BYTES:
            return False
        space, number = SPACE_OF_PACKET_TYPE.get(header.packet_type), header.packet_number
        if space is None or number is None or not fit(frames):
            return False
        if len(frames) == 1 and frames[0].frame_type == "stream":
            eliciting, probe, ack = True, False, False
        else:
            kinds = {f.frame_type for f in frames}
            if not kinds.isdisjoint(_NOT_IN_SENT):
                return False
            eliciting = not kinds <= wire.QUIET_FRAMES
            probe = kinds == wire.PROBE_FRAMES and space is Space.APPLICATION
            ack = "ack" in kinds
        streams = _take_streams(self.sent_frames, frames)
        if streams:
            self.finished += [(at, f.stream_id or 0) for f in frames if f.fin and f.frame_type == "stream"]
        self.sent.append((at, time, space, number, raw.length, eliciting, probe, ack, streams))
        return True

    def _take_received(self, at: int, time: float, data: _Data, event: _Event) -> bool:
        header, frames = data.header, data.frames
        space = SPACE_OF_PACKET_TYPE.get(header.packet_type) if header is not None else None
        if header is None or space is None or header.packet_number is None:
            return False
        size = (data.raw.length if data.raw is not None else None) or 0
        if size > MOST_BYTES or not fit(frames):
            return False
        acks = [f for f in frames if f.frame_type == "ack"]
        if len(acks) > 1 or (len(frames) > len(acks) and any(f.frame_type in _NOT_IN_RECEIVED for f in frames)):
            return False
        if acks and not self._take_ack(at, time, space, acks[0], event):
            return False
        streams = _take_streams(self.received_frames, frames) if len(frames) > len(acks) else 0
        self.received.append((at, time, space, header.packet_number, size, streams))
        return True

    def _take_ack(self, at: int, time: float, space: Space, frame: wire.Frame, event: _Event) -> bool:
        ranges = frame.acked_ranges or []
        for r in ranges:
            if len(r) not in (1, 2) or r[0] > r[-1]:
                return False
        self.ranges += [(r[0], r[-1]) for r in ranges]
        told = (event.receive_timestamps or []) if space is Space.APPLICATION else []
        self.told += told
        ect, ce = (frame.ect0 or 0) + (frame.ect1 or 0), -1 if frame.ce is None else frame.ce
        self.acks.append((at, time, space, frame.ack_delay or 0.0, len(ranges), ect, ce, len(told)))
        return True

    def _take_metrics(self, at: int, time: float, data: _Data, _: _Event) -> bool:
        latest, counter = data.latest_rtt, data.cf_lost_packets
        guess = latest is None and data.min_rtt is not None and data.min_rtt == data.smoothed_rtt
        if guess or (counter is not None and counter.total is not None):
            return False
        sizes = (data.congestion_window, data.bytes_in_flight, data.pacing_rate)
        self.metrics.append((at, time, *sizes, latest, data.smoothed_rtt, data.min_rtt))
        return True

    def _take_written(self, at: int, time: float, data: _Data, _: _Event) -> bool:
        raw, stream, offset = data.raw, data.stream_id, data.offset
        if data.source != "application" or data.to != "transport" or raw is None:
            return True
        if stream is not None and offset is not None and raw.length is not None:
            self.written.append((at, time, stream, offset + raw.length))
        return True


_TAKERS = {
    "quic:packet_sent": _Rows._take_sent,
    "quic:packet_received": _Rows._take_received,
    "quic:recovery_metrics_updated": _Rows._take_metrics,
    "quic:stream_data_moved": _Rows._take_written,
}
"""Not bound methods in a field: rows that refer to themselves are not freed while `load` has the collector off."""


def _take_streams(out: list[tuple[int, int, int]], frames: list[wire.Frame]) -> int:
    streams = [stream_part(f) for f in frames if f.frame_type == "stream"]
    out += streams
    return len(streams)


_TYPES = {"f": np.float64, "b": np.uint8, "": np.int64}


def _columns(names: str, rows: Sequence[tuple[Any, ...]]) -> dict[str, npt.NDArray[Any]]:
    """By name; a type stands behind it unless it is a whole number. None becomes NaN."""
    told = [name.partition(":") for name in names.split()]
    columns = zip(*rows, strict=True) if rows else [()] * len(told)
    return {name: np.array(c, dtype=_TYPES[kind]) for (name, _, kind), c in zip(told, columns, strict=True)}
