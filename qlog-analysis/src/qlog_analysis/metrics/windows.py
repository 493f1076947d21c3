"""A trace in windows: what was sent, what left the network again, and how much was in flight at each moment. Nothing of
a window is kept, so that a long trace takes no more memory than a short one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Ints
from ..model import NEVER, Trace
from ..packed import part, take

WINDOW = 1 << 14
"""Packets sent."""
UNPACED = 1e12
"""bit/s; a pacing rate from here on stands for none."""


@dataclass(frozen=True, slots=True)
class Sends:
    """Ack-eliciting packets of the application packet number space, without path MTU probes, in the order sent."""

    packet: Ints
    """Position in `Trace.sent`."""
    record: Ints
    time: Floats
    size: Floats
    window: Floats
    """Congestion window when the packet left, NaN while unknown."""
    pacing: Floats
    """bit/s, NaN while unknown; infinite without pacing."""
    in_flight: Floats
    """Before the packet left."""

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, slots=True)
class Removals:
    """The same packets as they were acknowledged or declared lost, in that order."""

    record: Ints
    time: Floats
    size: Floats
    lost: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class MetricRows:
    """What the sender said of its window; the first row is the one before the window, if there is one."""

    record: Ints
    time: Floats
    window: Floats


@dataclass(frozen=True, slots=True)
class Before:
    """What the windows before add up to."""

    sent: float = 0.0
    """Bytes of `Sends`."""
    gone: float = 0.0
    """Bytes of `Removals`."""
    gone_at: float | None = None
    """When the last of these came."""


@dataclass(frozen=True, slots=True)
class Window:
    """Packets sent one after the other, and what came from the first of them until the first one of the next window.
    There is always one, and all but the only one have `Sends`."""

    begin: int
    end: int
    """Positions in `Trace.sent`, one window's begin where those of the one before end."""
    sends: Sends
    removals: Removals
    metrics: MetricRows
    rows: range
    """Of `metrics` those that came in the window, as positions in `Trace.metrics`."""
    feedback: range
    """Positions in `Trace.feedback`."""
    before: Before
    next_record: int
    """Of the first packet in the next window's `sends`; `NEVER` in the last."""
    next_time: float | None

    @property
    def in_flight(self) -> tuple[Floats, Floats]:
        """Bytes sent before each of `sends` and after the last, and likewise of `removals`."""
        sent = np.concatenate(([0.0], np.cumsum(self.sends.size))) + self.before.sent
        return sent, np.concatenate(([0.0], np.cumsum(self.removals.size))) + self.before.gone

    def in_flight_after(self, record: Ints) -> Floats:
        """Bytes in flight just after these records of the window."""
        sent, gone = self.in_flight
        before = np.searchsorted(self.sends.record, record, side="right")
        return sent[before] - gone[np.searchsorted(self.removals.record, record, side="right")]


def windows(trace: Trace, own: npt.NDArray[np.bool_]) -> Iterator[Window]:
    """`own`: which packets sent belong to `Sends`."""
    end, row, at, before = 0, 0, 0, Before()
    losing = list(trace.feedback.lost)
    while True:
        begin, end = end, _end(own, end)
        last = end == len(own)
        next_record = NEVER if last else trace.sent.record[end]
        next_row, next_at = (column.left(next_record) for column in (trace.metrics.record, trace.feedback.record))
        removals = _removals(trace, own, at, next_at, losing[bisect_left(losing, at) : bisect_left(losing, next_at)])
        sends, metrics = _sends(trace, own, (begin, end), (max(row - 1, 0), next_row), removals, before)
        following = None if last else trace.sent.time[end]
        rows = range(row, next_row)
        yield Window(begin, end, sends, removals, metrics, rows, range(at, next_at), before, next_record, following)
        if last:
            return
        row, at = next_row, next_at
        before = Before(
            before.sent + float(sends.size.sum()),
            before.gone + float(removals.size.sum()),
            float(removals.time[-1]) if len(removals.time) else before.gone_at,
        )


def _end(own: npt.NDArray[np.bool_], begin: int) -> int:
    """Where the next window begins: with a packet of its own."""
    least = begin + (int(own[begin:].argmax()) if begin < len(own) else 0) + WINDOW
    rest = own[least:]
    return least + int(rest.argmax()) if rest.any() else len(own)


def _sends(
    trace: Trace,
    own: npt.NDArray[np.bool_],
    positions: tuple[int, int],
    rows: tuple[int, int],
    removals: Removals,
    before: Before,
) -> tuple[Sends, MetricRows]:
    sent, m = trace.sent, trace.metrics
    some = own[slice(*positions)]
    record, time = part(sent.record, *positions)[some], part(sent.time, *positions)[some]
    size = part(sent.size, *positions)[some].astype(np.float64)
    gone = np.concatenate(([0.0], np.cumsum(removals.size))) + before.gone
    in_flight = before.sent + np.cumsum(size) - size - gone[np.searchsorted(removals.record, record)]
    metrics = MetricRows(*(part(column, *rows) for column in (m.record, m.time, m.congestion_window)))
    window, pacing = _metrics_before(metrics, part(m.pacing_rate, *rows), record)
    packet = positions[0] + np.flatnonzero(some)
    return Sends(packet, record, time, size, window, pacing, in_flight), metrics


def _removals(trace: Trace, own: npt.NDArray[np.bool_], first: int, end: int, losing: list[int]) -> Removals:
    """With the feedback from `first` up to `end`; `losing` are those of it that told of losses. No packet is removed
    twice."""
    feedback = trace.feedback
    begin = feedback.acked_end[first - 1] if first else 0
    ends = np.concatenate(([begin], part(feedback.acked_end, first, end)))
    at = np.repeat(np.arange(first, end), np.diff(ends))
    packet = part(trace.acked, begin, int(ends[-1]))
    told = [(i, p) for i in losing for p in feedback.lost[i]]
    lost = np.repeat((False, True), (len(packet), len(told)))
    at = np.concatenate((at, np.array([i for i, _ in told], dtype=np.int64)))
    packet = np.concatenate((packet, np.array([p for _, p in told], dtype=np.int64)))
    some = own[packet]
    at, packet, lost = at[some], packet[some], lost[some]
    record = part(feedback.record, first, end)[at - first]
    order = np.lexsort((packet, record))
    at, packet = at[order], packet[order]
    time = part(feedback.time, first, end)[at - first]
    return Removals(record[order], time, take(trace.sent.size, packet).astype(np.float64), lost[order])


def _metrics_before(metrics: MetricRows, pacing: Floats, record: Ints) -> tuple[Floats, Floats]:
    """Window and pacing rate as they stood before these records."""
    if not len(pacing):
        nothing = np.full(len(record), np.nan)
        return nothing, nothing.copy()
    pacing = pacing.copy()
    pacing[pacing >= UNPACED] = np.inf
    pacing[pacing <= 0.0] = np.nan
    row = np.searchsorted(metrics.record, record) - 1
    window, rate = (np.where(row >= 0, c[np.maximum(row, 0)], np.nan) for c in (metrics.window, pacing))
    return window, rate
