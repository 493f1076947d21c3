"""The round-trip time as RFC 9002, section 5, estimates it, in the bounds that truncated times leave open."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..model import TIME_RESOLUTION, Feedback, Space, Trace

GRANULARITY = 1e-3
"""s; RFC 9002 section 6.1.2."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """A quantity between two values."""

    low: float
    high: float

    def __contains__(self, x: float) -> bool:
        return self.low <= x <= self.high

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2.0

    def wider(self, by: float) -> Bounds:
        return Bounds(self.low - by, self.high + by)

    def mixed(self, other: Bounds, weight: float) -> Bounds:
        """So much of the other and the rest of this."""
        keep = 1.0 - weight
        return Bounds(keep * self.low + weight * other.low, keep * self.high + weight * other.high)

    def distance(self, other: Bounds) -> Bounds:
        nearest = max(self.low - other.high, other.low - self.high, 0.0)
        return Bounds(nearest, max(self.high - other.low, other.high - self.low))


@dataclass(slots=True)
class Rtt:
    """Times in s."""

    trace: Trace
    smoothed: Bounds | None = None
    variation: Bounds = field(default_factory=lambda: Bounds(0.0, 0.0))
    minimum: float | None = None
    """The smallest sample, ACK delay included."""
    first: float | None = None
    """When the first sample came."""
    latest: float | None = None
    """The newest sample, ACK delay included."""

    def record(self, f: Feedback) -> Bounds | None:
        """Takes the sample of an ACK, if it gives one, and returns it without the ACK delay (section 5.3: capped, not
        in Initial packets, never so much that the sample falls below the minimum)."""
        if f.sample < 0:
            return None
        latest = f.time - self.trace.sent.time[f.sample]
        error, self.latest = TIME_RESOLUTION, latest
        if self.smoothed is None or self.minimum is None:
            self.first, self.minimum = f.time, latest
            sample = Bounds(latest, latest).wider(error)
            self.smoothed, self.variation = sample, Bounds(sample.low / 2.0, sample.high / 2.0)
            return sample
        self.minimum = min(self.minimum, latest)
        delay = 0.0 if f.space is Space.INITIAL else min(f.ack_delay, self.trace.peer_max_ack_delay)
        above = latest - delay - self.minimum
        certain_low = latest - delay if above >= -2.0 * error else latest
        certain_high = latest if above < 2.0 * error else latest - delay
        sample = Bounds(certain_low, certain_high).wider(error)
        self.variation = self.variation.mixed(self.smoothed.distance(sample), 0.25)
        self.smoothed = self.smoothed.mixed(sample, 0.125)
        return sample

    def restart_minimum(self) -> None:
        """The path may be another one: the newest sample is the smallest (section 5.2)."""
        self.minimum = self.latest

    def record_first(self, f: Feedback) -> None:
        """Takes the sample of an ACK if there was none before it."""
        if self.smoothed is None:
            self.record(f)

    def persistent_congestion(self) -> Bounds:
        """How long everything must be lost to be persistent congestion (section 7.6.1)."""
        assert self.smoothed is not None
        most = self.trace.peer_max_ack_delay

        def of(smoothed: float, variation: float) -> float:
            return 3.0 * (smoothed + max(4.0 * variation, GRANULARITY) + most)

        return Bounds(of(self.smoothed.low, self.variation.low), of(self.smoothed.high, self.variation.high))
