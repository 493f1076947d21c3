"""Losses in bursts, with the likely cause of each: what the queueing delay was when the lost packets were sent."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ..arrays import Floats
from ..measure.persistent import PersistentCongestion
from ..measure.rtt import GRANULARITY, Rtt
from ..metrics.observed import FEWEST_SAMPLES, Observed
from ..model import Space, Trace
from ..packed import parts
from ..percentiles import median, percentiles
from .interruptions import Interruption

NEAR_LARGEST = (0.7, 0.8, 0.9)
"""A full queue has a delay of such a share of the largest around that time (the 99th percentile) ..."""
QUEUE = 5e-3
"""... and no shorter than this (s)."""
BY_CHANCE = 0.02
"""With so little probability as many bursts would meet such a delay if losses came regardless of it. If the delays are
no rarer at losses, they explain none."""
WITHOUT, WITHOUT_SHARE = 2e-3, 0.05
"""s, and of the smallest round trip: with less than the longer of them there was no queue. A longer delay may be that
of a full one, even where others are longer: a buffer of so many packets holds less where they are small."""
BEFORE = 8
"""So many samples before a loss tell the delay at it."""
AROUND, AROUND_ROUND_TRIPS = 2.0, 50.0
"""s and round trips: the longer of them before and after a loss is "around", as a path may change."""
DENSE, DENSE_PACKETS = 0.05, 3
"""A burst that takes so many of the packets sent meanwhile, and so many at all, is no independent loss."""
MANY_LATE = 0.2
"""Of the packets declared lost, acknowledged afterwards."""
BEYOND_CHANCE, IN_BUNCHES = 1e-4, 1e-2
"""Probability, of so many losses in a burst: to take one for that of a queue that became full, and to take all for
bunches if a third of the losses are in such ones."""
AT_LARGEST = 0.9
"""Of the largest delay: if a burst reaches it, and takes more than the share of all losses explains, the queue became
full in it, whatever the delay was before."""
ENOUGH = 8
"""So many bursts say whether losses come at short delays as often as at long ones."""


class Cause(str, Enum):
    """The values stand in JSON."""

    FULL_QUEUE = "full_queue"
    WITHOUT_QUEUE = "without_queue"
    INTERRUPTION = "interruption"
    LATE = "came_late"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Burst:
    """Lost packets that were sent within a round trip of the first of them."""

    begin: float
    """First and last of them sent."""
    end: float
    detected: float
    lost_packets: int
    sent_packets: int
    """From the first to the last of them."""
    delay: float | None
    """Queueing delay before the first of them, s, or the largest among them if that shows a full queue; None if none
    was measured."""
    cause: Cause

    @property
    def dense(self) -> bool:
        return self.lost_packets >= max(DENSE_PACKETS, DENSE * self.sent_packets)

    def beyond(self, losing: float, chance: float = BEYOND_CHANCE) -> bool:
        """Whether it is more than chance explains where such a share of all packets is lost: it begins with a loss."""
        others, among = self.lost_packets - 1, max(self.sent_packets, self.lost_packets) - 1
        return others >= DENSE_PACKETS - 1 and _at_least(others, among, losing) < chance


@dataclass(frozen=True, slots=True)
class Losses:
    known: bool
    """Whether the trace tells of losses at all."""
    bursts: list[Burst]
    lost_packets: int
    """In the application packet number space."""
    came_late: int
    """Of all spaces, acknowledged after they had been declared lost."""
    persistent: list[float]
    """When persistent congestion (RFC 9002 section 7.6) was certain."""
    marked_packets: int
    """By ECN, as the peer counts them."""

    def of(self, cause: Cause) -> list[Burst]:
        return [b for b in self.bursts if b.cause is cause]


def losses_of(o: Observed, interruptions: list[Interruption]) -> Losses:
    trace = o.trace
    late, time = set(trace.came_late), trace.feedback.time
    lost = sorted(
        (trace.sent.time[p], time[at], p) for at, some in trace.feedback.lost.items() for p in some if _counts(o, p)
    )
    bursts = [_burst(o, group, late, interruptions) for group in _grouped(o, lost)]
    bursts = _by_delay(o, bursts, many_late=len(late) >= MANY_LATE * len(lost))
    return Losses(
        known=trace.losses_known and len(trace.sent) > 0,
        bursts=bursts,
        lost_packets=len(lost),
        came_late=len(late),
        persistent=_persistent(o),
        marked_packets=max((max(int(counts.max()), 0) for counts in parts(trace.feedback.ce)), default=0),
    )


def _counts(o: Observed, packet: int) -> bool:
    sent = o.trace.sent
    return sent.space[packet] == Space.APPLICATION and not sent.probe[packet]


def _grouped(o: Observed, lost: list[tuple[float, float, int]]) -> Iterator[list[tuple[float, float, int]]]:
    group: list[tuple[float, float, int]] = []
    longest = 0.0
    for one in lost:
        if group and one[0] - group[0][0] > longest:
            yield group
            group = []
        if not group:
            longest = max(o.rtt_at(one[0]), 1e-3)
        group.append(one)
    if group:
        yield group


def _burst(
    o: Observed,
    group: list[tuple[float, float, int]],
    late: set[int],
    interruptions: list[Interruption],
) -> Burst:
    begin, end = group[0][0], group[-1][0]
    time = o.trace.sent.time
    sent = o.packets_between(time.left(begin), time.right(end))
    delay = _delay_before(o, begin)
    if 2 * sum(p in late for _, _, p in group) > len(group):
        cause = Cause.LATE
    elif any(i.begin - i.rtt <= end and begin <= i.end for i in interruptions):
        cause = Cause.INTERRUPTION
    else:
        cause = Cause.UNCLEAR
    return Burst(begin, end, max(t for _, t, _ in group), len(group), sent, delay, cause)


def _delay_before(o: Observed, time: float) -> float | None:
    """The median of the last samples sent before, none older than two round trips."""
    if len(o.samples) < FEWEST_SAMPLES:
        return None
    last = o.samples.sent_until(time)
    near = o.samples.part(max(last - BEFORE, 0), last)
    recent = near.rowd[near.sent >= time - 2.0 * o.rtt_at(time)]
    return median(recent) if len(recent) else None


def _by_delay(o: Observed, bursts: list[Burst], *, many_late: bool) -> list[Burst]:
    """Those that are unclear until now, by the delays at all of them together. Where many packets came late after all,
    those that seem to be lost at short delays may be late ones as well, and stay unclear."""
    open_ones = [b for b in bursts if b.cause is Cause.UNCLEAR and b.delay is not None]
    if not open_ones:
        return bursts
    around = _Around(o)
    usual = [around.usual(b.begin) for b in open_ones]
    at_losses = [b.delay or 0.0 for b in open_ones]
    share = _full_share(usual, at_losses)
    regardless = share is None and not many_late and _regardless(usual, at_losses)
    losing = sum(b.lost_packets for b in bursts) / max(o.packets, 1)
    found: dict[Burst, Burst] = {}
    for b, delays, d in zip(open_ones, usual, at_losses, strict=True):
        longest = b.dense and d >= delays.bound(NEAR_LARGEST[0])
        if longest or (share is not None and d >= delays.bound(share)):
            found[b] = replace(b, cause=Cause.FULL_QUEUE)
        elif b.beyond(losing) and (largest := _largest_among(o, b)) >= delays.bound(AT_LARGEST):
            found[b] = replace(b, cause=Cause.FULL_QUEUE, delay=largest)
        elif regardless or d <= max(WITHOUT, WITHOUT_SHARE * (o.base_rtt or 0.0)):
            found[b] = replace(b, cause=Cause.WITHOUT_QUEUE)
    return [found.get(b, b) for b in bursts]


def _largest_among(o: Observed, b: Burst) -> float:
    """The largest delay of packets sent from the first to the last that was lost."""
    first, end = o.samples.sent_before(b.begin), o.samples.sent_until(b.end)
    return float(o.samples.part(first, end).rowd.max(initial=0.0))


@dataclass(frozen=True, slots=True)
class _Usual:
    """What the delays around a time were."""

    median: float
    large: float
    rarity: dict[float, float]
    """Share of them that reach the bound, for `NEAR_LARGEST`."""

    @classmethod
    def of(cls, delays: Floats) -> _Usual:
        delays = np.sort(delays)
        middle, large = percentiles(delays, (50, 99))
        rarity = {s: 1.0 - float(np.searchsorted(delays, _bound(large, s))) / len(delays) for s in NEAR_LARGEST}
        return cls(middle, large, rarity)

    def bound(self, share: float) -> float:
        return _bound(self.large, share)


def _bound(large: float, share: float) -> float:
    return max(share * large, QUEUE)


class _Around:
    """Times close to each other have the same surroundings."""

    def __init__(self, o: Observed) -> None:
        self._samples = o.samples
        self._width = max(AROUND, AROUND_ROUND_TRIPS * (o.base_rtt or 0.0))
        self._known: dict[int, _Usual] = {}

    def usual(self, time: float) -> _Usual:
        k = int(time / self._width)
        if k not in self._known:
            first, end = (self._samples.sent_before(at * self._width) for at in (k - 1, k + 2))
            delays = self._samples.part(first, end).rowd if end > first else self._samples.rowd
            self._known[k] = _Usual.of(delays)
        return self._known[k]


def _full_share(usual: list[_Usual], at_losses: list[float]) -> float | None:
    """The smallest share of the largest delay from which on losses are more frequent than by chance; None if there is
    none."""
    for share in NEAR_LARGEST:
        hits = sum(d >= delays.bound(share) for delays, d in zip(usual, at_losses, strict=True))
        chance = _at_least(hits, len(at_losses), float(np.mean([delays.rarity[share] for delays in usual])))
        if chance < BY_CHANCE:
            return share
    return None


def _at_least(hits: int, tries: int, probability: float) -> float:
    """Of a binomial distribution; of many tries by its normal approximation."""
    if hits == 0 or probability >= 1.0:
        return 1.0
    if tries > 1000:
        spread = math.sqrt(max(tries * probability * (1.0 - probability), 1e-12))
        return 0.5 * math.erfc((hits - 0.5 - tries * probability) / spread / math.sqrt(2.0))
    return sum(
        math.comb(tries, k) * probability**k * (1.0 - probability) ** (tries - k) for k in range(hits, tries + 1)
    )


def _regardless(usual: list[_Usual], at_losses: list[float]) -> bool:
    """Whether about as many bursts come at delays below the median of all packets as above."""
    below = sum(d <= delays.median for delays, d in zip(usual, at_losses, strict=True))
    return len(at_losses) >= ENOUGH and below >= 0.3 * len(at_losses)


def _persistent(o: Observed) -> list[float]:
    """Only where no rounding could say otherwise."""
    rtt, found = Rtt(o.trace), PersistentCongestion(o.trace)
    out = []
    for f in itertools.islice(o.trace.feedback, _last_long_loss(o.trace) + 1):
        rtt.record(f)
        if found.record(f, rtt) == {True}:
            out.append(f.time)
    return out


def _last_long_loss(trace: Trace) -> int:
    """The last feedback that declares packets lost which were sent so far apart that it may be persistent congestion,
    however short the round trip is; -1 if there is none."""
    least = 3.0 * (GRANULARITY + trace.peer_max_ack_delay) - 1e-3
    sent = trace.sent.time
    long = (at for at, lost in trace.feedback.lost.items() if sent[max(lost)] - sent[min(lost)] > least)
    return max(long, default=-1)
