"""One epoch: the rules, the packets, and the report, held against each other."""

from __future__ import annotations

from dataclasses import dataclass

from ..check.numbers import TIME_TOLERANCE
from ..check.verdict import Finding
from ..events import HybridEpoch
from ..model import TIME_RESOLUTION, Update
from . import law, trend
from .epochs import Measured
from .thresholds import full_delay, startup_end, thresholds
from .transmission import believed
from .trend import Trend

SAMPLE_NOISE = 2 * TIME_RESOLUTION
"""s. How far one ROWD may be off."""


@dataclass(frozen=True, slots=True)
class Before:
    """What the epochs before leave."""

    epoch: HybridEpoch | None
    startup: bool
    course: law.Course
    overwhelmed: bool
    """Whether the losses of late overwhelm, with those of this epoch."""


class Sides:
    """The sides that are compared, with what follows from each."""

    def __init__(self, event: Update[HybridEpoch], measured: Measured, before: Before) -> None:
        self.event = event
        self.r = event.data
        self.m = measured
        self.before = before
        self.limits = measured.limits
        self.p = measured.limits.parameters
        self.duration = measured.end - measured.start
        self.deltas = [sum(x) / len(x) if x else None for x in measured.rowds]
        self.thresholds = thresholds(max(self.r.rate_before, 1.0), self.limits.max_datagram_size, self.p)
        self.full = {full_delay(self.thresholds.d1, longest, self.p) for longest in measured.longest}
        """Values of d_full."""
        self.trends = self._trends()
        self.findings: list[Finding] = []

    def find(self, law_word: str, message: str) -> None:
        self.findings.append(Finding(self.r.epoch, self.event.time, law_word, message))

    def queueing(self, delta: float) -> float:
        """What counts of a delay that the packets show."""
        return law.queueing(delta, self.m.believed, self.p)

    def reported_transmission(self) -> float:
        """T as it counts, by the report."""
        r = self.r
        return believed(r.transmission_time / 1e3, r.length / 1e3, self.m.source)

    def startup_ends(self) -> tuple[float, float]:
        """The least and the largest delay that may end the start-up, as far as rounding leaves that open."""
        ends = [
            startup_end(
                max(self.r.rate_before, 1.0) * (1.0 + s * 1e-6),
                max(length + s * TIME_TOLERANCE, 0.0),
                self.m.believed,
                self.limits.max_datagram_size,
                self.p,
            )
            for s in (-1.0, 1.0)
            for length in self.m.lengths
        ]
        return min(ends), max(ends)

    def _trends(self) -> set[Trend]:
        if not self.p.trend:
            return {Trend.OFF}
        return set().union(*(trend.verdicts(x, self.thresholds.d1, SAMPLE_NOISE) for x in self.m.rowds))
