"""A part of a block of records, as rows of columns, and what it adds to a trace. What each event means stands in
`Builder`, which takes them one by one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .arrays import Floats, Ints
from .columns import METRICS, RTTS, Columns, Packets, forward_filled
from .model import NEVER, LossesFrom, Space, StreamFrames
from .packed import Column
from .progress import Progress
from .recovery import AckedTogether, AckRanges


@dataclass(frozen=True, slots=True)
class Whole:
    """A block, with what is needed of it for every part."""

    columns: Columns
    frames_sent: Ints
    """Where the STREAM frames of each row begin, and where the last one's end."""
    frames_received: Ints
    ranges: Ints
    """Likewise of ACKs."""
    told: Ints
    packet_at: Ints
    """Places and times (s) of the packets of both directions."""
    packet_time: Floats

    @classmethod
    def of(cls, columns: Columns) -> Whole:
        sent, received, acks = columns.sent, columns.received, columns.acks
        at, time = np.concatenate((sent.at, received.at)), np.concatenate((sent.time, received.time))
        order = np.argsort(at, kind="stable")
        counts = (sent.stream_frames, received.stream_frames, acks.ranges, acks.told)
        frames_sent, frames_received, ranges, told = (np.concatenate(([0], np.cumsum(c))) for c in counts)
        return cls(columns, frames_sent, frames_received, ranges, told, at[order], time[order] / 1e3)


class BlockPart:
    def __init__(self, progress: Progress, whole: Whole, number: int, first: int, end: int) -> None:
        """Of records from `first` up to, and without, `end`; `number` is that of the block's first record."""
        self._progress = progress
        self._trace = progress.trace
        self._whole = whole
        self._columns = columns = whole.columns
        self._number = number
        self._first, self._end = first, end
        self._sent = columns.sent.between(first, end)
        self._received = columns.received.between(first, end)
        self._acks = columns.acks.between(first, end)
        self._range_counts = columns.acks.ranges[self._acks]
        self._ranges = _part(whole.ranges, self._acks)
        packets = slice(*np.searchsorted(whole.packet_at, (first, end)).tolist())
        self._packet_records, self._packet_times = whole.packet_at[packets] + number, whole.packet_time[packets]
        self._of_space = self._sent_by_space()

    # -- whether it is as it should be --------------------------------------------------------------------------

    @property
    def usual(self) -> bool:
        """Whether nothing contradicts itself or what was before, and enough was told before."""
        if self._progress.losses_by_threshold or not self._trace.frames_known:
            return False
        return self._in_order() and self._numbers_increase() and self._acks_are_for_sent_packets()

    def _in_order(self) -> bool:
        time = self._packet_times
        return not len(time) or bool(time[0] >= self._progress.last_packet_time and (time[1:] >= time[:-1]).all())

    def _numbers_increase(self) -> bool:
        for space, (_, number) in self._of_space.items():
            if number[0] <= self._progress.spaces[space].last_number or not (number[1:] > number[:-1]).all():
                return False
        return True

    def _sent_by_space(self) -> dict[Space, tuple[Ints, Ints]]:
        """Places among the packets that are sent in this part, and numbers, of those of a space that has any."""
        of, number = self._columns.sent.space[self._sent], self._columns.sent.number[self._sent]
        if len(of) and (of == of[0]).all():
            return {Space(int(of[0])): (np.arange(len(of)), number)}
        own = ((space, np.flatnonzero(of == space)) for space in Space)
        return {space: (places, number[places]) for space, places in own if len(places)}

    def _acks_are_for_sent_packets(self) -> bool:
        """Nor are there ACKs of several packet number spaces, as in a handshake."""
        acks = self._columns.acks
        spaces = acks.space[self._acks]
        if not len(spaces) or (spaces != spaces[0]).any():
            return not len(spaces)
        space = Space(int(spaces[0]))
        nothing = np.empty(0, dtype=np.int64)
        own, number = self._of_space.get(space, (nothing, nothing))
        before = np.searchsorted(self._columns.sent.at[self._sent][own], acks.at[self._acks])
        newest = np.concatenate(([self._progress.spaces[space].last_number], number))[before]
        return bool((acks.high[self._ranges] <= np.repeat(newest, self._range_counts)).all())

    # -- what it adds -------------------------------------------------------------------------------------------

    def take(self) -> None:
        if len(self._packet_records):
            self._progress.close_group(int(self._packet_records[0]))
            self._progress.last_packet_time = float(self._packet_times[-1])
        self._take_sent()
        self._take_received()
        if self._acks.stop > self._acks.start:
            self._take_acks()
        self._take_metrics()
        self._take_written()

    def _take_sent(self) -> None:
        sent, columns, rows = self._trace.sent, self._columns.sent, self._sent
        for space, (own, number) in self._of_space.items():
            self._progress.spaces[space].sent_together(number, len(sent) + own)
        time, counts = columns.time[rows] / 1e3, columns.stream_frames[rows]
        sent.record.extend(columns.at[rows] + self._number)
        sent.time.extend(time)
        sent.space += columns.space[rows].tobytes()
        sent.number.extend(columns.number[rows])
        sent.size.extend(columns.size[rows])
        sent.ack_eliciting += columns.ack_eliciting[rows].tobytes()
        sent.probe += columns.probe[rows].tobytes()
        sent.ack += columns.ack[rows].tobytes()
        sent.first_frame.extend(len(sent.frames) + np.cumsum(counts) - counts)
        _take_frames(sent.frames, columns, rows, _part(self._whole.frames_sent, rows), time)
        self._trace.finished.update(s for at, s in self._columns.finished if self._first <= at < self._end)

    def _take_received(self) -> None:
        trace, columns, rows = self._trace, self._columns.received, self._received
        time = columns.time[rows] / 1e3
        trace.received_packets += len(time)
        trace.received_at.extend(time)
        trace.received_space += columns.space[rows].tobytes()
        trace.received_number.extend(columns.number[rows])
        trace.received_size.extend(columns.size[rows])
        _take_frames(trace.received, columns, rows, _part(self._whole.frames_received, rows), time)

    def _take_acks(self) -> None:
        trace, acks = self._trace, self._columns.acks
        trace.ack_frames += self._acks.stop - self._acks.start
        space = Space(int(acks.space[self._acks.start]))
        which = np.repeat(np.arange(self._acks.start, self._acks.stop), self._range_counts)
        ranges = AckRanges(which, acks.low[self._ranges], acks.high[self._ranges])
        acked = self._progress.spaces[space].acked_together(ranges)
        trace.spurious_losses += len(acked.spurious)
        trace.came_late.extend(acked.spurious)
        trace.came_late_at.extend(acks.time[acked.spurious_ack] / 1e3)
        if len(acked.ack):
            self._add_feedback(space, acked)

    def _add_feedback(self, space: Space, acked: AckedTogether) -> None:
        trace, acks = self._trace, self._columns.acks
        record, time = acks.at[acked.ack] + self._number, acks.time[acked.ack] / 1e3
        begin = acked.begin + len(trace.acked)
        end = np.append(begin[1:], len(trace.acked) + len(acked.packets))
        following = np.append(self._packet_records, NEVER)[np.searchsorted(self._packet_records, record, side="right")]
        place, packet, received = self._received_times(acked)
        feedback, known = trace.feedback, len(trace.feedback.received_packet)
        feedback.record.extend(record)
        feedback.time.extend(time)
        feedback.space += bytes([space]) * len(record)
        feedback.acked_end.extend(end)
        feedback.sample.extend(acked.sample)
        feedback.ack_delay.extend(acks.ack_delay[acked.ack])
        feedback.ect.extend(acks.ect[acked.ack])
        feedback.ce.extend(acks.ce[acked.ack])
        feedback.group_end.extend(following)
        feedback.received_end.extend(known + np.cumsum(np.bincount(place, minlength=len(record))))
        feedback.received_packet.extend(packet)
        feedback.received_time.extend(received)
        trace.acked.extend(acked.packets)

    def _received_times(self, acked: AckedTogether) -> tuple[Ints, Ints, Floats]:
        """`Feedback.received`: place in `acked`, packet and time."""
        acks = self._columns.acks
        some = _part(self._whole.told, self._acks)
        if some.start == some.stop:
            nothing = np.empty(0, dtype=np.int64)
            return nothing, nothing, np.empty(0)
        of_ack = np.repeat(np.arange(self._acks.start, self._acks.stop), acks.told[self._acks])
        place = np.repeat(np.arange(len(acked.ack)), np.diff(np.append(acked.begin, len(acked.packets))))
        number = self._trace.sent.number.take(acked.packets)
        order = np.argsort(number)
        found = np.minimum(np.searchsorted(number[order], acks.told_number[some]), len(order) - 1)
        at = order[found]
        same = (number[at] == acks.told_number[some]) & (acked.ack[place[at]] == of_ack)
        time = np.full(len(number), -1, dtype=np.int64)
        time[at[same]] = acks.told_time[some][same]  # of a number that is told twice the last one counts
        told = np.flatnonzero(time >= 0)
        seconds = np.asarray(time[told] * 1e-6, dtype=np.float64)
        return place[told].astype(np.int64), acked.packets[told], seconds

    def _take_metrics(self) -> None:
        columns, m = self._columns.metrics, self._trace.metrics
        rows = columns.between(self._first, self._end)
        length = rows.stop - rows.start
        if not length:
            return
        m.record.extend(columns.at[rows] + self._number)
        m.time.extend(columns.time[rows] / 1e3)
        known = self._rtts_known_from(rows, length)
        for name in METRICS:
            value: Floats = getattr(columns, name)[rows]
            if name in RTTS:
                value = np.where(np.arange(length) >= known, value * 1e-3, np.nan)
            elif name == "pacing_rate":
                value = value * self._trace.writer.pacing_unit
            column: Column[float] = getattr(m, name)
            column.extend(forward_filled(value, column.open[-1] if column.open else math.nan))
        counted = self._trace.losses_from is LossesFrom.COUNTER
        m.lost_packets.extend(np.full(length, float(self._progress.lost_total) if counted else math.nan))

    def _rtts_known_from(self, rows: slice, length: int) -> int:
        """The first row of these from which RTTs are more than a guess."""
        if self._progress.rtt_known:
            return 0
        told = np.flatnonzero(~np.isnan(self._columns.metrics.latest_rtt[rows]))
        self._progress.rtt_known = len(told) > 0
        return int(told[0]) if len(told) else length

    def _take_written(self) -> None:
        columns, written = self._columns.written, self._trace.written
        rows = columns.between(self._first, self._end)
        written.record.extend(columns.at[rows] + self._number)
        written.time.extend(columns.time[rows] / 1e3)
        written.stream.extend(columns.stream[rows])
        written.end.extend(columns.end[rows])


def _part(begins: Ints, rows: slice) -> slice:
    """What belongs to these rows."""
    return slice(int(begins[rows.start]), int(begins[rows.stop]))


def _take_frames(out: StreamFrames, columns: Packets, rows: slice, part: slice, time: Floats) -> None:
    out.stream.extend(columns.stream[part])
    out.offset.extend(columns.offset[part])
    out.length.extend(columns.length[part])
    out.time.extend(np.repeat(time, columns.stream_frames[rows]))
