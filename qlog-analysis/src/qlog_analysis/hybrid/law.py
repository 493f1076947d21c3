"""Zones and rate update: the paper's skeleton (sections II-A and II-B), and what the default profile has beyond it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from ..zones import rate as rates
from ..zones.rate import clamp_rate
from . import contended, early_end, standing
from .constants import MAX_DECREASE
from .contended import Contended, Seen
from .course import Course
from .dips import Dips, is_dip
from .ended_epoch import Epoch
from .loss_count import LossCount
from .parameters import Parameters
from .standing import Outcome, Shown, Standing
from .thresholds import thresholds

MOST_GROWTH = 0.25
"""alpha in R, where it grows."""
FIRST_FLIGHT = 2.0
"""In R: how packets leave before the first epoch, an initial window in half of L."""
TELLING = 16
"""Packets of an epoch that tell a rate if it has no samples."""


def queueing(delta: float, its_jitter: float) -> float:
    """What of a relative one-way delay is queueing: J is not."""
    return max(0.0, delta - its_jitter)


def window(
    rate: float,
    length: float,
    packet_bytes: int,
    p: Parameters,
    its_jitter: float = 0.0,
    ack_gap: float = 0.0,
    queue: float = 0.0,
) -> int:
    """W = R (L + max(d3 + Q, 2 G) + J / 2) in bytes. `length` is L, with what queues on the return path where the
    source can tell; `queue` is Q."""
    extra = max(thresholds(rate, packet_bytes, p).d3 + queue, 2.0 * ack_gap) + its_jitter / 2.0
    return rates.window(rate * (length + extra), packet_bytes)


class Update(NamedTuple):
    """What the law makes of an epoch."""

    zone: int
    alpha: float | None
    beta: float | None
    rate: float
    """R after the update, bit/s."""
    startup: bool
    """Whether the start-up goes on."""
    course: Course
    standing: Standing = Standing()
    outcome: Outcome | None = None
    """How an attempt to drain a queue has ended."""

    @property
    def starts_anew(self) -> bool:
        """Whether only what is sent from now on counts."""
        return standing.starts_anew(self.beta, self.outcome)


LONE = contended.Judged(None)
"""Nobody keeps a queue."""


def zone(e: Epoch) -> int:
    """Zone 1, 2 or 3 (section II-A)."""
    if e.delta > e.thresholds.d2 or e.losing:
        return 3
    return 1 if e.delta <= e.thresholds.d1 else 2


def increase(e: Epoch, since_decrease: float, p: Parameters) -> float:
    """The increase that is used: none where R was not tried or lost more than usual, and growing with
    `growth`, bit/s."""
    if not e.may_increase:
        return 0.0
    d = e.thresholds
    up = rates.alpha(e.delta, *p.increase_bounds(e.packet_bytes, e.length), d.d0, d.d1) * e.catch_up(p)
    period = p.period(e.packet_bytes, e.rate, e.length)
    exponent = min(since_decrease / period * math.log(p.growth), 500.0)
    grown = up * e.length / period * math.exp(exponent)
    return min(grown, MOST_GROWTH * e.rate)


def beta(e: Epoch, p: Parameters) -> float:
    """What a decrease takes away, so that it empties the queue in time."""
    return min(max(e.delta / (p.drain_epochs * e.length), p.min_decrease), MAX_DECREASE)


def update(
    e: Epoch, p: Parameters, course: Course, others: contended.Judged = LONE, *, early: bool | None = None
) -> Update:
    """The rate update at the end of an epoch that has samples, with what is held beside others. `early`, if it is
    known, says whether start-up has ended too early."""
    course = course.arrive(e.delivery_rate, e.arriving, e.length).see(e.delta)
    if e.interrupted:
        return _interrupted(e)
    e.believed, e.most = believed(course.dips, e.startup, p), course.drain.most(e.ack_jitter, e.packet_bytes)
    course = course.learn(e.arrived_in_full)
    if early is None:
        early = early_end.is_early(course, e.packet_bytes, e.dispersed_transmission, p, losing=e.losing)
    if early:
        return _starts_again(e, course)
    done, dips = _beside(_updated(e, p, course), e, others), course.dips
    if done.beta is not None and e.believed > 0.0 and course.return_rate is None and not e.sent_little:
        dips = dips.learn(is_dip(e.delivery_rate, e.believed))
    period = p.period(e.packet_bytes, e.rate, e.length)
    goes_on = course.since_decrease + (e.length if e.may_increase else 0.0)
    since_decrease = dips.head_start(period) if done.alpha is None else goes_on
    left = done.course._replace(
        since_decrease=since_decrease, dips=dips, resumed_at=done.course.resumed_at or course.resumed_at
    )
    return done._replace(course=left)


def drained(e: Epoch) -> bool:
    """Whether a queue that was to drain is gone."""
    return zone(e) == 1 and e.delta <= e.thresholds.short


def believed(dips: Dips, startup: bool, p: Parameters) -> float:
    """What the path is taken to carry although less arrives, bit/s. What start-up ends in is what arrived."""
    return 0.0 if startup else dips.believed(p)


def _interrupted(e: Epoch) -> Update:
    """The path was: start-up begins again."""
    rate = rates.restarted(e.rate, e.length, e.packet_bytes)
    return Update(zone(e), None, None, rate, True, Course(), outcome=Outcome.INTERRUPTED)


def _starts_again(e: Epoch, course: Course) -> Update:
    """Start-up goes on from what arrives."""
    rate, left = early_end.resumed(course, e.packet_bytes, e.length)
    return Update(zone(e), None, None, rate, True, left, outcome=Outcome.EARLY_END)


def _updated(e: Epoch, p: Parameters, course: Course) -> Update:
    """Without u."""
    if e.startup:
        return _update_startup(e, p, course)
    if zone(e) > 1:
        return _decrease(e, p, course)
    if course.return_rate is not None:
        return _wait(e, p, course)
    up = increase(e, course.since_decrease, p)
    return Update(1, up, None, clamp_rate(e.rate + up, e.packet_bytes, e.length), False, course)


def _beside(u: Update, e: Epoch, others: contended.Judged) -> Update:
    """An update as others leave it: what they keep does not drain, so nothing waits for that."""
    if others.rate is None:
        return u
    rate = clamp_rate(others.rate, e.packet_bytes, e.length)
    return u._replace(alpha=None, beta=others.beta, rate=rate, course=Course(since_decrease=u.course.since_decrease))


def outcomes(e: Epoch, p: Parameters, course: Course, slack: float = 0.0) -> Iterator[Update]:
    """The update, with what becomes of queues that should drain and of those that others keep; several where times that
    may be off by `slack`, s, leave it open."""
    lone = update(e, p, course)
    if e.interrupted:
        yield lone
    elif e.startup:
        yield lone._replace(standing=e.standing, outcome=Outcome.NEW_PATH if e.meets_path else None)
    else:
        yield from _after_startup(e, p, course, lone, slack)


def _after_startup(e: Epoch, p: Parameters, course: Course, lone: Update, slack: float) -> Iterator[Update]:
    """Outside of start-up, which may have ended too early."""
    learnt = course.learn(e.arrived_in_full)
    for early in early_end.readings(learnt, e.packet_bytes, e.dispersed_transmission, p, losing=e.losing, slack=slack):
        reading = lone if early == lone.startup else update(e, p, course, early=early)
        if early:
            yield reading
        else:
            yield from _steady(e, p, course, reading, slack)


def _steady(e: Epoch, p: Parameters, course: Course, lone: Update, slack: float) -> Iterator[Update]:
    """Outside of start-up."""
    known = e.standing.take_in(e.back).others
    if known is None:
        yield from _settled(e, lone, p, Standing() if e.stalled else e.standing, slack)
        return
    for others in dict.fromkeys(contended.judge(known, _seen(e, p, lone.rate), slack)):
        yield from _beside_others(e, p, course, others, slack)


def _seen(e: Epoch, p: Parameters, rate: float) -> Seen:
    return Seen(
        now=e.now,
        length=e.length,
        delta=e.delta,
        short=e.thresholds.short,
        excessive_loss=e.excessive_loss,
        rate=rate,
        packet_bytes=e.packet_bytes,
        transmission=e.transmission,
        losses=LossCount(e.losses, e.acked),
        usual_losses=e.usual_losses,
        sent_little=e.sent_little,
        target_packets=p.target_packets,
        came_late=e.length_fell,
    )


def _beside_others(e: Epoch, p: Parameters, course: Course, others: contended.Judged, slack: float) -> Iterator[Update]:
    u = update(e, p, course, others, early=False)
    if others.longer is not None:
        yield _back(u, (1.0 - p.min_decrease) * others.longer, e)
    elif others.slower:
        yield u._replace(course=u.course._replace(since_decrease=0.0), outcome=Outcome.SLOWER_LINK)
    elif others.after is None:
        yield from _settled(e, u, p, Standing(), slack)
    else:
        yield u._replace(standing=Standing(others=others.after))


def _back(u: Update, rate: float, e: Epoch) -> Update:
    """What a path that has become longer leads back to."""
    rate = clamp_rate(max(u.rate, rate), e.packet_bytes, e.length)
    return u._replace(rate=rate, course=u.course.steady(), outcome=Outcome.LONGER_PATH)


def _settled(e: Epoch, u: Update, p: Parameters, before: Standing, slack: float) -> Iterator[Update]:
    """The update with what becomes of the queue that should drain."""
    times, losses = (e.now, e.delta, e.length, e.thresholds.short), (e.losses, e.acked, e.usual_losses)
    shown = Shown(*times, *losses, u.rate, u.course.return_rate, e.dispersed_transmission, e.packet_bytes, e.jitter)
    for judged in standing.judge(shown, before, p, slack):
        if judged.outcome is None:
            yield u._replace(standing=judged.standing)
        elif judged.outcome is Outcome.LONGER_PATH:
            yield _back(u, (1.0 - p.min_decrease) * judged.back, e)
        else:
            others = Contended.start(e.now, max(judged.back, e.largest), e.delta, e.length)
            rate = clamp_rate(others.held_rate, e.packet_bytes, e.length)
            beside = Standing(others=others)
            yield u._replace(rate=rate, course=u.course.steady(), standing=beside, outcome=Outcome.CONTENDED)


def _decrease(e: Epoch, p: Parameters, course: Course) -> Update:
    down = beta(e, p)
    return_rate = max(e.rate, course.return_rate or 0.0)
    if course.startup_rate is None:
        return_rate = min(return_rate, e.known)
    rate = clamp_rate(min(e.rate, (1.0 - down) * return_rate), e.packet_bytes, e.length)
    return Update(zone(e), None, down, rate, False, Course(return_rate, drain=course.drain))


def _wait(e: Epoch, p: Parameters, course: Course) -> Update:
    """Zone 1 while a queue drains."""
    assert course.return_rate is not None
    if not drained(e):
        return Update(1, None, None, clamp_rate(e.rate, e.packet_bytes, e.length), False, course)
    rate = clamp_rate(max(e.rate, e.returns_to(course.return_rate, p)), e.packet_bytes, e.length)
    return Update(1, None, None, rate, False, Course())


def _update_startup(e: Epoch, p: Parameters, course: Course) -> Update:
    """Start-up (DEVIATION; the paper has none). R has grown with every ACK already."""
    in_zone = zone(e)
    own_queue = e.queues and not e.hardly_sends
    if not own_queue and not e.losing:
        goes_on = e.queues or not e.fills
        return Update(in_zone, None, None, clamp_rate(e.rate, e.packet_bytes, e.length), goes_on, course)
    down = p.min_decrease if in_zone == 1 else beta(e, p)
    return_rate, startup_rate = (e.rate, None) if e.hardly_sends else (min(e.rate, e.reached), e.rate)
    rate = clamp_rate((1.0 - down) * return_rate, e.packet_bytes, e.length)
    return Update(in_zone, None, down, rate, False, Course(return_rate, startup_rate))
