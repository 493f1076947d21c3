"""Equations with one mistake each. A lemma has to fail for every one of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from .algebra import Claim, Term, choose, least, most, number
from .equations import Control, Epoch, Law, Thresholds, stays


class IncreasesWhenCongested(Law):
    """The sign of the decrease."""

    def beta(self, e: Epoch) -> Term:
        return -super().beta(e)


class NoLargestDecrease(Law):
    """beta has no upper bound."""

    MOST_DECREASE = Fraction(1000)


class NoLeastDecrease(Law):
    """beta has no lower bound."""

    def beta(self, e: Epoch) -> Term:
        return least(self.divisions.quotient("beta", e.d, self.options.drain_epochs * e.length), self.MOST_DECREASE)


class NoMinimum(Law):
    """R has no lower bound."""

    def bounded(self, rate: Term, e: Epoch) -> Term:
        return least(rate, self.MAX_RATE)


class NoMaximum(Law):
    """R has no upper bound."""

    MAX_RATE = Fraction(10**13)


class GrowsWhenLimited(Law):
    """The increase does not look whether R was tried."""

    def increase(self, e: Epoch, rate: Term, d: Thresholds) -> Term:
        return super().increase(replace(e, app_limited=False), rate, d)


class CountsLimitedTime(Law):
    """u grows while R is not tried."""

    def time_of_growth(self, e: Epoch, control: Control, fits: dict[int, Claim]) -> Term:
        return super().time_of_growth(replace(e, app_limited=False), control, fits)


class GrowsWhenLosing(Law):
    """The increase does not look whether more was lost than usual."""

    def increase(self, e: Epoch, rate: Term, d: Thresholds) -> Term:
        return super().increase(replace(e, lost=False), rate, d)


class CountsTimeOfLosses(Law):
    """u grows while more is lost than usual."""

    def time_of_growth(self, e: Epoch, control: Control, fits: dict[int, Claim]) -> Term:
        return super().time_of_growth(replace(e, lost=False), control, fits)


class UncertainUpToAll(Law):
    """A jitter as long as the epoch leaves nothing to divide by."""

    MOST_UNCERTAIN = Fraction(1)


class AllLossesMadeUp(Law):
    """Background loss is not bounded: a share of 1 leaves nothing to divide by."""

    MOST_BACKGROUND = Fraction(1)


class MeanOfNoPackets(Law):
    """M is taken before a packet of the drain has arrived."""

    TELLING = Fraction(0)


class ReturnsToLess(Law):
    """Once the queue has drained, R is multiplied by less than 1."""

    def returns_to(self, e: Epoch, return_rate: Term) -> Term:
        return super().returns_to(e, return_rate) / 2


class ReturnsToMore(Law):
    """What is left to others has the wrong sign."""

    def returns_to(self, e: Epoch, return_rate: Term) -> Term:
        return 2 * return_rate - super().returns_to(e, return_rate)


class UnboundedIncrease(Law):
    """An epoch may increase R by any factor."""

    def increase(self, e: Epoch, rate: Term, d: Thresholds) -> Term:
        grown = self.equation_3(e, d) * self.divisions.quotient("L / K", e.length, self.period(e, rate)) * e.growth
        return choose(stays(e), Fraction(0), grown)


class IncreasesWithDelay(Law):
    """The ends of equation (3) are exchanged."""

    AMIN, AMAX = Law.AMAX, Law.AMIN


class ThresholdsFollowNothing(Law):
    """d1 has no least value."""

    LEAST = Fraction(0)


class FullBelowItsBound(Law):
    """d_full has no lower bound."""

    def thresholds(self, rate: Term, e: Epoch) -> Thresholds:
        found = super().thresholds(rate, e)
        return replace(found, full=least(self.FULL_SHARE * e.longest, found.d1))


class DrainsTwiceAsLong(Law):
    """A decrease drains half of the queue."""

    def beta(self, e: Epoch) -> Term:
        return super().beta(replace(e, d=e.d / 2))


class RestartsAtTheRate(Law):
    """An interruption leaves R as it is."""

    def restarted(self, e: Epoch, rate: Term) -> Term:
        return rate


class BelievesWhatIsMissing(Law):
    """What reached the link is taken to be less than what arrived."""

    def arrived_at_link(self, e: Epoch, control: Control, d: Thresholds) -> Term:
        return super().arrived_at_link(e, control, d) / 2


class TargetOfHalfAPacket(Law):
    """d1 is a quarter of what it should be, and jitter that is none of a queue counts."""

    def thresholds(self, rate: Term, e: Epoch) -> Thresholds:
        found = super().thresholds(rate, e)
        d1 = most(found.d1 / 4, self.LEAST)
        return Thresholds(d1 / 8, d1, 2 * d1, 4 * d1, most(found.full / 4, d1 / 4))


class DrainNeverEnds(Law):
    """A queue has drained only when there is less than none."""

    def fitting(self, e: Epoch, before: Control, slow: Claim, ends: Claim, short: Claim) -> dict[int, Claim]:
        return super().fitting(e, before, slow, ends, e.d < 0)


class StepsWithoutGrowth(Law):
    """The increase is a thousandth of what it should be."""

    AMIN, AMAX = number("0.00001"), number("0.00002")


MUTANTS = [
    value
    for value in list(globals().values())
    if isinstance(value, type) and issubclass(value, Law) and value is not Law
]
OF_PATHS = [BelievesWhatIsMissing, TargetOfHalfAPacket]
"""No single step is wrong in these, but the flow starves."""
