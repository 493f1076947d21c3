"""A trace as all figures see it: in windows, with sums of what was sent and what left the network until any moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Ints
from ..model import Space, Trace
from ..packed import PIECE, Column, part, parts, running, take
from .delay import DelaySamples, delay_samples
from .windows import Window, windows

FEWEST_SAMPLES = 4
"""With fewer round trips measured nothing is said about delays."""


@dataclass(frozen=True)
class Observed:
    trace: Trace
    own: npt.NDArray[np.bool_]
    """Which of the packets sent are ack-eliciting ones of the application packet number space, and no path MTU probes:
    those of `Sends`."""
    full: float
    """Bytes of the largest packet."""
    begin: float
    """First packet, sent or received."""
    end: float
    """Of the trace, or when the connection was closed."""

    def windows(self) -> Iterator[Window]:
        """As often as they are wanted: they are made anew."""
        return windows(self.trace, self.own)

    @cached_property
    def samples(self) -> DelaySamples:
        return delay_samples(self.trace)

    @property
    def base_rtt(self) -> float | None:
        """The smallest round trip; None without samples."""
        return self.samples.smallest_rtt

    @cached_property
    def any_removed(self) -> bool:
        """Whether any of the packets is acknowledged or lost."""
        acked = (self.own[packets].any() for packets in parts(self.trace.acked))
        return any(acked) or any(self.own[packets].any() for packets in self.trace.feedback.lost.values())

    def rtt_at(self, time: float) -> float:
        """The newest round trip measured until then, else the first; 0 without any."""
        return float(self.samples.rtts_at(np.array([time]))[0]) if len(self.samples) else 0.0

    # -- sums ---------------------------------------------------------------------------------------------------

    @cached_property
    def packets(self) -> int:
        """How many there are."""
        return int(self.own.sum())

    def packets_between(self, first: int, end: int) -> int:
        """Of the packets at these positions in `Trace.sent`, how many they are."""
        return int(self.own[first:end].sum())

    @cached_property
    def bytes_before(self) -> Column[int]:
        """For each packet sent, of any kind, how many were sent before it; and of all."""
        return running(_own_sizes(self.trace, self.own))

    @cached_property
    def _acked_before(self) -> Column[int]:
        """For each feedback, how many were acknowledged before it; and by all."""
        return running(acked for _, acked in self._by_feedback())

    @cached_property
    def _gone_before(self) -> Column[int]:
        """Likewise acknowledged or declared lost."""
        size, lost = self.trace.sent.size, self.trace.feedback.lost
        losing = np.array(list(lost), dtype=np.int64)
        declared = np.array([sum(size[p] for p in some if self.own[p]) for some in lost.values()], dtype=np.int64)

        def gone() -> Iterator[Ints]:
            for first, acked in self._by_feedback():
                some = slice(*np.searchsorted(losing, (first, first + len(acked))).tolist())
                acked[losing[some] - first] += declared[some]
                yield acked

        return running(gone())

    def _by_feedback(self) -> Iterator[tuple[int, Ints]]:
        """In parts: the position of the first, and what each acknowledges."""
        trace, begin, at = self.trace, 0, 0
        for ends in parts(trace.feedback.acked_end, PIECE):
            packet = part(trace.acked, begin, int(ends[-1]))
            before = np.concatenate(([0], np.cumsum(take(trace.sent.size, packet) * self.own[packet])))
            yield at, np.diff(before[ends - begin], prepend=0)
            at, begin = at + len(ends), int(ends[-1])

    @cached_property
    def last_sent(self) -> float:
        """When the last of the packets left; 0 without any."""
        return self.trace.sent.time[len(self.own) - 1 - int(self.own[::-1].argmax())] if self.packets else 0.0

    @cached_property
    def last_acked(self) -> float:
        """When the last acknowledgement of any of them came; 0 without any."""
        before = self._acked_before
        return self.trace.feedback.time[before.left(before[-1]) - 1] if before[-1] else 0.0

    def in_flight_at(self, times: Floats) -> Floats:
        """Bytes in flight just after these times, which rise."""
        sent = np.array([self.trace.sent.time.right(time) for time in times.tolist()], dtype=np.int64)
        gone = np.array([self.trace.feedback.time.right(time) for time in times.tolist()], dtype=np.int64)
        return np.asarray(take(self.bytes_before, sent) - take(self._gone_before, gone), dtype=np.float64)

    def sent_bytes(self, edges: Floats) -> Floats:
        """Sent per stretch between edges, which rise."""
        return _between(self.trace.sent.time, self.bytes_before, edges)

    def acked_bytes(self, edges: Floats) -> Floats:
        """Acknowledged likewise."""
        return _between(self.trace.feedback.time, self._acked_before, edges)


def _between(time: Column[float], before: Column[int], edges: Floats) -> Floats:
    """What came from one edge on and before the next; the last edge belongs to the last stretch."""
    places = [*(time.left(edge) for edge in edges[:-1].tolist()), time.right(float(edges[-1]))]
    return np.diff(take(before, np.array(places, dtype=np.int64))).astype(np.float64)


def observe(trace: Trace) -> Observed:
    sent = trace.sent
    space = np.frombuffer(bytes(sent.space), dtype=np.uint8)
    eliciting = np.frombuffer(bytes(sent.ack_eliciting), dtype=np.uint8) > 0
    probe = np.frombuffer(bytes(sent.probe), dtype=np.uint8) > 0
    own = (space == Space.APPLICATION) & eliciting & ~probe
    return Observed(
        trace=trace,
        own=own,
        full=float(max((size.max() for size in _own_sizes(trace, own)), default=0)),
        begin=min((t[0] for t in (sent.time, trace.received_at) if len(t)), default=0.0),
        end=min((s.time for s in trace.signals if s.kind == "connection_close"), default=trace.end),
    )


def _own_sizes(trace: Trace, own: npt.NDArray[np.bool_]) -> Iterator[Ints]:
    """In parts: bytes of each packet sent, 0 of others than these."""
    at = 0
    for size in parts(trace.sent.size, PIECE):
        yield size * own[at : at + len(size)]
        at += len(size)
