"""What happens to delays, ACKs and packets although there is no queue: jitter J, ACK gap G and background loss B of
docs/papers/hybrid-measuring.md."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MOST_BENDS = 64
"""That the means go back to."""
TELLING_BENDS = 4
"""With fewer the jitter counts in proportion."""
MOST_BEND = 0.05
"""s. A larger one counts as this."""
LEVEL = 2.5
"""In v: how far above `low` delays come."""
MOST_LOW = 3.0
"""In v."""
LOW_STEP = 0.1
"""Of the way to a delay."""
LOW_FALLS, LOW_RISES = 0.9, 0.1
"""In v: so much of the way counts at most."""
MOST_GAP = 0.12
"""s. A longer gap counts as this."""
GAP_REMEMBERED = 0.32
"""s. An epoch of this length counts as much as all before it."""
ACKED_TOGETHER = 2
"""Packets."""
MOST_UNCERTAIN = 0.5
MOST_BACKGROUND = 0.2
"""A larger share of losses is not made up for."""
SHORTEST = 1e-6
"""s. An epoch that began with the feedback that ends it lasts as long."""


class Jitter(NamedTuple):
    """What the minima of the spans of one source have shown, s. A tuple, because rounding leaves many of them open."""

    row: tuple[float, ...] = ()
    """The last two, as far as they follow each other."""
    bends: int = 0
    """n."""
    up: float = 0.0
    """U."""
    down: float = 0.0
    """D."""
    low: float = 0.0

    def add(self, minima: Iterable[float]) -> Jitter:
        """With the minima of spans that follow."""
        row, bends, up, down, low = self
        for least in minima:
            if len(row) == 2:
                bend = min(max(row[1] - (least + row[0]) / 2.0, -MOST_BEND), MOST_BEND)
                bends = min(bends + 1, MOST_BENDS)
                up += (max(bend, 0.0) - up) / bends
                down += (max(-bend, 0.0) - down) / bends
                low = _lower(low, least, _variation(bends, up, down))
            row = (*row[-1:], least)
        return Jitter(row, bends, up, down, low)

    def interrupt(self) -> Jitter:
        """What comes does not follow what was."""
        return self._replace(row=())

    @property
    def variation(self) -> float:
        """v."""
        return _variation(self.bends, self.up, self.down)

    @property
    def level(self) -> float:
        """J, where delays are those of this source."""
        return LEVEL * self.variation + self.low


def _variation(bends: int, up: float, down: float) -> float:
    return 2.0 * min(1.0, bends / TELLING_BENDS) * min(up, down)


def _lower(low: float, least: float, variation: float) -> float:
    """`low` after a delay."""
    step = LOW_STEP * min(max(least - low, -LOW_FALLS * variation), LOW_RISES * variation)
    return min(max(low + step, 0.0), MOST_LOW * variation)


def next_ack_gap(ack_gap: float, longest: float, duration: float, rate: float, packet_bytes: int) -> float:
    """G after an epoch that the application has not limited, s; `longest` is the longest time in it in which nothing
    was acknowledged, `rate` R before the update."""
    beyond = longest - ACKED_TOGETHER * 8.0 * packet_bytes / rate
    weight = duration / (duration + GAP_REMEMBERED)
    return (1.0 - weight) * ack_gap + weight * min(max(beyond, 0.0), MOST_GAP)


def counting(lost: int, acked: int, background: float, slack: float = 0.0) -> set[bool]:
    """Whether so many losses are more than what is always lost, with B of the epoch before, which may be off by
    `slack`."""
    return {lost > 2.0 * (background + shift) * (lost + acked) for shift in (-slack, slack)} if lost > 0 else {False}


def uncertain(jitter: float, duration: float) -> float:
    """u: the share of what arrives in an epoch that may have been held back at its end."""
    return min(MOST_UNCERTAIN, jitter / max(duration, SHORTEST))


def made_up(delivery_rate: float, background: float) -> float:
    """With what is lost without a queue, bit/s."""
    return delivery_rate / (1.0 - min(background, MOST_BACKGROUND))


def with_held_back(rate: float, uncertain_share: float) -> float:
    """With what may have been held back at the end, bit/s."""
    return rate / (1.0 - uncertain_share)


def in_full(carried: float, uncertain_share: float, by_trains: float) -> float:
    """A_full: A or A_floor, with what may have been held back at the end; or D, where it counts and is more, bit/s."""
    return max(with_held_back(carried, uncertain_share), by_trains)
