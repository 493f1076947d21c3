"""Lemmas about one step, whatever its input: `domain.ranges` is all that is assumed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import z3

from .algebra import Claim, Term, all_of, any_of, choose, least, most, negate, number
from .domain import BEFORE, EPOCH, MOST_RATE, OPTIONS, ranges
from .equations import Control, Law, Step, stays, untried
from .solver import Lemma, Query

E, OF, B = EPOCH, OPTIONS, BEFORE
RANGES = ranges()
USUAL = [E.counts, negate(E.interrupted)]
"""Neither rule 1 nor rule 2."""
AFTER_STARTUP = [*USUAL, negate(B.startup)]


def _least_rate() -> Term:
    return E.packet / (4 * E.length)


IN_BOUNDS = [B.rate >= _least_rate()]
"""What the lemma `bounds` says of the step before, if L is the same."""


def _slow(step: Step) -> Claim:
    return any_of(step.congested, step.filling)


def _level(c: Control) -> Term:
    """The rate to which the flow may go back."""
    back = choose(c.draining, most(c.rate, c.return_rate), c.rate)
    return choose(all_of(c.draining, c.ceiling > 0), most(back, c.ceiling), back)


def divisions(law: type[Law]) -> Iterator[Query]:
    found = law(OF)
    found.step(E, B)
    for what in sorted({what for what, _, _ in found.divisions.seen}):
        cases = [(when, below) for name, when, below in found.divisions.seen if name == what]
        positive = all_of(
            *(any_of(negate(when), below > 0) if when is not True else below > 0 for when, below in cases)
        )
        yield Query(what, RANGES, positive)


def bounds(law: type[Law]) -> Iterator[Query]:
    rate = law(OF).step(E, B).control.rate
    yield Query("at most 10 Gbit/s", RANGES, rate <= MOST_RATE)
    yield Query("at least P / (4 L)", RANGES, rate >= least(_least_rate(), MOST_RATE))


def thresholds(law: type[Law]) -> Iterator[Query]:
    d = law(OF).thresholds(B.rate, E)
    ordered = all_of(d.d0 > 0, d.d0 < d.short, d.short < d.d1, d.d1 < d.d2, d.d2 < d.d3)
    yield Query("0 < d0 < d1 / 2 < d1 < d2 < d3", RANGES, ordered)
    yield Query("d1 / 4 <= d_full <= d1", RANGES, all_of(d.full >= d.d1 / 4, d.full <= d.d1))
    auto = [*RANGES, negate(OF.target_given)]
    yield Query("0.2 ms <= d1 <= 100 ms", auto, all_of(d.d1 >= number("0.0002"), d.d1 <= number("0.1")))


def decrease(law: type[Law]) -> Iterator[Query]:
    step = law(OF).step(E, B)
    after, slow = step.control.rate, all_of(_slow(step), negate(step.goes_on))
    yield Query("beta", [*RANGES, step.decreases], all_of(step.beta >= OF.min_decrease, step.beta <= number("0.5")))
    yield Query("it never rises", [*RANGES, *IN_BOUNDS, *USUAL, slow], after <= B.rate)
    lower = most((1 - OF.min_decrease) * B.rate, _least_rate())
    growing = [negate(B.startup), negate(B.draining)]
    yield Query("it falls by min_decrease", [*RANGES, *IN_BOUNDS, *USUAL, slow, *growing], after <= lower)
    back = most((1 - step.beta) * step.control.return_rate, _least_rate())
    yield Query("it is below S", [*RANGES, *AFTER_STARTUP, slow], after <= back)
    yield Query("the queue drains", [*RANGES, *AFTER_STARTUP, slow], step.control.draining)


def goes_on(law: type[Law]) -> Iterator[Query]:
    found = law(OF)
    step = found.step(E, B)
    given = [*RANGES, *IN_BOUNDS, step.goes_on]
    after, d = step.control.rate, found.thresholds(B.rate, E)
    sent = most(B.ceiling, B.return_rate, _least_rate())
    yield Query("R is at most what was sent at its end", given, after <= least(sent, MOST_RATE))
    yield Query("not if losses are congestion", [*given, E.counts], negate(found.losing(E, d)))
    yield Query("not without samples if a packet is lost", [*given, negate(E.counts)], negate(E.lost))
    more = most(number("1.25") * B.resumed_at, _least_rate())
    yield Query("a quarter more than the last time", given, after >= least(more, MOST_RATE))


def drains(law: type[Law]) -> Iterator[Query]:
    """In n epochs at (1 - beta) S a link that carries S drains beta n L S, of a queue of d S."""
    beta = law(OF).beta(E)
    n_epochs = OF.drain_epochs * E.length
    short = [*RANGES, 2 * E.d <= n_epochs]
    yield Query("d <= beta n L", short, E.d <= beta * n_epochs)
    yield Query("never slower than half", RANGES, least(E.d, n_epochs / 2) <= beta * n_epochs)


def limited(law: type[Law]) -> Iterator[Query]:
    step = law(OF).step(E, B)
    given = [*RANGES, *IN_BOUNDS, untried(E)]
    grows = [*AFTER_STARTUP, negate(B.draining)]
    yield Query("a flow that grows keeps R", [*given, *grows], step.control.rate <= B.rate)
    yield Query("in start-up too", [*given, B.startup], step.control.rate <= B.rate)
    yield Query("u stays", [*given, step.increases], step.control.since_decrease == B.since_decrease)


def limited_level(law: type[Law]) -> Iterator[Query]:
    step = law(OF).step(E, B)
    given = [*RANGES, *IN_BOUNDS, untried(E)]
    yield Query("max(R, S) never rises", given, _level(step.control) <= _level(B))


def losses(law: type[Law]) -> Iterator[Query]:
    step = law(OF).step(E, B)
    given = [*RANGES, *IN_BOUNDS, E.lost]
    grows = [*AFTER_STARTUP, negate(B.draining)]
    yield Query("a flow that grows keeps R", [*given, *grows], step.control.rate <= B.rate)
    yield Query("u stays", [*given, step.increases], step.control.since_decrease == B.since_decrease)


def increase(law: type[Law]) -> Iterator[Query]:
    found = law(OF)
    step = found.step(E, B)
    given = [*RANGES, *IN_BOUNDS, step.increases]
    yield Query("0 <= alpha <= R / 4", given, all_of(step.alpha >= 0, step.alpha <= B.rate / 4))
    yield Query("R never falls", given, step.control.rate >= B.rate)
    longer = replace(E, d=z3.Real("longer d"))
    d = found.thresholds(B.rate, E)
    less = found.equation_3(longer, d) <= found.equation_3(E, d)
    yield Query("less with more delay", [*RANGES, E.d <= longer.d, longer.d <= d.d1], less)
    yield Query("u grows by L", [*given, negate(stays(E))], step.control.since_decrease == B.since_decrease + E.length)


def returns(law: type[Law]) -> Iterator[Query]:
    found = law(OF)
    step = found.step(E, B)
    free = [*AFTER_STARTUP, B.draining, negate(_slow(step)), negate(step.goes_on)]
    rule_6 = [*RANGES, *IN_BOUNDS, *free, negate(step.control.draining)]
    s = found.learn(E, B).return_rate
    yield Query("R never falls", rule_6, step.control.rate >= B.rate)
    yield Query(
        "at least (1 - min_decrease) S", rule_6, step.control.rate >= least((1 - OF.min_decrease) * s, MOST_RATE)
    )
    yield Query("at most max(R, S)", rule_6, step.control.rate <= most(B.rate, s, _least_rate()))
    short = E.d <= found.thresholds(B.rate, E).short
    waits = [*AFTER_STARTUP, B.draining, negate(_slow(step)), negate(step.goes_on)]
    yield Query("the drain ends when d <= d1 / 2", [*RANGES, *waits, short], negate(step.control.draining))
    yield Query("else R stays", [*RANGES, *IN_BOUNDS, *waits, negate(short)], step.control.rate == B.rate)


def recovery(law: type[Law]) -> Iterator[Query]:
    found = law(OF)
    step = found.step(E, B)
    gone = [
        *RANGES,
        *IN_BOUNDS,
        *AFTER_STARTUP,
        E.d == 0,
        negate(E.excessive),
        negate(untried(E)),
        negate(step.goes_on),
    ]
    yield Query("one step leads to growing", gone, all_of(negate(step.control.draining), negate(step.control.startup)))
    period = most(OF.growth_period, E.length)
    free = [*RANGES, *IN_BOUNDS, step.increases, negate(stays(E))]
    by_time = number("0.01") * E.packet * E.growth / period
    yield Query("alpha has its least", free, step.alpha >= least(B.rate / 4, by_time))
    quarter = least(number("1.25") * B.rate, MOST_RATE)
    long = E.growth * E.packet >= 25 * B.rate * period
    yield Query("a quarter once u is long", [*free, long], step.control.rate >= quarter)


def interruption(law: type[Law]) -> Iterator[Query]:
    step = law(OF).step(E, B)
    given = [*RANGES, *IN_BOUNDS, E.interrupted]
    yield Query("R never rises", given, step.control.rate <= B.rate)
    yield Query("at most the minimum window", given, step.control.rate <= 2 * E.packet / E.length)
    yield Query("start-up", given, all_of(step.control.startup, negate(step.control.draining)))


def growth_time(law: type[Law]) -> Iterator[Query]:
    found = law(OF)
    step = found.step(E, B)
    period = found.period(E, B.rate)
    at_most = most(B.since_decrease + E.length, 12 * period)
    yield Query("0 <= u", RANGES, step.control.since_decrease >= 0)
    yield Query("u <= max(u + L, 12 K)", RANGES, step.control.since_decrease <= at_most)
    yield Query(
        "L <= K <= max(L, growth_period)",
        RANGES,
        all_of(period >= E.length, period <= most(E.length, OF.growth_period)),
    )


LEMMAS = [
    Lemma("divisions", "nothing is divided by zero", divisions),
    Lemma("bounds", "R stays within P / (4 L) and 10 Gbit/s", bounds),
    Lemma("thresholds", "the thresholds are in order", thresholds),
    Lemma("decrease", "R never rises while filling or congested, and falls unless a queue drains", decrease),
    Lemma("goes-on", "start-up goes on with at most what was sent at its end, not after congestion", goes_on),
    Lemma("drains", "a decrease drains a queue of up to drain_epochs L / 2 in drain_epochs", drains),
    Lemma("limited", "R stays while a flow that grows or starts up does not try it", limited),
    Lemma("limited-level", "max(R, S) never rises while R is not tried", limited_level),
    Lemma("losses", "a flow that grows keeps R while it loses more than usual", losses),
    Lemma("increase", "an increase is between 0 and R / 4, and less where there is more delay", increase),
    Lemma("returns", "a queue that has drained leads back to S, less min_decrease at most", returns),
    Lemma(
        "recovery", "without a queue or unusual losses R grows, by a quarter per epoch once u is long enough", recovery
    ),
    Lemma("interruption", "an interruption leads to the minimum window, and to start-up", interruption),
    Lemma("growth-time", "u and K are within bounds", growth_time),
]
