"""Whether those who hold a share hold more together than the link carries: "Contended" in
docs/papers/hybrid-judging.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .loss_count import NO_LOSSES, LossCount

PERIOD = 3.0
"""s. For so long losses are counted."""
MOST = 0.04
"""Of the packets: flows that fill a buffer lose no more of theirs."""


class Count(NamedTuple):
    """The losses of a period, which may be still to come."""

    begins: float
    """s."""
    losses: LossCount = NO_LOSSES

    def take_in(self, now: float, losses: LossCount, usual: LossCount, slack: float) -> tuple[bool, Count]:
        """What an epoch makes of it that ends `slack` s later than told; and whether too much was lost in the
        period."""
        if now + slack < self.begins:
            return False, self
        counted = self.losses + losses
        if now + slack - self.begins < PERIOD:
            return False, Count(self.begins, counted)
        return not (counted.is_chance(MOST, slack) or counted.is_usual(usual, slack)), Count(now)


@dataclass(frozen=True, slots=True)
class Overload:
    """Counts that agree with the report alike, where rounding leaves open with which epoch a period begins or ends. The
    first is the one by the times as they are told."""

    counts: tuple[Count, ...]

    @staticmethod
    def start(now: float) -> Overload:
        """Others are found: what is lost to those who have just come does not count."""
        return Overload((Count(now + PERIOD),))

    def holds_again(self, now: float) -> Overload:
        """The flow was free, and is not any more: the count begins anew."""
        return Overload(tuple(dict.fromkeys(Count(max(count.begins, now)) for count in self.counts)))

    def take_in(self, now: float, losses: LossCount, usual: LossCount, slack: float) -> Iterator[tuple[bool, Overload]]:
        """With an epoch in which the flow holds, and whether too much was lost; both where `slack` leaves it open."""
        signs = (0.0, -slack, slack) if slack else (0.0,)
        after = [count.take_in(now, losses, usual, sign) for count in self.counts for sign in signs]
        for shows in dict.fromkeys(shows for shows, _ in after):
            yield shows, Overload(tuple(dict.fromkeys(count for its, count in after if its == shows)))
