"""What epochs of `hybrid` leave to those after them."""

from __future__ import annotations

from typing import NamedTuple

from .dips import Dips
from .drain import Drain


class Course(NamedTuple):
    """What epochs leave to those after them."""

    return_rate: float | None = None
    """S in bit/s; None while no queue drains."""
    startup_rate: float | None = None
    """R at the end of start-up, while its queue drains and S is being learnt, bit/s."""
    since_decrease: float = 0.0
    """u, s."""
    dips: Dips = Dips()
    drain: Drain = Drain()
    """What has arrived while a queue drains that is not that of start-up."""
    resumed_at: float = 0.0
    """What arrived when start-up last went on although it had ended, bit/s; 0 if it has not on this path."""

    def arrive(self, delivery_rate: float, arriving: float, length: float) -> Course:
        """With what arrived in an epoch, bit/s, in what of it counts, s; before anything else."""
        drains = self.return_rate is not None and self.startup_rate is None
        drain = self.drain.add(delivery_rate, arriving) if drains else self.drain
        return self._replace(dips=self.dips.add(over_length(delivery_rate, arriving, length)), drain=drain)

    def see(self, queue: float) -> Course:
        """With the delay of an epoch that has samples."""
        return self._replace(dips=self.dips._replace(queue=queue))

    def steady(self) -> Course:
        """Where no queue drains any more, and the increase has not grown."""
        return Course(dips=self.dips, resumed_at=self.resumed_at)

    def learn(self, delivery_rate: float, *, tells: bool = False) -> Course:
        """After start-up S becomes known from what arrives, at the end of every epoch, before anything else. Later an
        epoch without samples may lower it, if it `tells` a rate."""
        if self.return_rate is None:
            return self
        if self.startup_rate is None:
            return self._replace(return_rate=min(self.return_rate, delivery_rate)) if tells else self
        return self._replace(return_rate=max(self.return_rate, min(delivery_rate, self.startup_rate)))


def over_length(delivery_rate: float, arriving: float, length: float) -> float:
    """The delivery rate of an epoch, bit/s; one that ended before L was over counts as L long."""
    return delivery_rate * (1.0 if arriving >= length else arriving / length)
