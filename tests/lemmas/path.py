"""A lone flow over one link whose feedback is late by up to J: how far the rate can fall.

The network of V. Arun, M. Tahmasbi Arashloo, A. Saeed, M. Alizadeh and H. Balakrishnan, Toward Formally Verifying
Congestion Control Behavior (SIGCOMM 2021), for epochs: the link serves at C while it has a queue, and whatever it
delays beyond that is chosen by an adversary within J. The proof is by an invariant, so it is one of executions of any
length: `Inductive` says that whatever the adversary does, an epoch leads from states of the invariant to such states.

What a step is: an epoch whose samples count. The rates at which its packets left have not fallen since the last
decrease, as only those sent after it count. `oldest`, `before` and `rate` are the rates of this epoch and of the two
before it: a round trip is shorter than two epochs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import z3

from .algebra import Claim, Term, all_of, any_of, choose, least, most, negate, number
from .domain import EPOCH, LEAST_LENGTH, LEAST_PACKET, MOST_PACKET, between
from .equations import Control, Epoch, Law, Options, Step
from .solver import Query

GROWTH = number("0.8")
"""The rate before an increase is at least so much of that after it: MOST_INCREASE."""
DEFAULTS = Options(
    target_given=False,
    target_delay=Fraction(1),
    target_packets=Fraction(2),
    drain_epochs=Fraction(3),
    min_decrease=number("0.01"),
    growth_period=number("0.04"),
    full_buffer=True,
    catch_up=True,
)


@dataclass(frozen=True)
class Bounds:
    """What is assumed of a path, as shares."""

    delay: Fraction
    """Queue and jitter together, of L."""
    jitter: Fraction
    """J, of L."""
    of_link: Fraction
    """What is claimed: the rate stays at least this share of C ..."""
    of_jitter: Fraction
    """... or so many packets per J, whichever is less."""

    @property
    def arrives(self) -> Fraction:
        """What of the packets that the link served in an epoch is known at its end: up to J of it is late, and the
        window lets less than R leave where round trips are longer by J."""
        return (1 - self.jitter) / (1 + self.jitter)

    @property
    def kept(self) -> Fraction:
        """What the largest decrease leaves."""
        left: Fraction = 1 - max(self.delay / DEFAULTS.drain_epochs, DEFAULTS.min_decrease)
        return left

    @property
    def rises(self) -> Fraction:
        """The rate before an increase, or a return to S, is at least so much of that after it."""
        return min(GROWTH, self.kept)

    @property
    def with_queue(self) -> Fraction:
        """What the rate is at least while there is a queue, of C."""
        return self.kept * self.arrives * self.rises**2


@dataclass(frozen=True)
class State:
    """At the end of an epoch, before its step."""

    oldest: Term
    before: Term
    rate: Term
    draining: Claim
    return_rate: Term
    queue: Term
    """Seen by the last packet, s."""

    @property
    def level(self) -> Term:
        """The rate to which the flow goes back."""
        return choose(self.draining, most(self.rate, self.return_rate), self.rate)


@dataclass(frozen=True)
class Path:
    """Symbols of the path, and of what the adversary chooses in an epoch."""

    link: Term
    """C."""
    jitter: Term
    """J."""
    queue: Term
    """Seen by the last packet of the epoch, s."""
    after: Term
    """Seen by the first packet after a decrease, s."""
    waited: Term
    """A of the epoch that waits for it."""


PATH = Path(*z3.Reals("C J queue after waited"))
_OLDEST, _BEFORE, _RATE, _RETURN_RATE, _QUEUE = z3.Reals("oldest before R S q")
START = State(_OLDEST, _BEFORE, _RATE, z3.Bool("draining"), _RETURN_RATE, _QUEUE)
E = replace(
    EPOCH,
    counts=True,
    interrupted=False,
    lost=False,
    excessive=False,
    app_limited=False,
    limited_before=False,
    by_train=False,
    train_rate=Fraction(0),
    tells_rate=False,
    meets_queue=False,
    fills=False,
)


def assumed(b: Bounds, s: State = START, p: Path = PATH, e: Epoch = E) -> list[Claim]:
    """Ranges, and what the network does."""
    time = e.length - p.jitter
    rising = all_of(s.oldest < p.link, s.rate > p.link)
    return [
        *between(e.packet, LEAST_PACKET, MOST_PACKET),
        e.length >= LEAST_LENGTH,
        e.growth >= 1,
        e.duration >= LEAST_LENGTH,
        any_of(e.drain_bits == 0, e.drain_lasted >= LEAST_LENGTH),
        *(x >= 0 for x in (e.transmission, e.floor, e.jitter, e.background, e.longest, e.variability, e.drain_bits)),
        p.link > 0,
        p.link <= 10**10,
        p.jitter >= 0,
        p.jitter <= b.jitter * e.length,
        p.jitter <= number("0.012"),
        s.oldest * 4 * e.length >= e.packet,
        s.oldest <= s.before,
        s.before <= s.rate,
        s.rate <= 10**10,
        s.return_rate >= 0,
        *(q >= 0 for q in (s.queue, p.queue, p.after)),
        # The delay: what the queue is to one of the packets, and jitter of which the controller knows nothing.
        e.d >= 0,
        e.d <= most(s.queue, p.queue) + p.jitter,
        most(s.queue, p.queue, p.after) + p.jitter <= b.delay * e.length,
        # The queue: it grows only beyond C, and shrinks by what is missing to C.
        any_of(s.rate > p.link, p.queue == 0, p.queue * p.link <= s.queue * p.link - (p.link - s.rate) * time),
        any_of(p.after == 0, p.queue > 0, s.rate > p.link),
        # What arrived: as much as the link serves while it has a queue, and else what was sent.
        e.delivery_rate >= b.arrives * least(p.link, s.oldest),
        any_of(p.queue == 0, rising, e.delivery_rate >= b.arrives * p.link),
        p.waited >= b.arrives * least(p.link, s.oldest),
        any_of(p.after == 0, rising, p.waited >= b.arrives * p.link),
    ]


def invariant(b: Bounds, s: State, p: Path = PATH, e: Epoch = E) -> dict[str, Claim]:
    """By name: what holds of the states before all steps."""
    return {
        "rates rise by less than a quarter, or to S": all_of(
            s.before >= b.rises * s.rate, s.oldest >= b.rises * s.before
        ),
        "a decrease leaves most of S": any_of(negate(s.draining), s.rate >= b.kept * s.return_rate),
        "the rate stays above its bound": above_bound(b, s.rate, p, e),
        "so do the rates before it": above_bound(b, s.oldest, p, e),
        "a flow with a queue is not slow": any_of(s.queue == 0, s.oldest >= b.with_queue * p.link),
    }


def above_bound(b: Bounds, rate: Term, p: Path = PATH, e: Epoch = E) -> Claim:
    """Without a division by J, which may be 0."""
    return any_of(rate >= b.of_link * p.link, rate * p.jitter >= b.of_jitter * e.packet)


def control(s: State) -> Control:
    return Control(s.rate, False, s.draining, s.return_rate, Fraction(0), Fraction(0))


def following(s: State, p: Path, step: Step) -> State:
    """The state after a step. A decrease is followed by an epoch without samples, from which S may learn."""
    c = step.control
    learnt = choose(step.decreases, least(c.return_rate, p.waited), c.return_rate)
    return State(
        oldest=choose(step.decreases, c.rate, s.before),
        before=choose(step.decreases, c.rate, s.rate),
        rate=c.rate,
        draining=c.draining,
        return_rate=learnt,
        queue=choose(step.decreases, p.after, p.queue),
    )


def inductive(law: type[Law], b: Bounds) -> Iterator[Query]:
    """Each part of the invariant after a step, given all before it."""
    reached = z3.Real("A_link")
    yield Query("what reached the link is at least A", assumed(b), _reaches(law))
    given = [*assumed(b), *invariant(b, START).values(), reached >= E.delivery_rate]
    step = _with_reached(law, reached).step(E, control(START))
    after = invariant(b, following(START, PATH, step))
    for name, claim in after.items():
        for case, condition in {"a decrease": step.decreases, "none": negate(step.decreases)}.items():
            yield Query(f"{name}, after {case}", [*given, condition], claim)


def _reaches(law: type[Law]) -> Claim:
    """In place of A_link the proof takes any rate of which this is known: the solver needs a tenth of the time."""
    found = law(DEFAULTS)
    before = control(START)
    return found.arrived_at_link(E, before, found.thresholds(before.rate, E)) >= E.delivery_rate


def _with_reached(law: type[Law], reached: Term) -> Law:
    def arrived_at_link(*_: Any) -> Term:
        return reached

    found = law(DEFAULTS)
    found.arrived_at_link = arrived_at_link  # type: ignore[assignment, method-assign]
    return found


def progress(law: type[Law], b: Bounds) -> Iterator[Query]:
    """Where there is no queue, and the rate neither fills the link nor has jitter above `d1 / 2`."""
    low = all_of(START.rate <= PATH.link, START.rate * PATH.jitter <= E.packet, PATH.jitter <= number("0.006"))
    empty = all_of(START.queue == 0, PATH.queue == 0)
    step = law(DEFAULTS).step(E, control(START))
    given = [*assumed(b), low, empty]
    yield Query("it does not decrease", given, all_of(negate(step.decreases), step.control.rate >= START.rate))
    yield Query("it grows from then on", given, negate(step.control.draining))
    yield Query(
        "it has grown where no queue drained",
        [*given, negate(START.draining), START.rate < 10**10],
        step.control.rate > START.rate,
    )
