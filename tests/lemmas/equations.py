"""The control step of docs/papers/hybrid.md, written once: for symbols of the solver, and for exact fractions.

Times are in seconds, sizes in bits, rates in bit/s. Neither code nor structure is that of the controller or of the
checker; `test_vectors.py` holds all three to the same numbers. A mutant overrides a method or a constant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from .algebra import Claim, Divisions, Term, all_of, any_of, choose, least, most, negate, number, within


@dataclass(frozen=True)
class Options:
    """Those of the control step."""

    target_given: Claim
    target_delay: Term
    target_packets: Term
    drain_epochs: Term
    min_decrease: Term
    growth_period: Term
    full_buffer: Claim
    catch_up: Claim
    startup_gain: Term = Fraction(11, 5)


@dataclass(frozen=True)
class Epoch:
    """What an epoch showed, in the symbols of the page."""

    counts: Claim
    """Whether there are samples that count."""
    interrupted: Claim
    d: Term
    lost: Claim
    """Whether more than usual was; without samples, whether anything was."""
    excessive: Claim
    length: Term
    """L."""
    packet: Term
    """P."""
    duration: Term
    transmission: Term
    """T; 0 is unknown."""
    delivery_rate: Term
    """A."""
    floor: Term
    """A_floor."""
    jitter: Term
    """J_a."""
    background: Term
    """B."""
    longest: Term
    """Longest d of the window."""
    drain_lasted: Term
    drain_bits: Term
    """Of the drain: its time, and what arrived in it."""
    app_limited: Claim
    limited_before: Claim
    by_train: Claim
    """Whether a train tried R."""
    train_rate: Term
    """D."""
    tells_rate: Claim
    """Whether 16 packets or more were acknowledged."""
    may_queue: Claim
    """Whether 4 packets or more were."""
    used: Term
    """The largest rate that was recently used."""
    meets_queue: Claim
    fills: Claim
    """What start-up has met: a queue, or P / T."""
    growth: Term
    """growth^(u / K), at least 1."""
    variability: Term
    """V, this epoch included."""


def untried(e: Epoch) -> Claim:
    """Whether R was not tried, neither by all of the epoch nor by a train."""
    return all_of(e.app_limited, negate(e.by_train))


def stays(e: Epoch) -> Claim:
    """Whether a flow that grows keeps R and u: it has not tried R, or lost more than usual."""
    return any_of(untried(e), e.lost)


def limited(e: Epoch) -> Claim:
    """Whether the application limited the epoch or the one before."""
    return any_of(e.app_limited, e.limited_before)


def hardly_sends(e: Epoch) -> Claim:
    """Whether it did, and so little came back that a queue is not the flow's own."""
    return all_of(limited(e), negate(e.may_queue))


@dataclass(frozen=True)
class Control:
    """State of the flow before or after a step. It grows if it is in none of these."""

    rate: Term
    """R."""
    startup: Claim
    draining: Claim
    return_rate: Term
    """S, while a queue drains."""
    ceiling: Term
    """R at the end of start-up, if its queue drains; else 0."""
    since_decrease: Term
    """u."""
    resumed_at: Term = Fraction(0)
    """S when start-up last resumed."""


@dataclass(frozen=True)
class Step:
    control: Control
    increases: Claim
    """Whether rule 7 applied."""
    alpha: Term
    decreases: Claim
    """Whether there is a `beta`."""
    beta: Term
    d1: Term
    congested: Claim
    filling: Claim
    goes_on: Claim
    """Whether start-up, which has ended too early, goes on."""


@dataclass(frozen=True)
class Thresholds:
    d0: Term
    d1: Term
    d2: Term
    d3: Term
    full: Term

    @property
    def short(self) -> Term:
        return self.d1 / 2


class Law:
    """Rules 1 to 7, the bounds, and what S learns."""

    LEAST, LOW, MOST = number("0.0002"), number("0.012"), number("0.1")
    AMIN, AMAX = number("0.01"), number("0.02")
    MOST_INCREASE = number("0.25")
    CATCH_UP, LEAST_LEFT = Fraction(4), number("0.1")
    MOST_DECREASE = number("0.5")
    MOST_UNCERTAIN, MOST_BACKGROUND = number("0.5"), number("0.2")
    FULL_SHARE = number("0.75")
    SHORT_PATH = number("0.0025")
    MIN_RATE_ROUNDS, MAX_RATE = Fraction(4), Fraction(10**10)
    MORE = number("1.25")
    MIN_WINDOW, TELLING, PERIODS = Fraction(2), Fraction(64), Fraction(12)

    def __init__(self, options: Options) -> None:
        self.options = options
        self.divisions = Divisions()

    def step(self, epoch: Epoch, before: Control) -> Step:
        """The first of rules 1 to 7 that fits, and the bounds."""
        control = self.learn(epoch, before)
        d = self.thresholds(control.rate, epoch)
        congested, filling = self.zones(epoch, d)
        slow = any_of(congested, filling)
        own_queue = all_of(epoch.meets_queue, negate(hardly_sends(epoch)))
        ends = any_of(own_queue, self.losing(epoch, d))
        goes_on = all_of(negate(self.may_lose(epoch, d)), self.ended_too_early(epoch, control))
        fits = self.fitting(epoch, before, slow, goes_on, epoch.d <= d.short)
        beta = choose(all_of(fits[3], negate(slow)), self.options.min_decrease, self.beta(epoch))
        alpha = self.increase(epoch, control.rate, d)
        arrived = self.arrived_at_link(epoch, control, d)
        start = choose(hardly_sends(epoch), control.rate, least(control.rate, arrived))
        ceiling = choose(hardly_sends(epoch), Fraction(0), control.rate)
        again = self.share(epoch, control, arrived)
        rate = first(
            (fits[1], self.restarted(epoch, control.rate)),
            (fits[2], control.rate),
            (fits[3], choose(ends, (1 - beta) * start, control.rate)),
            (fits[4], least(control.rate, (1 - beta) * again)),
            (fits[5], control.rate),
            (goes_on, control.return_rate),
            (fits[6], most(control.rate, self.returns_to(epoch, control.return_rate))),
            (fits[7], control.rate + alpha),
        )
        begins = any_of(all_of(fits[3], ends), fits[4])
        after = Control(
            rate=self.bounded(rate, epoch),
            startup=any_of(
                fits[1],
                goes_on,
                all_of(fits[2], before.startup),
                all_of(fits[3], negate(ends), any_of(epoch.meets_queue, negate(epoch.fills))),
            ),
            draining=any_of(begins, all_of(any_of(fits[2], fits[5]), before.draining)),
            return_rate=choose(all_of(fits[3], ends), start, choose(fits[4], again, control.return_rate)),
            ceiling=choose(all_of(fits[3], ends), ceiling, choose(fits[4], Fraction(0), control.ceiling)),
            since_decrease=choose(goes_on, Fraction(0), self.time_of_growth(epoch, control, fits)),
            resumed_at=choose(goes_on, control.return_rate, choose(fits[1], Fraction(0), control.resumed_at)),
        )
        return Step(after, fits[7], alpha, begins, beta, d.d1, congested, filling, goes_on)

    def fitting(self, e: Epoch, before: Control, slow: Claim, goes_on: Claim, short: Claim) -> dict[int, Claim]:
        """Which rule is the first to fit."""
        later = all_of(negate(e.interrupted), e.counts, negate(before.startup), negate(goes_on))
        free = all_of(later, negate(slow))
        return {
            1: e.interrupted,
            2: all_of(negate(e.interrupted), negate(e.counts), negate(goes_on)),
            3: all_of(negate(e.interrupted), e.counts, before.startup),
            4: all_of(later, slow),
            5: all_of(free, before.draining, negate(short)),
            6: all_of(free, before.draining, short),
            7: all_of(free, negate(before.draining)),
        }

    def may_lose(self, e: Epoch, d: Thresholds) -> Claim:
        """Whether losses are congestion; without samples any may be."""
        return any_of(all_of(e.counts, self.losing(e, d)), all_of(negate(e.counts), e.lost))

    def ended_too_early(self, e: Epoch, control: Control) -> Claim:
        """Whether nearly all arrives that was sent at the end of start-up, and more than when it last went on."""
        arrived = control.return_rate
        nearly_all = arrived * (1 + (self.options.startup_gain - 1) / 2) >= control.ceiling
        has_half = all_of(e.transmission > 0, 2 * arrived * e.transmission >= e.packet)
        later = all_of(negate(e.interrupted), negate(control.startup))
        drains = all_of(control.draining, control.ceiling > 0)
        more = arrived >= self.MORE * control.resumed_at
        return all_of(later, drains, nearly_all, more, negate(has_half))

    # Zones

    def thresholds(self, rate: Term, e: Epoch) -> Thresholds:
        o = self.options
        packet = least(self.divisions.quotient("P / R", e.packet, rate), self.MOST)
        auto = least(within(o.target_packets * packet, self.LEAST, most(self.LOW, packet)), self.MOST)
        d1 = choose(o.target_given, o.target_delay, auto)
        full = choose(o.full_buffer, within(self.FULL_SHARE * e.longest, d1 / 4, d1), d1)
        return Thresholds(d1 / 8, d1, 2 * d1, 4 * d1, full)

    def losing(self, e: Epoch, d: Thresholds) -> Claim:
        """Whether losses are congestion."""
        return any_of(e.excessive, all_of(e.lost, e.d > d.full))

    def zones(self, e: Epoch, d: Thresholds) -> tuple[Claim, Claim]:
        congested = any_of(self.losing(e, d), e.d > d.d2)
        return congested, all_of(negate(congested), e.d > d.d1)

    # Delivery rate

    def full_rate(self, e: Epoch) -> Term:
        """A_full."""
        full = self.with_held_back("A_full", most(e.delivery_rate, e.floor), e)
        return choose(limited(e), most(full, e.train_rate), full)

    def with_held_back(self, name: str, rate: Term, e: Epoch) -> Term:
        """A rate of this epoch, with what jitter may have held back at its end."""
        held = self.divisions.quotient("J_a / duration", e.jitter, e.duration)
        return self.divisions.quotient(name, rate, 1 - least(self.MOST_UNCERTAIN, held))

    def mean_rate(self, e: Epoch) -> tuple[Claim, Term]:
        """Whether M is known, and M."""
        known = e.drain_bits >= self.TELLING * e.packet
        mean = self.divisions.quotient("M", e.drain_bits, e.drain_lasted, when=known)
        held = self.divisions.quotient("J_a / drain", e.jitter, e.drain_lasted, when=known)
        return known, self.divisions.quotient("M without jitter", mean, 1 - least(self.MOST_UNCERTAIN, held))

    def arrived_at_link(self, e: Epoch, control: Control, d: Thresholds) -> Term:
        """A_link."""
        known, mean = self.mean_rate(e)
        full = self.full_rate(e)
        borne_out = least(full, most(mean, e.delivery_rate, e.floor))
        drains = all_of(control.draining, known)
        left = 1 - least(e.background, self.MOST_BACKGROUND)
        made_up = self.divisions.quotient("A_link", choose(drains, borne_out, full), left)
        held_back = self.with_held_back("A with what was held back", e.delivery_rate, e)
        shown = all_of(drains, negate(e.excessive))
        let_through = choose(shown, most(e.delivery_rate, least(held_back, mean)), e.delivery_rate)
        return choose(self.losing(e, d), let_through, made_up)

    def learn(self, e: Epoch, control: Control) -> Control:
        """What S learns while a queue drains."""
        full = self.full_rate(e)
        after_startup = control.ceiling > 0
        learns = all_of(negate(e.counts), e.tells_rate, negate(limited(e)))
        learnt = choose(
            after_startup,
            most(control.return_rate, least(full, control.ceiling)),
            choose(learns, least(control.return_rate, full), control.return_rate),
        )
        return replace(control, return_rate=choose(control.draining, learnt, control.return_rate))

    # Decrease

    def beta(self, e: Epoch) -> Term:
        o = self.options
        drains = self.divisions.quotient("beta", e.d, o.drain_epochs * e.length)
        return within(drains, o.min_decrease, self.MOST_DECREASE)

    def share(self, e: Epoch, control: Control, arrived: Term) -> Term:
        """S after rule 4."""
        base = choose(control.draining, most(control.rate, control.return_rate), control.rate)
        keeps = any_of(hardly_sends(e), all_of(control.draining, control.ceiling > 0))
        return choose(keeps, base, least(base, choose(limited(e), e.used, arrived)))

    def room(self, e: Epoch, rate: Term) -> Term:
        """Four times the part of the link that a flow with this rate leaves; 1 while T is unknown."""
        known = all_of(self.options.catch_up, e.transmission > 0)
        left = 1 - self.divisions.quotient("R T / P", rate * e.transmission, e.packet)
        return choose(known, self.CATCH_UP * left, Fraction(1))

    def returns_to(self, e: Epoch, return_rate: Term) -> Term:
        """Rule 6."""
        left = within(self.room(e, return_rate), self.LEAST_LEFT, Fraction(1))
        return return_rate * (1 - self.options.min_decrease * left)

    # Increase

    def period(self, e: Epoch, rate: Term) -> Term:
        """K."""
        spacing = most(e.length, self.divisions.quotient("P / R in K", e.packet, rate))
        share = least(self.divisions.quotient("2.5 ms", spacing, self.SHORT_PATH), Fraction(1))
        return most(self.options.growth_period * share, e.length)

    def equation_3(self, e: Epoch, d: Thresholds) -> Term:
        """a(d)."""
        per_length = self.divisions.quotient("P / L", e.packet, e.length)
        amin, amax = self.AMIN * per_length, self.AMAX * per_length
        below = amax * (e.d - d.d0) + amin * (d.d1 - e.d)
        between = all_of(e.d > d.d0, e.d <= d.d1)
        return choose(e.d <= d.d0, amax, self.divisions.quotient("a(d)", amin * amax * (d.d1 - d.d0), below, between))

    def increase(self, e: Epoch, rate: Term, d: Thresholds) -> Term:
        """alpha."""
        catch_up = most(self.room(e, rate), Fraction(1))
        share = self.divisions.quotient("L / K", e.length, self.period(e, rate))
        grown = catch_up * self.equation_3(e, d) * share * e.growth
        return choose(stays(e), Fraction(0), least(grown, self.MOST_INCREASE * rate))

    def time_of_growth(self, e: Epoch, control: Control, fits: dict[int, Claim]) -> Term:
        """u after the step."""
        begins = self.PERIODS * e.variability * self.period(e, control.rate)
        grown = control.since_decrease + choose(stays(e), Fraction(0), e.length)
        return choose(fits[1], Fraction(0), choose(fits[2], control.since_decrease, choose(fits[7], grown, begins)))

    # Bounds

    def restarted(self, e: Epoch, rate: Term) -> Term:
        """Rule 1: the minimum window."""
        return least(rate, self.divisions.quotient("2 P / L", self.MIN_WINDOW * e.packet, e.length))

    def bounded(self, rate: Term, e: Epoch) -> Term:
        low = self.divisions.quotient("P / (4 L)", e.packet, self.MIN_RATE_ROUNDS * e.length)
        return least(most(rate, low), self.MAX_RATE)


def first(*cases: tuple[Claim, Term]) -> Term:
    """The value of the first case that fits; one does."""
    (_, found), *others = reversed(cases)
    for fits, value in others:
        found = choose(fits, value, found)
    return found
