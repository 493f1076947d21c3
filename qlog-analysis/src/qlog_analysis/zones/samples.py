"""The samples of an epoch by both sources, and the minima that they are held against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..check.numbers import TIME_TOLERANCE
from ..measure.sliding import CLASSES, PathMinima, Source
from ..measure.sources import Sample, Sources
from ..model import Feedback, Trace


@dataclass(slots=True)
class Tally:
    """Those of one source, in order of arrival."""

    samples: list[Sample] = field(default_factory=list)
    _sum: float = 0.0
    _class_count: list[int] = field(default_factory=lambda: [0] * CLASSES)

    def add(self, sample: Sample) -> None:
        self.samples.append(sample)
        self._sum += sample.owd
        self._class_count[sample.in_class - 1] += 1

    def mean(self, minima: tuple[float, ...]) -> float | None:
        """Mean ROWD."""
        if not self.samples:
            return None
        base = sum(c * x for c, x in zip(self._class_count, minima, strict=True) if c)
        return (self._sum - base) / len(self.samples)

    def rowds(self, minima: tuple[float, ...]) -> list[float]:
        return [s.owd - minima[s.in_class - 1] for s in self.samples]


class Samples:
    """From the first one on."""

    def __init__(self, trace: Trace, window: float, origin: float, *, skew: bool = False) -> None:
        # A sample that arrives at the boundary of two sub-windows belongs to either, as far as the trace can tell.
        self.origins = [origin + shift for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)]
        self.minima = [PathMinima(window, at, skew=skew) for at in self.origins]
        self._sources = Sources(trace, self.minima)
        self._tallies = self._empty()
        self._return_delay = 0.0

    @staticmethod
    def _empty() -> dict[Source, Tally]:
        return {source: Tally() for source in Source}

    @property
    def source(self) -> Source:
        """The source in use."""
        return self._sources.current

    @property
    def current(self) -> Tally:
        return self._tallies[self.source]

    def counts(self) -> dict[Source, int]:
        """How many the epoch has."""
        return {source: len(tally.samples) for source, tally in self._tallies.items()}

    def lengths(self) -> tuple[float, ...]:
        """Values that L may have."""
        return tuple([m.length() or 0.0 for m in self.minima])

    def taken(self, f: Feedback, max_datagram_size: int, max_ack_delay: float) -> Iterator[Sample]:
        """Those of an ACK, which the minima take in."""
        for m in self.minima:
            m.advance(f.time)
        return self._sources.samples(f, max_datagram_size, max_ack_delay)

    def count(self, sample: Sample) -> None:
        """It is one of the epoch."""
        self._tallies[sample.source].add(sample)

    def restart(self, source: Source) -> None:
        """The clock was set: what the epoch has of this source means nothing."""
        self._tallies[source] = Tally()

    def forget(self) -> None:
        """What the epoch has means nothing."""
        self._tallies = self._empty()

    def means(self) -> list[float]:
        """What the mean ROWD may be."""
        means = (self.current.mean(m.owd_minima(self.source)) for m in self.minima)
        return [mean for mean in means if mean is not None]

    def rowds(self) -> list[list[float]]:
        """ROWDs in order of arrival; one list per entry of `minima`."""
        return [self.current.rowds(m.owd_minima(self.source)) for m in self.minima]

    def return_delay(self) -> float:
        """Queueing of the return path at the end of an epoch, s: what ACK arrivals show beyond the receive
        timestamps, or what they last have shown."""
        by_ack, by_timestamp = self._mean_by(Source.ACK), self._mean_by(Source.TIMESTAMPS)
        if self.source is Source.ACK:
            self._return_delay = 0.0
        elif by_ack is not None and by_timestamp is not None:
            self._return_delay = max(by_ack - max(by_timestamp, 0.0), 0.0)
        return self._return_delay

    def _mean_by(self, source: Source) -> float | None:
        return self._tallies[source].mean(self.minima[0].owd_minima(source))

    def end_epoch(self, acked: int, lost: int) -> None:
        """With so many packets acknowledged and lost in it; a source may be given up."""
        self._sources.end_epoch(acked, lost, self._mean_by(Source.TIMESTAMPS), self._mean_by(Source.ACK))
        self._tallies = self._empty()
