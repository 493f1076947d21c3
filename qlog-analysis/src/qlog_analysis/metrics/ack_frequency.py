"""How often ACKs come, or are sent, for how much, and how many of them come together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..model import Space, Trace
from ..packed import Column, differences, floats, ints, parts, take
from .acks import acks_in_parts
from .distribution import Distribution

TOGETHER = 1e-4
"""s; ACKs of a batch follow one another within this,"""
FASTER = 4.0
"""and so many times as fast as the path ever delivered what they acknowledge: a medium or a host held them back."""


@dataclass(frozen=True, slots=True)
class AckFrequency:
    """ACKs of the application packet number space that are the first to acknowledge something."""

    acks: int
    packets_per_ack: Distribution
    bytes_per_ack: Distribution | None
    gap_ms: Distribution
    """From one to the next."""


@dataclass(frozen=True, slots=True)
class AckColumns:
    """One of each ACK."""

    time: Column[float]
    packets: Column[int]
    size: Column[float]
    """Bytes that it acknowledges."""

    @classmethod
    def of(cls, trace: Trace) -> AckColumns:
        out = cls(floats(), ints(), floats())
        for acks in acks_in_parts(trace):
            size = acks.sums(take(trace.sent.size, acks.packets).astype(np.float64))
            for column, values in ((out.time, acks.time), (out.packets, acks.count), (out.size, size)):
                column.extend(values)
                column.pack()
        return out

    def gaps(self) -> Floats:
        return np.diff(np.asarray(self.time, dtype=np.float64))


def received(trace: Trace, acks: AckColumns) -> AckFrequency | None:
    if not len(acks.time):
        return None
    return AckFrequency(
        acks=len(acks.time),
        packets_per_ack=Distribution.of_parts(lambda: parts(acks.packets)),
        bytes_per_ack=Distribution.of_parts(lambda: parts(acks.size)) if trace.sizes_known else None,
        gap_ms=Distribution.of_parts(lambda: (gap * 1e3 for gap in differences(acks.time))),
    )


def batched_percent(acks: AckColumns, fastest: float) -> float | None:
    """Share of the ACKs received that are part of a batch; `fastest` is the highest delivery rate of the trace, bit/s.
    None with fewer than two ACKs."""
    if len(acks.time) < 2:
        return None
    gap = acks.gaps()
    follows = (gap < TOGETHER) & (gap < 8.0 * np.asarray(acks.size, dtype=np.float64)[1:] / fastest / FASTER)
    member = np.append(follows, False) | np.append(False, follows)
    return float(100.0 * member.mean())


def sent(trace: Trace) -> AckFrequency | None:
    """Of the ACKs that this side sent: what had come since the ACK before."""
    packets = trace.sent
    space = np.frombuffer(bytes(packets.space), dtype=np.uint8)
    ack = np.frombuffer(bytes(packets.ack), dtype=np.uint8) > 0
    time = np.array(packets.time, dtype=np.float64)[ack & (space == Space.APPLICATION)]
    own = np.frombuffer(bytes(trace.received_space), dtype=np.uint8) == Space.APPLICATION
    came = np.array(trace.received_at, dtype=np.float64)[own]
    size = np.array(trace.received_size, dtype=np.float64)[own]
    until = np.searchsorted(came, time, side="right")
    count = np.diff(until, prepend=0)
    total = np.diff(np.concatenate(([0.0], np.cumsum(size)))[until], prepend=0.0)
    new = count > 0
    if not new.any():
        return None
    return AckFrequency(
        acks=int(new.sum()),
        packets_per_ack=Distribution.of_values(count[new]),
        bytes_per_ack=Distribution.of_values(total[new]) if bool((size > 0).all()) else None,
        gap_ms=Distribution.of(np.diff(time[new])),
    )
