"""Reordering, as RFC 4737 defines it, where packets arrive; and what the sender sees of it in the order of ACKs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..model import Space, Trace
from ..packed import floats, ints, take
from .acks import acks_in_parts
from .distribution import Distribution


@dataclass(frozen=True, slots=True)
class Reordering:
    packets: int
    reordered_packets: int
    reordered_percent: float
    """RFC 4737 section 4.1."""
    extent_packets: Distribution
    """Of reordered packets: how many places before them the first packet came that was sent later (section 4.2.1)."""
    late_ms: Distribution
    """How much sooner it came (section 4.3)."""


def received(trace: Trace) -> Reordering | None:
    """Of packets received in the application packet number space; None if there are none. Duplicates do not count."""
    own = np.frombuffer(bytes(trace.received_space), dtype=np.uint8) == Space.APPLICATION
    number, time = (np.asarray(column)[own] for column in (trace.received_number, trace.received_at))
    if not (number[1:] > number[:-1]).all():
        first = np.sort(np.unique(number, return_index=True)[1])
        number, time = number[first], time[first]
    return _reordering(number, time)


def by_acks(trace: Trace) -> Reordering | None:
    """Of packets acknowledged: reordered is one that an ACK acknowledges after an earlier ACK had one that was sent
    later. Within an ACK there is no order."""
    space = np.frombuffer(bytes(trace.sent.space), dtype=np.uint8)
    late = np.array(trace.came_late, dtype=np.int64)
    came = np.array(trace.came_late_at, dtype=np.float64)
    came, late = came[space[late] == Space.APPLICATION], late[space[late] == Space.APPLICATION]
    numbers, times, ack_times, counts = ints(), floats(), floats(), ints()
    for acks in acks_in_parts(trace):
        time = np.repeat(acks.time, acks.count)
        number = take(trace.sent.number, acks.packets)
        for column, values in ((numbers, number), (times, time), (ack_times, acks.time), (counts, acks.count)):
            column.extend(values)
            column.pack()
    if not len(late):
        return _reordering(np.asarray(numbers), np.asarray(times))
    # Packets that had been declared lost come with an ACK of the same time, or with one that has no others.
    ack_time = np.asarray(ack_times)
    at = np.searchsorted(ack_time, came)
    with_others = np.append(ack_time, np.nan)[at] == came
    group = np.concatenate(
        (np.repeat(np.arange(len(ack_time)) * 1.0, np.asarray(counts)), np.where(with_others, at, at - 0.5))
    )
    time = np.concatenate((np.asarray(times), came))
    number = np.concatenate((np.asarray(numbers), take(trace.sent.number, late)))
    order = np.lexsort((number, time, group))
    return _reordering(number[order], time[order])


def _reordering(number: Ints, time: Floats) -> Reordering | None:
    """Of packets in the order in which they came; those that came at once in that of their numbers."""
    if not len(number):
        return None
    largest = np.maximum.accumulate(number)
    late = np.flatnonzero(number < largest)
    overtaker = np.searchsorted(largest, number[late], side="right")  # the first that was sent later
    return Reordering(
        packets=len(number),
        reordered_packets=len(late),
        reordered_percent=100.0 * len(late) / len(number),
        extent_packets=Distribution.of_values(late - overtaker),
        late_ms=Distribution.of(time[late] - time[overtaker]),
    )
