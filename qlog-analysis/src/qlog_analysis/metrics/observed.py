"""A trace as all figures see it: in windows, or as columns of everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..arrays import Floats
from ..model import Space, Trace
from ..packed import parts
from .delay import DelaySamples, delay_samples
from .windows import Removals, Sends, Window, windows

FEWEST_SAMPLES = 4
"""With fewer round trips measured nothing is said about delays."""

C = TypeVar("C", Sends, Removals)


@dataclass(frozen=True)
class Observed:
    trace: Trace
    own: npt.NDArray[np.bool_]
    """Which of the packets sent belong to `sends`."""
    samples: DelaySamples
    full: float
    """Bytes of the largest packet."""
    base_rtt: float | None
    """The smallest round trip; None without samples."""
    begin: float
    """First packet, sent or received."""
    end: float
    """Of the trace, or when the connection was closed."""

    def windows(self) -> Iterator[Window]:
        """As often as they are wanted: they are made anew."""
        return windows(self.trace, self.own)

    @cached_property
    def _whole(self) -> tuple[Sends, Removals]:
        every = [(w.sends, w.removals) for w in self.windows()]
        return _joined(Sends, [sends for sends, _ in every]), _joined(Removals, [removals for _, removals in every])

    @cached_property
    def sends(self) -> Sends:
        return self._whole[0]

    @cached_property
    def removals(self) -> Removals:
        return self._whole[1]

    def with_round_trips_only(self) -> Observed:
        """Of the samples."""
        return replace(self, samples=replace(self.samples, rowd=np.empty(0)))

    def without_samples(self) -> Observed:
        """They are what takes the memory."""
        nothing = np.empty(0)
        return replace(self, samples=replace(self.samples, time=nothing, rtt=nothing, rowd=nothing))

    @property
    def any_removed(self) -> bool:
        """Whether anything is acknowledged or lost of `sends`."""
        acked = (self.own[packets].any() for packets in parts(self.trace.acked))
        return any(acked) or any(self.own[packets].any() for packets in self.trace.feedback.lost.values())

    @property
    def acked_at(self) -> Floats:
        """Feedback that acknowledged something, any space."""
        return self.trace.feedback.times[self.trace.feedback.counts > 0]

    def in_flight_at(self, time: Floats) -> Floats:
        """Bytes in flight just after these times."""
        sent = np.concatenate(([0.0], np.cumsum(self.sends.size)))
        gone = np.concatenate(([0.0], np.cumsum(self.removals.size)))
        before = np.searchsorted(self.sends.time, time, side="right")
        return sent[before] - gone[np.searchsorted(self.removals.time, time, side="right")]

    def acked_bytes(self, edges: Floats) -> Floats:
        """Acknowledged per stretch between edges, bytes on the wire."""
        r = self.removals
        total = np.histogram(r.time[~r.lost], edges, weights=r.size[~r.lost])[0]
        return np.asarray(total, dtype=np.float64)

    def rtt_at(self, time: float) -> float:
        """The newest round trip measured until then, else the first; 0 without any."""
        s = self.samples
        if not len(s.time):
            return 0.0
        return float(s.rtt[max(int(np.searchsorted(s.time, time, side="right")) - 1, 0)])


def observe(trace: Trace) -> Observed:
    sent = trace.sent
    space = np.frombuffer(bytes(sent.space), dtype=np.uint8)
    eliciting = np.frombuffer(bytes(sent.ack_eliciting), dtype=np.uint8) > 0
    probe = np.frombuffer(bytes(sent.probe), dtype=np.uint8) > 0
    own = (space == Space.APPLICATION) & eliciting & ~probe
    samples = delay_samples(trace)
    return Observed(
        trace=trace,
        own=own,
        samples=samples,
        full=_largest(trace, own),
        base_rtt=float(samples.rtt.min()) if len(samples.rtt) else None,
        begin=min((t[0] for t in (sent.time, trace.received_at) if len(t)), default=0.0),
        end=min((s.time for s in trace.signals if s.kind == "connection_close"), default=trace.end),
    )


def _largest(trace: Trace, own: npt.NDArray[np.bool_]) -> float:
    at, largest = 0, 0
    for size in parts(trace.sent.size):
        largest = max(largest, int(size[own[at : at + len(size)]].max(initial=0)))
        at += len(size)
    return float(largest)


def _joined(kind: type[C], some: list[C]) -> C:
    return kind(*(np.concatenate([getattr(one, f.name) for one in some]) for f in fields(kind)))
