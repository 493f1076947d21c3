"""Builds a `Trace` from events, in one pass."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from . import events, wire
from .arrays import Floats
from .broken import Broken
from .dialect import Dialect
from .errors import TraceError, UnsuitableTraceError
from .frames import MOST_BYTES, ack_ranges, check_frames, stream_part
from .model import (
    NO_SPACE,
    SIGNALS,
    SPACE_OF_PACKET_TYPE,
    Feedback,
    FirstLimits,
    LossesFrom,
    Miscount,
    ParametersEvent,
    Signal,
    Space,
    State,
    Trace,
    Update,
)
from .nearby import similar_events
from .packed import PIECE, Column
from .progress import Progress
from .record import Record
from .recovery import LossCounters, SpaceReplay

DEFAULT_ACK_DELAY_EXPONENT = 3
"""RFC 9000 section 18.2."""

BEYOND = 60.0
"""s. An event that is only counted does not make the trace longer by more: its time may be damaged."""

_BEGIN_ANEW = frozenset({"retry", "version_negotiation"})
"""Packets after which the client sends its first packets again. RFC 9000 (section 17.2.5.3) goes on with the numbers
after a Retry; older drafts, and what answers a Version Negotiation with a new connection, begin at 0."""


class Builder:
    def __init__(self, path: Path, dialect: Dialect, *, losses_by_threshold: bool) -> None:
        self._dialect = dialect
        self.trace = Trace(path=path, header=dialect.header, writer=dialect.writer, native=dialect.strict)
        self.progress = Progress(self.trace, losses_by_threshold)
        self._begun_anew = False
        self._counters = LossCounters()
        self._exponent = DEFAULT_ACK_DELAY_EXPONENT
        self._others: Counter[str] = Counter()
        self._pack_at = PIECE
        self._handlers: dict[str, Callable[[Record, wire.Event], None]] = {
            "quic:packet_sent": self._packet_sent,
            "quic:packet_received": self._packet_received,
            "quic:recovery_metrics_updated": self._metrics,
            "quic:congestion_state_updated": self._state,
            "quic:packet_lost": self._packet_lost,
            "quic:ecn_state_updated": self._ecn_state,
            "quic:stream_data_moved": self._data_moved,
            "quic:parameters_set": self._transport_parameters,
            "cc:parameters_set": self._controller_parameters,
            "cc:controller_chosen": self._controller_chosen,
            "cc:estimate_updated": self._estimate,
            **dict.fromkeys(events.UPDATES, self._update),
        }

    def add(self, record: Record, event: wire.Event, broken: Broken) -> None:
        """`broken` is told if the event contradicts itself or those before it."""
        self.progress.seen(record.number)
        handler = self._handlers.get(event.name)
        if handler is None:
            self._others[event.name] += 1
            if event.time / 1e3 <= self.trace.end + BEYOND:
                self.trace.end = max(self.trace.end, event.time / 1e3)
            return
        try:
            handler(record, event)
        except TraceError as e:
            broken(e)
        else:
            self.trace.end = max(self.trace.end, event.time / 1e3)

    def pack(self) -> None:
        """Where enough has come since the last time; after every piece of the file."""
        if self.progress.records >= self._pack_at:
            self.trace.pack()
            self._pack_at = self.progress.records + PIECE

    @property
    def has_packets(self) -> bool:
        return bool(self.trace.sent.time or self.trace.received_packets)

    def finish(self) -> Trace:
        t = self.trace
        t.records = self.progress.records
        t.others = dict(self._others.most_common())
        t.writer = self._dialect.writer  # some do not name themselves, and are known by what they write
        t.reference = self._dialect.reference
        if not self.has_packets:
            raise UnsuitableTraceError(self._why_empty())
        if self.progress.losses_by_threshold:
            t.losses_from = LossesFrom.THRESHOLD
        t.ack_delay_exponent = self._exponent
        t.feedback.ack_delay = t.feedback.ack_delay.mapped(self._seconds)
        t.pack()
        return t

    def _seconds(self, ack_delay: Floats) -> Floats:
        """Of what ACK frames have: the exponent may become known after the first of them."""
        if self._dialect.writer.encoded_ack_delay:
            return np.asarray(np.rint(ack_delay * 1e3) * 2.0**self._exponent * 1e-6)
        return ack_delay * 1e-3

    def _why_empty(self) -> str:
        seen = ", ".join(f"{name} ({count})" for name, count in self._others.most_common(5))
        return (
            "no packet was sent or received in this trace, there is nothing to measure: expected events "
            "`packet_sent` and `packet_received` of the category `quic` or `transport`, "
            + (f"found {self.progress.records - 1} others, as {seen}" if seen else "found none")
            + similar_events(list(self._others))
        )

    # -- packets ------------------------------------------------------------------------------------------------

    def _packet(self, record: Record, event: wire.Event) -> tuple[wire.Packet, Space | None]:
        packet = self._dialect.packet(record, event)
        space = SPACE_OF_PACKET_TYPE.get(packet.header.packet_type)
        time = event.time / 1e3
        if time < self.progress.last_packet_time:
            raise record.error(
                f"{event.name}: time goes back from {self.progress.last_packet_time * 1e3:.3f} to {event.time:.3f} ms; "
                "packets must be in the order of their times"
            )
        self.progress.last_packet_time = time
        self.progress.close_group(record.number)
        if space is not None and packet.header.packet_number is None:
            raise record.error(f"{event.name}: `header.packet_number` is missing")
        return packet, space

    def _packet_sent(self, record: Record, event: wire.Event) -> None:
        packet, space = self._packet(record, event)
        if space is None:  # Retry and Version Negotiation carry no number and no data
            return
        number = packet.header.packet_number
        assert number is not None
        replay = self.progress.spaces[space]
        if number <= replay.last_number and self._begun_anew and replay.largest_acked < 0:
            replay = self.progress.spaces[space] = SpaceReplay(self.trace.sent)
        if number <= replay.last_number:
            raise record.error(
                f"packet_sent: packet number {number} after {replay.last_number} in the {space.name.lower()} space; "
                "numbers must increase (RFC 9000 section 12.3)"
            )
        size = packet.raw.length if packet.raw is not None else None
        if size is None and not self._dialect.strict:
            size = 0
            self.trace.sizes_known = False
        elif size is None or not 0 < size <= MOST_BYTES:
            raise record.error(f"packet_sent: `raw.length` is {size}, expected 1 to {MOST_BYTES}")
        check_frames(record, packet)
        sent = self.trace.sent
        replay.sent(number, len(sent))
        kinds = {f.frame_type for f in packet.frames}
        self.trace.frames_known |= bool(kinds)
        sent.record.append(record.number)
        sent.time.append(event.time / 1e3)
        sent.space.append(space)
        sent.number.append(number)
        sent.size.append(size)
        sent.ack_eliciting.append(not kinds <= wire.QUIET_FRAMES)
        sent.probe.append(kinds == wire.PROBE_FRAMES and space is Space.APPLICATION)
        sent.ack.append("ack" in kinds)
        sent.first_frame.append(len(sent.frames))
        for f in packet.frames:
            if f.frame_type == "stream":
                sent.frames.append(*stream_part(f), event.time / 1e3)
                if f.fin:
                    self.trace.finished.add(f.stream_id or 0)
            elif f.frame_type in SIGNALS:
                self._signal(record, event, f, sent=True)
            elif f.frame_type == "reset_stream":
                self._abandoned(record, event, f)

    def _packet_received(self, record: Record, event: wire.Event) -> None:
        packet, space = self._packet(record, event)
        size = (packet.raw.length if packet.raw is not None else None) or 0
        if size > MOST_BYTES:
            raise record.error(f"packet_received: `raw.length` is {size}, expected at most {MOST_BYTES}")
        check_frames(record, packet)
        self.trace.received_packets += 1
        self._begun_anew |= packet.header.packet_type in _BEGIN_ANEW
        self.trace.frames_known |= bool(packet.frames)
        self.trace.received_at.append(event.time / 1e3)
        self.trace.received_space.append(NO_SPACE if space is None else space)
        self.trace.received_number.append(packet.header.packet_number or 0)
        self.trace.received_size.append(size)
        for f in packet.frames:
            if f.frame_type == "ack" and space is not None:
                self._ack(record, event, space, f)
            elif f.frame_type == "stream":
                self.trace.received.append(*stream_part(f), event.time / 1e3)
            elif f.frame_type in SIGNALS:
                self._signal(record, event, f, sent=False)
            elif f.frame_type == "stop_sending":
                self._abandoned(record, event, f)

    def _data_moved(self, record: Record, event: wire.Event) -> None:
        moved = self._dialect.decode(event.data, wire.DataMoved, record, event.name)
        length = moved.raw.length if moved.raw is not None else None
        if (moved.source, moved.to) != ("application", "transport") or None in (moved.stream_id, moved.offset, length):
            return
        written = self.trace.written
        written.record.append(record.number)
        written.time.append(event.time / 1e3)
        written.stream.append(moved.stream_id or 0)
        written.end.append((moved.offset or 0) + (length or 0))

    def _signal(self, record: Record, event: wire.Event, frame: wire.Frame, *, sent: bool) -> None:
        limit = frame.maximum if frame.maximum is not None else frame.limit
        time = event.time / 1e3
        signal = Signal(record.number, time, frame.frame_type, sent, frame.stream_id, limit, frame.reason)
        self.trace.signals.append(signal)

    def _abandoned(self, record: Record, event: wire.Event, frame: wire.Frame) -> None:
        self.trace.abandoned.setdefault(frame.stream_id or 0, (record.number, event.time / 1e3))

    def _ack(self, record: Record, event: wire.Event, space: Space, frame: wire.Frame) -> None:
        time = event.time / 1e3
        self.trace.ack_frames += 1
        ranges = list(ack_ranges(frame, record))
        newly = self.progress.spaces[space].acked(ranges)
        self.trace.spurious_losses += len(newly.spurious)
        self.trace.came_late.extend(newly.spurious)
        self.trace.came_late_at.extend([time] * len(newly.spurious))
        lost = [] if not self.progress.losses_by_threshold else self.progress.spaces[space].lose_by_packet_threshold()
        if not newly.packets and not lost:
            return
        t = self.trace
        start = len(t.acked)
        for p in newly.packets:
            t.acked.append(p)
        acked, delay = range(start, start + len(newly.packets)), frame.ack_delay or 0.0
        feedback = Feedback(record.number, time, space, acked, newly.sample, delay, lost)
        if frame.ce is not None:
            feedback.ecn = ((frame.ect0 or 0) + (frame.ect1 or 0), frame.ce)
        if event.receive_timestamps and space is Space.APPLICATION:
            times = dict(event.receive_timestamps)
            numbers = ((p, t.sent.number[p]) for p in newly.packets)
            feedback.received = [(p, times[n] * 1e-6) for p, n in numbers if n in times]
        t.feedback.append(feedback)

    # -- recovery -----------------------------------------------------------------------------------------------

    def _metrics(self, record: Record, event: wire.Event) -> None:
        data = self._dialect.metrics(record, event)
        time = event.time / 1e3
        if data.cf_lost_packets is not None and data.cf_lost_packets.total is not None:
            self._count_losses(record, time, data.cf_lost_packets)
        m = self.trace.metrics
        m.record.append(record.number)
        m.time.append(time)
        # Before the first sample of a path quiche writes a guess of 333 ms as minimum and mean: leave it out.
        if data.latest_rtt is not None:
            self.progress.rtt_known = True
        elif data.is_guess:
            self.progress.rtt_known = False
        _carry(m.congestion_window, data.congestion_window)
        _carry(m.bytes_in_flight, data.bytes_in_flight)
        _carry(m.pacing_rate, data.pacing_rate, self._dialect.writer.pacing_unit)
        for column, value in (
            (m.latest_rtt, data.latest_rtt),
            (m.smoothed_rtt, data.smoothed_rtt),
            (m.min_rtt, data.min_rtt),
        ):
            if self.progress.rtt_known:
                _carry(column, value, 1e-3)
            else:
                column.append(math.nan)
        counted = self.trace.losses_from is LossesFrom.COUNTER
        m.lost_packets.append(float(self.progress.lost_total) if counted else math.nan)

    def _count_losses(self, record: Record, time: float, counter: wire.Counter) -> None:
        t = self.trace
        t.losses_from = LossesFrom.COUNTER
        self.progress.losses_by_threshold = False
        count = self._counters.advance(counter)
        if count < 0:
            raise record.error(f"recovery_metrics_updated: the counter of lost packets falls by {-count}")
        self.progress.lost_total += count
        if count == 0:
            return
        last = t.feedback.newest
        if last is not None and last.group_end > record.number and last.time == time:
            more = self.progress.spaces[last.space].lose_oldest(count - last.lost)
            found = last.lost + len(more)
            t.feedback.lose(more)
        else:
            found = self._loss_by_timer(record, time, count)
        if found < count:
            t.miscounted.append(Miscount(record.number, time, count, found))
            t.notes.append(f"record {record.number}: {t.miscounted[-1]}")

    def _loss_by_timer(self, record: Record, time: float, count: int) -> int:
        found = 0
        for space in reversed(Space):
            lost = self.progress.spaces[space].lose_oldest(count - found)
            if lost:
                self.progress.close_group(record.number)
                self.trace.feedback.append(Feedback(record.number, time, space, range(0), -1, 0.0, lost))
                found += len(lost)
        return found

    def _packet_lost(self, record: Record, event: wire.Event) -> None:
        """An event of a writer that tells its losses itself."""
        self.trace.losses_from = LossesFrom.EVENTS
        data = self._dialect.lost(record, event)
        time = event.time / 1e3
        if data.number is None:
            self._loss_by_timer(record, time, data.count)
            return
        space = SPACE_OF_PACKET_TYPE.get(data.packet_type)
        position = None if space is None else self.progress.spaces[space].lose(data.number)
        if space is None or position is None:
            return
        last = self.trace.feedback.newest
        if last is not None and last.time == time and last.space is space:
            self.trace.feedback.lose([position])
        else:
            self.trace.feedback.append(Feedback(record.number, time, space, range(0), -1, 0.0, [position]))

    # -- controller and transport -------------------------------------------------------------------------------

    def _state(self, record: Record, event: wire.Event) -> None:
        data = self._dialect.state(record, event)
        if data is not None:
            self.trace.states.append(State(record.number, event.time / 1e3, data.new))

    def _ecn_state(self, record: Record, event: wire.Event) -> None:
        data = self._dialect.state(record, event)
        if data is not None:
            self.trace.ecn_states.append((record.number, data.new))

    def _transport_parameters(self, record: Record, event: wire.Event) -> None:
        data = self._dialect.parameters(record, event)
        if data.initiator != "remote":
            return
        if data.ack_delay_exponent is not None:
            self._exponent = data.ack_delay_exponent
        if data.max_ack_delay is not None:
            self.trace.peer_max_ack_delay = data.max_ack_delay / 1e3
        if data.max_udp_payload_size is not None:
            self.trace.peer_max_udp_payload_size = data.max_udp_payload_size
        if data.initial_max_data is not None:
            self.trace.first_limits = FirstLimits(
                data.initial_max_data,
                data.initial_max_stream_data_bidi_local or 0,
                data.initial_max_stream_data_bidi_remote or 0,
                data.initial_max_stream_data_uni or 0,
            )

    def _controller_chosen(self, record: Record, event: wire.Event) -> None:
        self.trace.chosen.append(self._dialect.decode(event.data, events.ControllerChosen, record, event.name))

    def _controller_parameters(self, record: Record, event: wire.Event) -> None:
        data = self._dialect.decode(event.data, events.ControllerParameters, record, event.name)
        kind, what = events.PARAMETERS.get(data.controller), f"{event.name}: parameters"
        parameters = kind and self._controllers_own(data.parameters, kind, record, what)
        data.parameters = msgspec.Raw(b"{}")
        self.trace.parameters.append(ParametersEvent(record.number, event.time / 1e3, data, parameters))

    def _update(self, record: Record, event: wire.Event) -> None:
        data = self._controllers_own(event.data, events.UPDATES[event.name], record, event.name)
        self.trace.updates.append(Update(record.number, event.time / 1e3, data))

    def _estimate(self, record: Record, event: wire.Event) -> None:
        data = self._dialect.decode(event.data, events.Estimate, record, event.name)
        self.trace.estimates.append(Update(record.number, event.time / 1e3, data))

    def _controllers_own(self, data: msgspec.Raw, kind: type, record: Record, what: str) -> Any:
        if kind in events.PAPERS:
            kind = self._dialect.decode(data, events.PaperMarks, record, what).choose(kind)
        return self._dialect.decode(data, kind, record, what)


def _carry(column: Column[float], value: float | None, unit: float = 1.0) -> None:
    if value is not None:
        column.append(value * unit)
    else:
        column.append(column.open[-1] if column.open else math.nan)
