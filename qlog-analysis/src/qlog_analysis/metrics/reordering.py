"""Reordering, as RFC 4737 defines it, where packets arrive; and what the sender sees of it in the order of ACKs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..model import Space, Trace
from .acks import Acks
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
    number = np.array(trace.received_number, dtype=np.int64)[own]
    time = np.array(trace.received_at, dtype=np.float64)[own]
    first = np.sort(np.unique(number, return_index=True)[1])
    return _reordering(number[first], time[first])


def by_acks(trace: Trace, acks: Acks) -> Reordering | None:
    """Of packets acknowledged: reordered is one that an ACK acknowledges after an earlier ACK had one that was sent
    later. Within an ACK there is no order."""
    number = np.array(trace.sent.number, dtype=np.int64)
    space = np.frombuffer(bytes(trace.sent.space), dtype=np.uint8)
    late = np.array(trace.came_late, dtype=np.int64)
    came = np.array(trace.came_late_at, dtype=np.float64)
    came, late = came[space[late] == Space.APPLICATION], late[space[late] == Space.APPLICATION]
    # Packets that had been declared lost come with an ACK of the same time, or with one that has no others.
    at = np.searchsorted(acks.time, came)
    with_others = np.append(acks.time, np.nan)[at] == came
    group = np.concatenate((np.repeat(np.arange(len(acks)) * 1.0, acks.count), np.where(with_others, at, at - 0.5)))
    time = np.concatenate((np.repeat(acks.time, acks.count), came))
    packet = np.concatenate((acks.packets, late))
    order = np.lexsort((number[packet], time, group))
    return _reordering(number[packet][order], time[order])


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
