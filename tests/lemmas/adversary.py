"""One execution of the equations on a path whose jitter looks like a queue, in numbers: how low the rate becomes.

There is no queue. Feedback of every epoch that counts is late by J, which the controller takes for a queue, and only as
much is told of what arrived as the model of `path` allows at least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from .algebra import number
from .equations import Control, Epoch, Law
from .path import DEFAULTS

MOST_EPOCHS = 2000


@dataclass(frozen=True)
class Jittery:
    """A path, in seconds, bits and bit/s."""

    link: Fraction
    length: Fraction
    packet: Fraction
    jitter: Fraction

    @property
    def arrives(self) -> Fraction:
        """As `path.Bounds` has it."""
        share = self.jitter / self.length
        return (1 - share) / (1 + share)


def rates(path: Jittery, law: type[Law] = Law) -> Iterator[Fraction]:
    """R after each epoch that counts, from C on, until it stays or can no longer fall."""
    found = law(DEFAULTS)
    flow = Control(path.link, False, False, Fraction(0), Fraction(0), Fraction(0))
    oldest = before = flow.rate
    for _ in range(MOST_EPOCHS):
        arrived = path.arrives * min(oldest, path.link)
        period = found.period(_epoch(path, arrived, Fraction(1)), flow.rate)
        growth = number("1.5") ** int(flow.since_decrease / period)
        step = found.step(_epoch(path, arrived, growth), flow)
        after = replace(step.control, rate=step.control.rate.limit_denominator(1000))
        stays = after.rate == flow.rate and oldest == before == flow.rate and after.draining == flow.draining
        oldest, before = (after.rate, after.rate) if step.decreases else (before, flow.rate)
        flow = after
        yield flow.rate
        if stays:
            return


def _epoch(path: Jittery, arrived: Fraction, growth: Fraction) -> Epoch:
    none = Fraction(0)
    return Epoch(
        counts=True,
        interrupted=False,
        d=path.jitter,
        lost=False,
        excessive=False,
        length=path.length,
        packet=path.packet,
        duration=path.length,
        transmission=none,
        delivery_rate=arrived,
        floor=none,
        jitter=none,
        background=none,
        longest=none,
        drain_lasted=none,
        drain_bits=none,
        app_limited=False,
        limited_before=False,
        by_train=False,
        train_rate=none,
        may_queue=True,
        used=Fraction(0),
        tells_rate=False,
        meets_queue=False,
        fills=False,
        growth=growth,
        variability=none,
    )
