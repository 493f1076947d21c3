"""A queue that stands although the flow gives way: "Attempts to drain a queue" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from .arriving import Back
from .constants import ALONE_SHARE, PATIENCE
from .contended import Contended, kept_for
from .loss_count import NO_LOSSES, LossCount
from .mechanism import Mechanism
from .parameters import Parameters

OTHER_LENGTHS, PATIENCE_QUEUES = 2.0, 2.0
"""In L, beside `drain_epochs`, and in the longest delay: how long a queue may take to drain."""
STRANGERS = 2.0
"""So many times as long, before others are found."""
FALLING = 0.9
CALM_EPOCHS = 5
"""So many tell a longer path to a flow that is alone, twice as many to others."""
CALM_SPREAD = 1.0 / 32.0
"""Of the least delay."""
PATH_STEPS = 2
"""In so many epochs a path may become longer; what grows in more of them is a queue."""
OWN_QUEUES = 4.0
"""Times d1: what a flow that gives way keeps in the queue itself."""
CALM_PARTS = (6.0, 5.0)
FILLED_PARTS = (4.0, 3.0)
EMPTY_PARTS = 8.0
"""L divided by these: what a delay of a longer path, or of a buffer that others fill, has at least, and where its bound
by the flow's own packets ends; and up to which it is none of such a buffer."""
MOST_LOST = 0.25
"""Of its share: what a flow is left with that has lost most of it."""
RATE_SLACK = 1e-6
"""Relative. Rounding of rates in the report."""
DELAY_SLACK = 4e-9
"""s. Rounding of delays in the report."""


class Outcome(str, Enum):
    """How an attempt ended, or what else has; the values are those of `outcome` in traces."""

    CONTENDED = "contended"
    LONGER_PATH = "longer_path"
    INTERRUPTED = "interrupted"
    """Not of an attempt: the path was, and start-up begins again."""
    NEW_PATH = "new_path"
    """Not of an attempt: the first delays after that are those of the path."""
    SLOWER_LINK = "slower_link"
    """Not of an attempt: nobody else keeps the queue."""
    EARLY_END = "early_end"
    """Not of an attempt: start-up has ended too early, and goes on."""


def starts_anew(beta: float | None, outcome: str | None) -> bool:
    """Whether with such an end of an epoch only what is sent from then on counts."""
    return beta is not None or outcome not in (None, Outcome.NEW_PATH)


@dataclass(frozen=True, slots=True)
class Shown:
    """An epoch with samples, after its update."""

    now: float
    """Its end, s."""
    delta: float
    """d, s."""
    length: float
    """L, s."""
    short: float
    """The delay up to which there is hardly a queue, s."""
    lost: int
    """Packets; losses that count."""
    acked: int
    usual_losses: LossCount
    """Losses without a queue as this epoch leaves them."""
    rate: float
    """R, bit/s."""
    return_rate: float | None
    """S in bit/s; None while no queue drains."""
    transmission: float = 0.0
    """T, s; 0 while unknown or not dispersed."""
    packet_bytes: int = 1250
    jitter: float = 0.0
    """J, s."""

    @property
    def with_jitter(self) -> float:
        """The delay of which d is a part, s. When the estimate of jitter falls, nothing has moved."""
        return self.delta + self.jitter

    @property
    def losses(self) -> LossCount:
        return LossCount(self.lost, self.acked)

    def exceeds_own(self, share: float, parts: tuple[float, float], queue: float, slack: float) -> bool:
        """Whether flows that give way would not leave such a delay."""
        own = kept_for(OWN_QUEUES * queue, self.packet_bytes, share)
        return self.delta + slack >= max(self.length / parts[0], min(own, self.length / parts[1]))


@dataclass(frozen=True, slots=True)
class Attempt:
    """A decrease that should drain a queue; times in s, rates in bit/s."""

    began: float
    latest: float
    """When its last epoch ended."""
    rate: float
    share: float
    short: float
    """The delay that was short when it began."""
    longest: float
    last: float
    one_before: float
    """The delay that says whether the last one falls."""
    steps: tuple[int, int] = (0, 0)
    """Epochs that had more than any before them, at least and at most."""
    drained: float = 0.0
    later: tuple[float, ...] = ()
    """The delays of the epochs since the delay last moved, not of the attempt's first."""
    losses: LossCount = NO_LOSSES
    """Of these epochs."""
    all_losses: LossCount = NO_LOSSES
    """Of all its epochs."""

    @staticmethod
    def start(e: Shown, share: float) -> Attempt:
        return Attempt(e.now, e.now, e.rate, share, e.short, e.delta, e.delta, e.delta, all_losses=e.losses)

    def is_over(self, e: Shown, slack: float) -> bool:
        """Whether the queue has been gone for once, also as a flow sees it that has lost most of its share since."""
        lost_most = self.has_lost_most(e.rate, -slack)
        bound = min(e.short, max(self.short, e.length / EMPTY_PARTS)) if lost_most else e.short
        return e.delta <= bound + slack

    def has_lost_most(self, rate: float, slack: float) -> bool:
        """Of its share, if it is left with this rate: others may take what it gives way, and no long queue forms."""
        return rate < MOST_LOST * self.share * (1.0 + _of_a_rate(slack))

    def go_on(self, e: Shown) -> Attempt:
        spare = min(max(1.0 - self.rate / max(self.share, 1.0), 0.0), 1.0)
        later = (*self.later, e.with_jitter)
        moved = max(later) - min(later) > CALM_SPREAD * min(later)
        return replace(
            self,
            latest=e.now,
            rate=e.rate,
            share=max(self.share, e.return_rate or 0.0),
            longest=max(self.longest, e.delta),
            steps=self._steps(e),
            last=e.delta,
            one_before=self.last,
            losses=e.losses if moved else self.losses + e.losses,
            all_losses=self.all_losses + e.losses,
            drained=0.0 if moved else self.drained + (e.now - self.latest) * spare,
            later=(e.with_jitter,) if moved else later,
        )

    def _steps(self, e: Shown) -> tuple[int, int]:
        excess = e.delta - self.longest * (1.0 + CALM_SPREAD)
        return self.steps[0] + (excess > DELAY_SLACK), self.steps[1] + (excess > -DELAY_SLACK)

    def may_be_path(self, slack: float) -> bool:
        """Whether the delay has grown as that of a path does."""
        return self.steps[slack < 0.0] <= PATH_STEPS

    def is_alone(self, e: Shown, slack: float) -> bool:
        """Whether it is known to have half of the slowest link."""
        used = self.share * e.transmission * (1.0 + _of_a_rate(slack))
        return e.transmission > 0.0 and used >= ALONE_SHARE * e.packet_bytes * 8.0

    def calm_epochs(self, e: Shown, slack: float) -> int:
        """For how many epochs the delay must stay where it is."""
        return CALM_EPOCHS if self.is_alone(e, slack) else 2 * CALM_EPOCHS

    def loses_by_chance(self, e: Shown, slack: float) -> bool:
        """Whether no more was lost since the delay last moved than is always lost."""
        return self.losses.is_usual(e.usual_losses, slack)

    def keeps_still(self, e: Shown, slack: float) -> bool:
        """Whether the delay has stayed where it is for a while, and not yet for as long as tells a longer path."""
        epochs = self.calm_epochs(e, slack)
        still = (epochs + 1) // 2 <= len(self.later) < epochs
        return still and self.may_be_path(slack) and self.loses_by_chance(e, slack)

    def is_calm(self, e: Shown, queue: float, slack: float) -> bool:
        """Whether the delay has stayed where it is for longer than a queue would have; `slack` of one time, s."""
        if not self.loses_by_chance(e, slack) or len(self.later) < self.calm_epochs(e, slack):
            return False
        if not self.may_be_path(slack) or not e.exceeds_own(self.share, CALM_PARTS, queue, slack):
            return False
        return self.drained + slack * len(self.later) >= max(self.later)

    def is_filled(self, e: Shown, queue: float, slack: float) -> bool:
        """Whether it is a buffer that others fill: flows that give way keep no such queue, or lose nothing to it."""
        loses = e.delta + slack >= e.length / FILLED_PARTS[0] and not self.all_losses.is_usual(e.usual_losses, slack)
        return loses or e.exceeds_own(self.share, FILLED_PARTS, queue, slack) or self.has_lost_most(self.rate, slack)

    def falls(self, slack: float) -> bool:
        return self.last < FALLING * self.one_before + slack

    def lasts(self, length: float, p: Parameters, patience: float) -> float:
        """How long it must last until the queue stands, s."""
        due = (OTHER_LENGTHS + p.drain_epochs) * length + PATIENCE_QUEUES * self.longest
        return max(STRANGERS * due, patience)


class Standing(NamedTuple):
    """What is known of it."""

    attempt: Attempt | None = None
    others: Contended | None = None
    """Those who keep a queue."""

    def take_in(self, back: Back) -> Standing:
        """With what an epoch has brought back."""
        return self if self.others is None else self._replace(others=self.others.take_in(back))

    @property
    def queue(self) -> float:
        """That of others, as far as the window allows for it, s; 0 if nothing is held."""
        return 0.0 if self.others is None else self.others.allowance

    @property
    def holds(self) -> bool:
        """Whether the flow holds its share beside others."""
        return self.others is not None and self.others.holds


@dataclass(frozen=True, slots=True)
class Judged:
    standing: Standing
    outcome: Outcome | None = None
    back: float = 0.0
    """The share that the flow had, bit/s."""


def judge(
    e: Shown, before: Standing, p: Parameters, slack: float = 0.0, patience: float = PATIENCE
) -> Iterator[Judged]:
    """What an epoch makes of it where nobody is known to keep a queue; several readings where times that may be off by
    `slack` leave it open."""
    if not p.has(Mechanism.CONTENTION):
        yield Judged(Standing())
        return
    for attempt in _attempts(e, before.attempt, slack):
        if attempt is None:
            yield Judged(Standing())
        else:
            yield from _end(e, attempt, p, slack, patience)


def _attempts(e: Shown, before: Attempt | None, slack: float) -> Iterator[Attempt | None]:
    """The attempt to which the epoch belongs, if there is one."""
    over = {True} if before is None else {before.is_over(e, s) for s in (-slack, slack)}
    if before is not None and False in over:
        yield before.go_on(e)
    if True in over:
        yield None if e.return_rate is None else Attempt.start(e, e.return_rate)


def _of_a_rate(slack: float) -> float:
    """What goes with `slack` of a time, as a part of a rate."""
    return math.copysign(RATE_SLACK, slack) if slack else 0.0


def _end(e: Shown, a: Attempt, p: Parameters, slack: float, patience: float) -> Iterator[Judged]:
    calm = {a.is_calm(e, p.target_packets, s) for s in (-slack, slack)}
    if True in calm:
        yield Judged(Standing(), Outcome.LONGER_PATH, a.share)
    if False not in calm:
        return
    still = {a.keeps_still(e, s) for s in (-slack, slack)}
    if True in still:
        yield Judged(Standing(a))
    if False in still:
        yield from _filled(e, a, p, slack, patience)


def _filled(e: Shown, a: Attempt, p: Parameters, slack: float, patience: float) -> Iterator[Judged]:
    """Whether others fill the buffer, as far as `slack` leaves that open."""
    delay = min(slack, DELAY_SLACK)
    lasts = a.lasts(e.length, p, patience)
    contended = {
        e.now - a.began + s * slack >= lasts and not a.falls(-s * delay) and a.is_filled(e, p.target_packets, s * slack)
        for s in (-1.0, 1.0)
    }
    if True in contended:
        yield Judged(Standing(), Outcome.CONTENDED, a.share)
    if False in contended:
        yield Judged(Standing(a))
