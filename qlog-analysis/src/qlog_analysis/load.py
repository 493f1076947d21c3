"""Builds a `Trace` from a file, in one pass."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from . import events, wire
from .errors import TraceError, TruncatedTraceError
from .model import (
    SPACE_OF_PACKET_TYPE,
    Feedback,
    ParametersEvent,
    Space,
    State,
    Trace,
    Update,
)
from .read import Record, records
from .recovery import SpaceReplay

DEFAULT_ACK_DELAY_EXPONENT = 3
"""RFC 9000 section 18.2."""

_QUIET_FRAMES = frozenset({"ack", "padding", "connection_close"})
"""Frames that are not ack-eliciting (RFC 9002 section 2)."""
_PROBE_FRAMES = frozenset({"ping", "padding"})


def load(path: Path, *, allow_truncated: bool = False) -> Trace:
    """Reads a trace. With `allow_truncated` a cut last record becomes a note instead of an error."""
    builder: _Builder | None = None
    try:
        for record in records(path):
            if builder is None:
                builder = _Builder(path, record)
            else:
                builder.add(record)
    except TruncatedTraceError as e:
        if not allow_truncated or builder is None:
            raise
        builder.trace.notes.append(f"truncated trace: {e}")
    if builder is None:
        raise TraceError(f"{path}: no record found; expected a qlog header")
    return builder.finish()


class _Builder:
    def __init__(self, path: Path, header: Record) -> None:
        self._wire = wire.Decoder()
        self.trace = Trace(path=path, header=self._wire.header(header))
        self._spaces = {space: SpaceReplay(self.trace.sent) for space in Space}
        self._last_packet_time = 0.0
        self._lost_total = 0
        self._exponent = DEFAULT_ACK_DELAY_EXPONENT
        self._raw_ack_delay: list[float] = []  # one per feedback: the exponent may become known after the first ACKs
        self._records = 1
        self._handlers: dict[str, Callable[[Record, wire.Event], None]] = {
            "quic:packet_sent": self._packet_sent,
            "quic:packet_received": self._packet_received,
            "quic:recovery_metrics_updated": self._metrics,
            "quic:congestion_state_updated": self._state,
            "quic:ecn_state_updated": self._ecn_state,
            "quic:parameters_set": self._transport_parameters,
            "cc:parameters_set": self._controller_parameters,
            **dict.fromkeys(events.UPDATES, self._update),
        }

    def add(self, record: Record) -> None:
        event = self._wire.event(record)
        self._records = record.number
        self.trace.end = max(self.trace.end, event.time / 1e3)
        handler = self._handlers.get(event.name)
        if handler is not None:
            handler(record, event)

    def finish(self) -> Trace:
        t = self.trace
        t.records = self._records
        for f, raw in zip(t.feedback, self._raw_ack_delay, strict=True):
            # quiche writes the field of the frame as it stands on the wire, in thousandths: apply the exponent.
            f.ack_delay = round(raw * 1e3) * 2.0**self._exponent * 1e-6
        return t

    # -- packets ------------------------------------------------------------------------------------------------

    def _packet(self, record: Record, event: wire.Event) -> tuple[wire.Packet, Space | None]:
        packet = self._wire.decode(event.data, wire.Packet, record, event.name)
        space = SPACE_OF_PACKET_TYPE.get(packet.header.packet_type)
        time = event.time / 1e3
        if time < self._last_packet_time:
            raise TraceError(
                f"{event.name}: time goes back from {self._last_packet_time * 1e3:.3f} to {event.time:.3f} ms; "
                "packets must be in the order of their times",
                record=record.number,
                offset=record.offset,
            )
        self._last_packet_time = time
        self._close_group(record)
        if space is not None and packet.header.packet_number is None:
            raise TraceError(
                f"{event.name}: `header.packet_number` is missing", record=record.number, offset=record.offset
            )
        return packet, space

    def _close_group(self, record: Record) -> None:
        """What comes from here on does not belong to the last feedback."""
        if self.trace.feedback and self.trace.feedback[-1].group_end > record.number:
            self.trace.feedback[-1].group_end = record.number

    def _packet_sent(self, record: Record, event: wire.Event) -> None:
        packet, space = self._packet(record, event)
        if space is None:  # Retry and Version Negotiation carry no number and no data
            return
        number = packet.header.packet_number
        assert number is not None
        replay = self._spaces[space]
        if number <= replay.last_number:
            raise TraceError(
                f"packet_sent: packet number {number} after {replay.last_number} in the {space.name.lower()} space; "
                "numbers must increase (RFC 9000 section 12.3)",
                record=record.number,
                offset=record.offset,
            )
        size = packet.raw.length if packet.raw is not None else None
        if size is None or not 0 < size <= 65535:
            raise TraceError(
                f"packet_sent: `raw.length` is {size}, expected 1 to 65535", record=record.number, offset=record.offset
            )
        sent = self.trace.sent
        replay.sent(number, len(sent))
        kinds = {f.frame_type for f in packet.frames}
        sent.record.append(record.number)
        sent.time.append(event.time / 1e3)
        sent.space.append(space)
        sent.number.append(number)
        sent.size.append(size)
        sent.ack_eliciting.append(not kinds <= _QUIET_FRAMES)
        sent.probe.append(kinds == _PROBE_FRAMES and space is Space.APPLICATION)
        sent.acked_at.append(math.nan)
        sent.first_frame.append(len(sent.frames))
        for f in packet.frames:
            if f.frame_type == "stream":
                sent.frames.append(*_stream_part(f), event.time / 1e3)

    def _packet_received(self, record: Record, event: wire.Event) -> None:
        packet, space = self._packet(record, event)
        self.trace.received_packets += 1
        for f in packet.frames:
            if f.frame_type == "ack" and space is not None:
                self._ack(record, event, space, f)
            elif f.frame_type == "stream":
                self.trace.received.append(*_stream_part(f), event.time / 1e3)

    def _ack(self, record: Record, event: wire.Event, space: Space, frame: wire.Frame) -> None:
        time = event.time / 1e3
        ranges = list(_ack_ranges(frame, record))
        newly = self._spaces[space].acked(ranges)
        self.trace.spurious_losses += newly.spurious
        lost = [] if self.trace.loss_counter else self._spaces[space].lose_by_packet_threshold()
        if not newly.packets and not lost:
            return
        t = self.trace
        start = len(t.acked)
        t.acked.extend(newly.packets)
        for p in newly.packets:
            t.sent.acked_at[p] = time
        feedback = Feedback(record.number, time, space, range(start, len(t.acked)), newly.sample, 0.0, lost)
        if frame.ce is not None:
            feedback.ecn = ((frame.ect0 or 0) + (frame.ect1 or 0), frame.ce)
        if event.receive_timestamps and space is Space.APPLICATION:
            times = dict(event.receive_timestamps)
            numbers = ((p, t.sent.number[p]) for p in newly.packets)
            feedback.received = [(p, times[n] * 1e-6) for p, n in numbers if n in times]
        t.feedback.append(feedback)
        self._raw_ack_delay.append(frame.ack_delay or 0.0)

    # -- recovery -----------------------------------------------------------------------------------------------

    def _metrics(self, record: Record, event: wire.Event) -> None:
        data = self._wire.decode(event.data, wire.MetricsUpdated, record, event.name)
        time = event.time / 1e3
        if data.cf_lost_packets is not None and data.cf_lost_packets.total is not None:
            self._count_losses(record, time, data.cf_lost_packets.total)
        m = self.trace.metrics
        m.record.append(record.number)
        m.time.append(time)
        # Before the first RTT sample quiche writes the initial guess of 333 ms as minimum and mean: leave it out.
        sampled = data.latest_rtt is not None or (len(m.latest_rtt) > 0 and not math.isnan(m.latest_rtt[-1]))
        _carry(m.congestion_window, data.congestion_window)
        _carry(m.bytes_in_flight, data.bytes_in_flight)
        _carry(m.pacing_rate, data.pacing_rate, 8.0)
        _carry(m.latest_rtt, data.latest_rtt, 1e-3)
        _carry(m.smoothed_rtt, data.smoothed_rtt if sampled else None, 1e-3)
        _carry(m.min_rtt, data.min_rtt if sampled else None, 1e-3)
        m.lost_packets.append(float(self._lost_total) if self.trace.loss_counter else math.nan)

    def _count_losses(self, record: Record, time: float, total: int) -> None:
        t = self.trace
        t.loss_counter = True
        count = total - self._lost_total
        if count < 0:
            raise TraceError(
                f"recovery_metrics_updated: the counter of lost packets falls from {self._lost_total} to {total}",
                record=record.number,
                offset=record.offset,
            )
        self._lost_total = total
        if count == 0:
            return
        last = t.feedback[-1] if t.feedback else None
        if last is not None and last.group_end > record.number and last.time == time:
            last.lost.extend(self._spaces[last.space].lose_oldest(count - len(last.lost)))
            found = len(last.lost)
        else:
            found = self._loss_by_timer(record, time, count)
        if found < count:
            t.notes.append(
                f"record {record.number}: {count} packets were counted as lost, but only {found} were outstanding"
            )

    def _loss_by_timer(self, record: Record, time: float, count: int) -> int:
        found = 0
        for space in reversed(Space):
            lost = self._spaces[space].lose_oldest(count - found)
            if lost:
                self._close_group(record)
                self.trace.feedback.append(Feedback(record.number, time, space, range(0), -1, 0.0, lost))
                self._raw_ack_delay.append(0.0)
                found += len(lost)
        return found

    # -- controller and transport -------------------------------------------------------------------------------

    def _state(self, record: Record, event: wire.Event) -> None:
        data = self._wire.decode(event.data, wire.StateUpdated, record, event.name)
        self.trace.states.append(State(record.number, event.time / 1e3, data.new))

    def _ecn_state(self, record: Record, event: wire.Event) -> None:
        data = self._wire.decode(event.data, wire.StateUpdated, record, event.name)
        self.trace.ecn_states.append((record.number, data.new))

    def _transport_parameters(self, record: Record, event: wire.Event) -> None:
        data = self._wire.decode(event.data, wire.TransportParameters, record, event.name)
        if data.initiator != "remote":
            return
        if data.ack_delay_exponent is not None:
            self._exponent = data.ack_delay_exponent
        if data.max_ack_delay is not None:
            self.trace.peer_max_ack_delay = data.max_ack_delay / 1e3
        if data.max_udp_payload_size is not None:
            self.trace.peer_max_udp_payload_size = data.max_udp_payload_size

    def _controller_parameters(self, record: Record, event: wire.Event) -> None:
        data = self._wire.decode(event.data, events.ControllerParameters, record, event.name)
        kind = events.PARAMETERS.get(data.controller)
        parameters = kind and self._wire.decode(data.parameters, kind, record, f"{event.name}: parameters")
        data.parameters = msgspec.Raw(b"{}")
        self.trace.parameters.append(ParametersEvent(record.number, event.time / 1e3, data, parameters))

    def _update(self, record: Record, event: wire.Event) -> None:
        data: Any = self._wire.decode(event.data, events.UPDATES[event.name], record, event.name)
        self.trace.updates.append(Update(record.number, event.time / 1e3, data))


def _carry(column: array[float], value: float | None, unit: float = 1.0) -> None:
    if value is not None:
        column.append(value * unit)
    else:
        column.append(column[-1] if len(column) else math.nan)


def _stream_part(frame: wire.Frame) -> tuple[int, int, int]:
    length = frame.raw.payload_length if frame.raw is not None else None
    return frame.stream_id or 0, frame.offset or 0, length or 0


def _ack_ranges(frame: wire.Frame, record: Record) -> Iterator[tuple[int, int]]:
    for r in frame.acked_ranges or []:
        if len(r) not in (1, 2) or r[0] > r[-1]:
            raise TraceError(
                f"ack frame: range {r[:3]} is not [number] or [first, last] with first <= last",
                record=record.number,
                offset=record.offset,
            )
        yield r[0], r[-1]
