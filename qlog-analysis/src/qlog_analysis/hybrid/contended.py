"""What a flow does where others keep a buffer filled: "Contended" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..measure.window_min import SlidingMinimum
from .arriving import Arriving, Back
from .loss_count import NO_LOSSES, NOTHING_KNOWN, LossCount
from .overload import Overload

HELD_SHARE = 0.54
"""Of the largest recent R, and of the slowest link."""
REMAINS = 0.7
"""Of what is held, after excessive losses."""
FELL_PARTS = 16
"""L has fallen if it was longer by L divided by this."""
SHARE_LOSS = 0.02
"""Of the packets of an epoch: what is lost where a flow finds its share."""
RECOVERY = 5.0
"""s. Within this time at most they are made up for."""
REMEMBERED = 10.0
"""s. Contention is over if nothing had to be held for so long; and so long after a probe comes the next."""
FIRST_PROBE = 2.0
"""s, after contention was found."""
PROBE_SHARE = 0.5
PROBE_ROUNDS = 6.0
"""What a probe leaves of the rate, and for how many round trips."""
BACK_DIVISOR = 8
"""Of the longest queue while the flow held: up to this part of it the flow, once free, does not hold again."""
BACK_QUEUES = 8.0
"""Times what a flow that gives way keeps in the queue, at the rate that this one had: likewise."""
OVERLOAD_REMAINS = 0.5
"""What losses leave that last because others hold a share as well."""
QUEUE_MOVES = 1.0 / 32.0
"""Of a round trip: by how much the delay moves at least in a probe if it is that of a queue."""
QUEUE_MARGIN = 1.0 / 4.0
"""Of a queue, which the window allows for besides."""
RATE_SLACK = 1e-9
"""Relative. Rounding of rates in the report."""
DELAY_SLACK = 4e-9
"""s. Rounding of delays in the report."""


def kept_for(packets: float, packet_bytes: int, rate: float) -> float:
    """How long so many packets take at a rate in bit/s, s."""
    return packets * packet_bytes * 8.0 / max(rate, 1.0)


def has_fallen(longest: float, length: float) -> bool:
    """Whether L, s, is shorter by a 16th of it than it was at most; in whole nanoseconds."""
    now = round(length * 1e9)
    return round(longest * 1e9) >= now + now // FELL_PARTS


class Probe(NamedTuple):
    """A while in which the flow sends less; times in s."""

    until: float
    before: float
    moved: float = 0.0
    """By how much the delay has differed from that before at most."""
    sends_less: bool = True
    """Whether it does: a source that uses less than it may sends the same."""


class Seen(NamedTuple):
    """An epoch with samples, and R by the law of a lone flow; times in s, rates in bit/s."""

    now: float
    length: float
    delta: float
    short: float
    excessive_loss: bool
    rate: float
    packet_bytes: int
    transmission: float
    losses: LossCount = NO_LOSSES
    usual_losses: LossCount = NOTHING_KNOWN
    """Losses without a queue as this epoch leaves them."""
    sent_little: bool = False
    target_packets: float = 2.0
    came_late: bool = False
    """Whether competing flows were there before the flow: L has fallen."""

    @property
    def round_trip(self) -> float:
        return self.length + self.delta


class Contended(NamedTuple):
    """A flow beside others who keep a queue; times in s, rates in bit/s."""

    share: float
    """What is to be held."""
    held_rate: float
    """What is, after losses."""
    needed: float
    """When it last was necessary."""
    next_probe: float
    queue: float
    arriving: Arriving
    longest: float
    """The longest queue while it held, s."""
    overload: Overload
    link_share: float = HELD_SHARE
    """Of the slowest link, what it may hold."""
    holds: bool = True
    """Whether the law of a lone flow would leave less."""
    probe: Probe | None = None
    losses: LossCount = NO_LOSSES
    """While it held, since contention was found or the last probe ended."""

    @staticmethod
    def start(now: float, most: float, queue: float, length: float) -> Contended:
        """Others are found to keep a queue; `most` is what the flow had, `length` is L."""
        share = HELD_SHARE * most
        arriving = Arriving.after_raise(now, length + queue)
        return Contended(share, share, now, now + FIRST_PROBE, queue, arriving, queue, Overload.start(now))

    @property
    def had_alone(self) -> float:
        """What the flow had without others."""
        return self.share / HELD_SHARE

    def take_in(self, back: Back) -> Contended:
        """With what an epoch has brought back, before anything else."""
        return self._replace(arriving=self.arriving.add(back)) if self.holds else self

    @property
    def allowance(self) -> float:
        """The queue that the window allows for, s."""
        return (1.0 + QUEUE_MARGIN) * self.queue if self.holds else 0.0

    def is_over(self, now: float) -> bool:
        return now - self.needed >= REMEMBERED

    def gone(self, e: Seen) -> float:
        """The delay up to which others keep no queue, s; in whole nanoseconds."""
        if self.holds:
            return e.short
        kept = round(1e9 * kept_for(BACK_QUEUES * e.target_packets, e.packet_bytes, self.had_alone))
        return max(e.short, min(round(self.longest * 1e9) // BACK_DIVISOR, kept) / 1e9)

    def hold(self, e: Seen) -> Contended:
        """While there is a queue of others."""
        c = self._replace(needed=e.now, losses=self.losses + e.losses)
        if self.holds:
            return c._replace(longest=max(self.longest, e.delta))
        arriving, overload = Arriving.after_raise(e.now, e.round_trip), self.overload.holds_again(e.now)
        return c._replace(holds=True, arriving=arriving, longest=e.delta, overload=overload)

    def overloaded(self) -> Contended:
        """Less is to be held from now on."""
        share, held_rate = OVERLOAD_REMAINS * self.share, OVERLOAD_REMAINS * self.held_rate
        return self._replace(share=share, held_rate=held_rate, link_share=OVERLOAD_REMAINS * self.link_share)

    def grown(self, e: Seen) -> float:
        if self.finds_share(e) and self.held_rate >= self.share:
            if self.probe is not None or e.sent_little:
                return self.held_rate
            return self.held_rate + 8.0 * e.packet_bytes * e.length / e.round_trip**2
        in_time = (1.0 - REMAINS) * self.share * e.length / RECOVERY
        grown = self.held_rate + max(8.0 * e.packet_bytes / e.round_trip, in_time)
        known = e.transmission > 0.0
        more = self.held_rate if e.sent_little else known and self.link_share * 8.0 * e.packet_bytes / e.transmission
        return min(grown, max(self.share, more))

    def finds_share(self, e: Seen) -> bool:
        """Whether neither the link nor what the flow had without others is known, so that losses have to tell. Not
        where others hold as well, who would look for theirs alike."""
        return e.came_late and e.transmission <= 0.0 and self.link_share >= HELD_SHARE


class Judged(NamedTuple):
    """What an epoch makes of it."""

    after: Contended | None
    rate: float | None = None
    """At which the flow is held; None if it is free."""
    beta: float | None = None
    longer: float | None = None
    """What the flow had, if there is no queue: the path is longer."""
    slower: bool = False
    """Whether the queue is the flow's own: the link is slower."""


def judge(c: Contended, e: Seen, slack: float) -> Iterator[Judged]:
    """What an epoch makes of it; several readings where times that may be off by `slack`, s, leave it open. The one
    without it comes first: of those that agree with the report alike the first one goes on."""
    c = c._replace(queue=e.delta)
    signs, gone = (0.0, -1.0, 1.0) if slack else (0.0,), c.gone(e)
    holds = {e.delta > gone + s * DELAY_SLACK and e.rate < c.held_rate * (1.0 + s * RATE_SLACK) for s in signs}
    if False in holds:
        for over in {c.is_over(e.now + s * slack) for s in signs}:
            free = c._replace(holds=False, next_probe=e.now + REMEMBERED, probe=None)
            yield Judged(None if over else free)
    if True in holds:
        held = c.hold(e)
        shows = list(held.overload.take_in(e.now, e.losses, e.usual_losses, slack))
        for s in signs:
            yield from _go_on(held, e, shows, s * slack)


def _go_on(c: Contended, e: Seen, shows: list[tuple[bool, Overload]], slack: float) -> Iterator[Judged]:
    if c.arriving.tells(e.packet_bytes, slack):
        if c.arriving.is_little:
            yield Judged(None, slower=True)
            return
        c = c._replace(arriving=Arriving(e.now, e.round_trip))
    c = c._replace(held_rate=c.grown(e))
    for overload, after in shows:
        counted = c._replace(overload=after)
        yield _held(counted.overloaded(), 1.0 - OVERLOAD_REMAINS) if overload else _held_on(counted, e, slack)


def _held_on(c: Contended, e: Seen, slack: float) -> Judged:
    """Where those who hold do not hold too much."""
    if c.probe is not None:
        return _probed(c, c.probe, e, slack)
    if e.excessive_loss:
        return _held(c._replace(held_rate=REMAINS * c.held_rate), 1.0 - REMAINS)
    by_chance = e.losses.is_chance(SHARE_LOSS, slack) or e.losses.is_usual(e.usual_losses, slack)
    if c.held_rate > c.share and c.finds_share(e) and not by_chance:
        rate = max(c.share, REMAINS * c.held_rate)
        return _held(c._replace(held_rate=rate), 1.0 - rate / c.held_rate)
    if e.now + slack < c.next_probe:
        return _held(c)
    probe = Probe(e.now + PROBE_ROUNDS * e.round_trip, e.delta)
    return _held(c._replace(probe=probe, arriving=Arriving(e.now, e.round_trip)), 1.0 - PROBE_SHARE)


def _probed(c: Contended, probe: Probe, e: Seen, slack: float) -> Judged:
    moved = max(probe.moved, abs(e.delta - probe.before))
    probe = probe._replace(moved=moved, sends_less=probe.sends_less and not e.sent_little)
    if e.now + slack < probe.until:
        return _held(c._replace(probe=probe))
    moved = probe.moved + math.copysign(DELAY_SLACK, slack) * bool(slack)
    quiet = moved < QUEUE_MOVES * (e.length + probe.before)
    if probe.sends_less and quiet and c.losses.is_usual(e.usual_losses, slack):
        return Judged(None, longer=c.had_alone)
    arriving = Arriving.after_raise(e.now, e.round_trip)
    return _held(c._replace(probe=None, next_probe=e.now + REMEMBERED, arriving=arriving, losses=NO_LOSSES))


def _held(c: Contended, beta: float | None = None) -> Judged:
    return Judged(c, c.held_rate * (1.0 if c.probe is None else PROBE_SHARE), beta)


@dataclass(slots=True)
class LargestRate:
    """The largest rate that was recently used, of epochs in which nothing was held."""

    window: float
    origin: float
    _smallest: SlidingMinimum = field(init=False)

    def __post_init__(self) -> None:
        self._smallest = SlidingMinimum(self.window, self.origin)

    def see(self, now: float, rate: float, arrived: float) -> None:
        """What does not arrive of R, over L or in a train, was not used."""
        self._smallest.insert(now, -float(int(min(rate, arrived))))

    def get(self) -> float:
        """0 before the first."""
        return -(self._smallest.get() or 0.0)
