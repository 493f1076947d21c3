"""Every input of the control step, as symbols, with the range in which lemmas hold."""

from __future__ import annotations

from fractions import Fraction

import z3

from .algebra import Claim, Term, all_of, any_of, number
from .equations import Control, Epoch, Options

R_, S_ = z3.Reals("R S")

OPTIONS = Options(
    target_given=z3.Bool("target_delay given"),
    target_delay=z3.Real("target_delay"),
    target_packets=z3.Real("target_packets"),
    drain_epochs=z3.Real("drain_epochs"),
    min_decrease=z3.Real("min_decrease"),
    growth_period=z3.Real("growth_period"),
    full_buffer=z3.Bool("full_buffer"),
    catch_up=z3.Bool("catch_up"),
    startup_gain=z3.Real("startup_gain"),
)
EPOCH = Epoch(
    counts=z3.Bool("has samples"),
    interrupted=z3.Bool("interrupted"),
    d=z3.Real("d"),
    lost=z3.Bool("lost"),
    excessive=z3.Bool("excessive loss"),
    length=z3.Real("L"),
    packet=z3.Real("P"),
    duration=z3.Real("duration"),
    transmission=z3.Real("T"),
    delivery_rate=z3.Real("A"),
    floor=z3.Real("A_floor"),
    jitter=z3.Real("J_a"),
    background=z3.Real("B"),
    longest=z3.Real("longest d"),
    drain_lasted=z3.Real("drain lasted"),
    drain_bits=z3.Real("drain bits"),
    app_limited=z3.Bool("application-limited"),
    limited_before=z3.Bool("limited before"),
    by_train=z3.Bool("a train tried R"),
    train_rate=z3.Real("D"),
    tells_rate=z3.Bool("tells a rate"),
    may_queue=z3.Bool("may queue"),
    used=z3.Real("used rate"),
    meets_queue=z3.Bool("meets a queue"),
    fills=z3.Bool("fills the link"),
    growth=z3.Real("growth^(u/K)"),
    variability=z3.Real("V"),
)
BEFORE = Control(
    rate=R_,
    startup=z3.Bool("startup"),
    draining=z3.Bool("draining"),
    return_rate=S_,
    ceiling=z3.Real("ceiling"),
    since_decrease=z3.Real("u"),
    resumed_at=z3.Real("S when start-up last resumed"),
)

LEAST_PACKET, MOST_PACKET = Fraction(8 * 1200), Fraction(8 * 65527)
LEAST_LENGTH = number("0.000001")
"""s: the model of the path holds L there."""
MOST_RATE = Fraction(10**10)


def ranges(o: Options = OPTIONS, e: Epoch = EPOCH, c: Control = BEFORE) -> list[Claim]:
    """What is assumed of the inputs, and nothing else."""
    return [
        *between(o.target_delay, number("0.00005"), Fraction(10)),
        *between(o.target_packets, number("0.5"), Fraction(100)),
        *between(o.drain_epochs, number("0.5"), Fraction(100)),
        *between(o.min_decrease, Fraction(0), number("0.5")),
        *between(o.growth_period, number("0.001"), Fraction(10)),
        *between(o.startup_gain, Fraction(1), Fraction(4)),
        *between(e.packet, LEAST_PACKET, MOST_PACKET),
        *between(e.variability, Fraction(0), Fraction(1)),
        *between(e.background, Fraction(0), Fraction(1)),
        *between(c.rate, Fraction(1), MOST_RATE),
        e.length >= LEAST_LENGTH,
        e.duration >= LEAST_LENGTH,
        e.growth >= 1,
        *(term >= 0 for term in (e.d, e.transmission, e.delivery_rate, e.floor, e.jitter, e.longest, e.used)),
        e.train_rate >= 0,
        *(term >= 0 for term in (e.drain_lasted, e.drain_bits, c.return_rate, c.ceiling, c.since_decrease)),
        c.resumed_at >= 0,
        any_of(e.drain_bits == 0, e.drain_lasted >= LEAST_LENGTH),
        any_of(z3.Not(c.startup), z3.Not(c.draining)),
    ]


def between(term: Term, low: Fraction, high: Fraction) -> list[Claim]:
    return [all_of(term >= _real(low), term <= _real(high))]


def _real(value: Fraction) -> z3.RatNumRef:
    return z3.Q(value.numerator, value.denominator)
