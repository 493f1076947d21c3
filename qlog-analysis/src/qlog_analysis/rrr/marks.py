"""Marks and what lies between two of them: "Measurement" in docs/papers/rrr.md."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..check.numbers import TIME_TOLERANCE
from ..measure.packets import Packets
from ..measure.rtt import Bounds, Rtt
from ..measure.sliding import PathMinima, Source
from ..measure.sources import Sample, Sources
from ..model import TIME_RESOLUTION, Feedback, Space, Trace

DELAY_WINDOW = 10.0
"""s; window of the minima of one-way delays."""
MARKS_PER_SPAN = 32
LEAST_SHARE = 1e-3
"""The time to arrive is at least this share of the time to send."""
ARRIVING_TOLERANCE = 5 * TIME_RESOLUTION
"""Four one-way delays or minima, each of a truncated time, and a difference of send times."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What was known at the newest packet of an ACK."""

    sample: Sample
    sent_at: float
    minima: tuple[tuple[float, ...], ...]
    """Of its source, by size class; one entry for each way that rounding leaves open."""
    sent: tuple[int, int]
    """Bytes sent until then, without and with others of the same microsecond."""
    delivered: int
    packets: int

    def since(self, earlier: Mark) -> float:
        return self.sent_at - earlier.sent_at


class Meter:
    """Sets the marks of a trace."""

    def __init__(self, trace: Trace, packets: Packets, rtt: Rtt) -> None:
        self._trace = trace
        self._packets = packets
        self._rtt = rtt
        self._minima: list[PathMinima] = []
        self._sources: Sources | None = None
        self._marked: Source = Source.ACK
        self._delivered = 0
        self._acked = 0
        self._epoch: _Epoch | None = None
        self.restarted = False
        """Whether the last feedback dropped all marks."""

    @property
    def source(self) -> str:
        return (Source.ACK if self._sources is None else self._sources.current).value

    def feedback(self, f: Feedback, full_size: int) -> Mark | None:
        """The mark that a feedback sets, whether or not it comes in order."""
        acked = list(self._packets.acked(f))
        sizes = [self._packets.size(p) for p in acked]
        self._delivered += sum(sizes)
        self._acked += sum(size > 0 for size in sizes)
        self.restarted = False
        self._epoch = self._epoch or _Epoch(f.time)
        self._epoch.acked += len(acked)
        self._epoch.lost += len(f.lost)
        newest = self._newest(f, full_size) if f.space is Space.APPLICATION else None
        if newest is None:
            return None
        if newest.source is not self._marked or newest.restarts:
            self._marked, self.restarted = newest.source, True
        at = self._packets.sent_at(newest.packet)
        low = self._packets.bytes_before(self._trace.sent.record[newest.packet])
        minima = tuple(m.owd_minima(newest.source) for m in self._minima)
        sent = (low, self._packets.bytes_until(at))
        return Mark(newest, at, minima, sent, self._delivered, self._acked)

    def _newest(self, f: Feedback, full_size: int) -> Sample | None:
        """The sample of the newest packet, by the source in use."""
        if not self._minima:
            if f.sample < 0:
                return None
            self._minima = [PathMinima(DELAY_WINDOW, f.time + shift) for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)]
            self._sources = Sources(self._trace, self._minima)
        assert self._sources is not None
        assert self._epoch is not None
        for m in self._minima:
            m.advance(f.time)
        newest: dict[Source, Sample] = {}
        restarts = False
        for sample in self._sources.samples(f, full_size, self._trace.peer_max_ack_delay):
            self._epoch.add(sample)
            newest[sample.source] = sample
            restarts = restarts or sample.restarts
        found = newest.get(self._sources.current)
        if found is not None and restarts:
            return found._replace(above=(), restarts=True)
        return found

    def end_feedback(self, f: Feedback) -> None:
        """Ends an epoch of the rules about claims; they last a smoothed RTT. To be called after the update."""
        smoothed = self._rtt.smoothed
        if self._epoch is None or smoothed is None or f.time - self._epoch.start < smoothed.middle:
            return
        if self._sources is not None:
            by = {s: self._epoch.mean(s, self._minima[0].owd_minima(s)) for s in Source}
            self._sources.end_epoch(self._epoch.acked, self._epoch.lost, by[Source.TIMESTAMPS], by[Source.ACK])
        self._epoch = _Epoch(f.time)


@dataclass(slots=True)
class _Epoch:
    start: float
    acked: int = 0
    lost: int = 0
    _samples: dict[Source, list[Sample]] = field(default_factory=lambda: {s: [] for s in Source})

    def add(self, sample: Sample) -> None:
        if sample.restarts:
            self._samples[sample.source].clear()
        self._samples[sample.source].append(sample)

    def mean(self, source: Source, minima: tuple[float, ...]) -> float | None:
        samples = self._samples[source]
        rowds = [s.owd - minima[s.in_class - 1] for s in samples]
        return sum(rowds) / len(rowds) if rowds else None


def arriving(a: Mark, b: Mark) -> Iterator[Bounds]:
    """s_B - s_A + q_B - q_A for each way that rounding leaves open."""
    sending = b.since(a)
    for minima in a.minima:
        time = max(sending + _queueing(b, a, minima) - _queueing(a, a, minima), LEAST_SHARE * sending)
        yield Bounds(time, time).wider(ARRIVING_TOLERANCE)


def _queueing(mark: Mark, a: Mark, minima: tuple[float, ...]) -> float:
    """By the minima known at A; where A knew none of a class, its own one-way delay stands for it."""
    smallest = minima[mark.sample.in_class - 1]
    return max(mark.sample.owd - (smallest if math.isfinite(smallest) else a.sample.owd), 0.0)
