"""One epoch: the rules, the packets, and the report, held against each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..check.numbers import REPORT_ROUNDING, TIME_TOLERANCE
from ..events import HybridEpoch
from ..model import Update
from ..zones import sides
from . import dips, interruption, jitter, law
from .contended import has_fallen
from .course import Course
from .jitters import JITTER_TOLERANCE
from .loss_count import Background, LossCount
from .measured import Measured
from .standing import Outcome, Standing
from .state import State, state_of
from .thresholds import full_delay, thresholds
from .transmission import believed


def background(report: HybridEpoch) -> Background:
    """Losses without a queue, as they are reported."""
    count = LossCount(report.background_lost, report.background_packets - report.background_lost)
    return Background(report.background_loss, count)


def background_before(previous: HybridEpoch | None) -> Background:
    """Losses without a queue, as the epoch before reported them; nothing is known of them after an interruption."""
    if previous is None or previous.outcome == Outcome.INTERRUPTED.value:
        return Background()
    return background(previous)


@dataclass(frozen=True, slots=True)
class Before:
    """What the epochs before leave."""

    epoch: HybridEpoch | None
    startup: bool
    course: Course
    excessive_loss: bool
    """Whether the recent losses are excessive, with those of this epoch."""
    jitters: list[float]
    """Values that J may have, s."""
    ack_jitters: list[float]
    """The same of that of ACK arrivals."""
    ack_gap: tuple[float, float]
    """G, s: at least and at most."""
    following: HybridEpoch | None
    """The report of the epoch after it."""
    standing: Standing
    """What is known of queues that stand."""
    queues: frozenset[float]
    """Values that Q may have, s."""
    largest: list[float]
    """Values that the largest recent R may have, bit/s."""
    meets_path: bool = False
    """Whether no epoch with samples has ended since the path was interrupted."""
    carried: float = 0.0
    """C, bit/s."""
    longest_length: float = 0.0
    """The longest L since the first epoch, or since the path became longer or another one, s."""

    @property
    def state(self) -> State:
        """What the flow was doing in the epoch."""
        return state_of(self.course, self.standing, startup=self.startup)

    @property
    def background(self) -> Background:
        """Losses without a queue, as they were reported."""
        return background_before(self.epoch)


class Sides(sides.Sides[HybridEpoch, Measured]):
    """The sides that are compared, with what follows from each."""

    def __init__(self, event: Update[HybridEpoch], measured: Measured, before: Before) -> None:
        super().__init__(event, measured, before.epoch)
        self.before = before
        self.limits = measured.limits
        self.p = measured.limits.parameters
        self.jitter, self.ack_gap = self.r.jitter / 1e3, self.r.ack_gap / 1e3
        self.ack_jitter = self.r.ack_jitter / 1e3
        self.standing = before.standing
        rate = max(self.r.rate_before, 1.0)
        self.thresholds = thresholds(rate, self.limits.max_datagram_size, self.p)
        self.full = {full_delay(self.thresholds.d1, longest, self.p) for longest in measured.longest}
        """Values of d_full."""

    @property
    def limited_before(self) -> bool:
        """Whether the application limited the epoch before, by the report."""
        return self.before.epoch is not None and self.before.epoch.app_limited

    @property
    def sent_little(self) -> bool:
        """Whether what arrived may be what the application had, by the report."""
        return self.r.app_limited or self.limited_before

    @property
    def longer_path(self) -> bool:
        """Whether the path is said to have become longer with the end of the epoch, or to be a new one: then L, as it
        was reported, is not that of the epoch."""
        return self.r.outcome in (Outcome.LONGER_PATH.value, Outcome.NEW_PATH.value)

    def lengths(self) -> list[float]:
        """Values that L may have in the epoch."""
        if not self.longer_path:
            return [self.r.length / 1e3]
        return [x + shift for x in self.m.lengths for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)]

    def length_fell(self, length: float) -> bool:
        """Whether L was longer before. Reports have it in whole nanoseconds."""
        return has_fallen(self.before.longest_length, length)

    def usual(self, length: float) -> float:
        """How long it takes at most, as a rule, until something comes back, s."""
        dips, size = self.before.course.dips, self.limits.max_datagram_size
        return dips.usual(length, self.r.rate_before, size, self.ack_gap)

    def arriving(self, duration: float, length: float) -> float:
        """What of the duration counts for A, s."""
        return self.usual(length) if self.r.stalled else duration

    def stalls(self) -> set[bool]:
        """Whether the path stalled, as far as rounding leaves that open."""
        return {
            overlaps and dips.stalls(self.duration + slack, self.usual(length), self.p)
            for overlaps in self.m.overlaps
            for slack in (-2 * TIME_TOLERANCE, 2 * TIME_TOLERANCE)
            for length in self.lengths()
        }

    @cached_property
    def interrupted(self) -> bool:
        """Whether the path was, by the packets; where rounding leaves that open, by the report."""
        verdicts = self._interrupts()
        return self.r.outcome == Outcome.INTERRUPTED.value if len(verdicts) > 1 else True in verdicts

    def _interrupts(self) -> set[bool]:
        r, limits, sure = self.r, self.limits, {True} & self.m.blackout
        if self.m.blackout == {True}:
            return sure
        if r.app_limited:
            return {False} | sure
        return sure | {
            interruption.is_interrupted(self.duration + slack, its_usual, r.lost_total, r.acked, self.p)
            for slack in (-2 * TIME_TOLERANCE, 2 * TIME_TOLERANCE)
            for its_usual in (
                interruption.usual(self.usual(length), self.ack_gap, limits.max_ack_delay) for length in self.lengths()
            )
        }

    def reported_transmission(self) -> float:
        """T as it counts, by the report."""
        r = self.r
        return believed(r.transmission_time / 1e3, r.length / 1e3, self.jitter, self.m.source)

    def dispersed_transmissions(self) -> list[float]:
        """What it may be where it has to be dispersed; 0 if it is not."""
        return [self.reported_transmission() if dispersed else 0.0 for dispersed in self.m.dispersed]

    def lost(self) -> set[bool]:
        """Whether the losses of the report count, as far as rounding leaves that open."""
        return jitter.counting(self.r.lost, self.r.acked, self.before.background.share, REPORT_ROUNDING)

    def background_after(self) -> set[Background]:
        """What may be known of losses without a queue, by the report of the epoch before. Nothing is learnt in
        start-up, nor from a rate that the path has not been found to carry."""
        before, r = self.before.background, self.r
        if r.delta is None or self.interrupted or self.before.startup or r.is_beyond:
            return {before}
        queue = law.queueing(r.delta / 1e3, self.jitter)
        short = {queue <= self.thresholds.short + slack for slack in (-1e-8, 1e-8)}
        return {before.learn(LossCount(r.lost, r.acked)) if learns else before for learns in short}

    @property
    def jitters_after(self) -> list[float]:
        """Values that J may have after the epoch."""
        return [0.0] if self.interrupted else self.m.jitters

    @property
    def ack_jitters_after(self) -> list[float]:
        """The same of that of ACK arrivals."""
        return [0.0] if self.interrupted else self.m.ack_jitters

    @property
    def jitter_after(self) -> tuple[float, float]:
        """J then: that of the next report, which is checked there, or else at least and at most."""
        if self.before.following is not None:
            told = self.before.following.jitter / 1e3
            return told - REPORT_ROUNDING / 1e3, told + REPORT_ROUNDING / 1e3
        allowed = self.jitters_after
        return max(min(allowed) - JITTER_TOLERANCE, 0.0), max(allowed) + JITTER_TOLERANCE

    @property
    def ack_gap_after(self) -> tuple[float, float]:
        """G after the epoch, by what was reported before: at least and at most."""
        r, size = self.r, self.limits.max_datagram_size
        if self.interrupted:
            return 0.0, 0.0
        if r.app_limited or r.acked == 0 or r.rate_before <= 0.0:
            return self.ack_gap, self.ack_gap
        ends = [self.m.longest_gap + shift for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)]
        duration = r.duration / 1e3
        low, high = (jitter.next_ack_gap(self.ack_gap, longest, duration, r.rate_before, size) for longest in ends)
        return low, high
