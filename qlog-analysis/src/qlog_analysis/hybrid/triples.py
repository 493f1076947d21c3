"""Three packets leave together in start-up only where T is to be learnt: "Queue" in docs/papers/hybrid-judging.md.

The invariant on pacing knows no equations and allows three in all of start-up. Here the packets of those of its epochs
are held to fewer in which that is surely forbidden."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from ..check.numbers import RELATIVE
from ..check.verdict import Finding
from ..events import HybridEpoch
from ..invariants.pacing import Pacing
from ..invariants.seen import see
from ..model import Trace, Update
from .constants import ALONE_SHARE
from .measured import Measured
from .mechanism import Mechanism

ALWAYS = 2
"""The first epochs, in which three may leave together in any case."""


class _Epoch(NamedTuple):
    number: int
    begins: int
    ends: int
    """Records of the reports between which its packets left."""
    start: float
    end: float


class Triples:
    """Told of each epoch of start-up."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._none: list[_Epoch] = []
        """Epochs in which none may leave."""
        self._dispersed = False
        """Whether T surely was at the end of the epoch before."""

    def see(self, event: Update[HybridEpoch], before: HybridEpoch | None, m: Measured, transmission: float) -> None:
        """`before` is the report of the epoch before, `transmission` T as it counts at the end, s."""
        shown = transmission if self._dispersed and m.dispersed == {True} else 0.0
        self._dispersed = m.dispersed == {True}
        begins = None if before is None else _forbids_from(before, event.data, m, shown)
        if begins is not None:
            self._none.append(_Epoch(event.data.epoch, begins, event.record, m.start, m.end))

    def findings(self) -> Iterator[Finding]:
        """The first packet of each epoch that leaves too early: those after it are a part of the same."""
        if not self._none:
            return
        seen = see(self._trace)
        pacing = Pacing(seen, [(e.begins, e.ends) for e in self._none])
        for shown in seen.windows():
            pacing.add(shown)
            if shown.window.next_record > self._none[-1].ends:
                break
        starts, told = [e.start for e in self._none], set[int]()
        for breach in pacing.judged().breaches:
            epoch = self._none[bisect_right(starts, breach.time) - 1]
            if epoch.start < breach.time <= epoch.end and epoch.number not in told:
                told.add(epoch.number)
                yield Finding(epoch.number, breach.time, "triples", breach.message)


def _forbids_from(before: HybridEpoch, r: HybridEpoch, m: Measured, transmission: float) -> int | None:
    """The record after which an epoch of start-up surely does. R only grows in it, and T does not rise: one that was
    forgotten meanwhile, because timestamps come in batches, is larger when it is known again."""
    first = m.steps[0].feedback.record if m.steps else None
    if not m.limits.parameters.has(Mechanism.INSIST):
        return first
    known = before.source == r.source and 0.0 < r.transmission_time <= before.transmission_time
    if r.epoch < ALWAYS or before.outcome is not None or not known or transmission == 0.0:
        return None
    enough = (1.0 + RELATIVE) * ALONE_SHARE * 8.0 * m.max_datagram_size / transmission
    grown = ((step.feedback.record, step.rates[0]) for step in m.steps if step.rates is not None)
    return next((record for record, rate in grown if rate >= enough), None)
