"""What the sender of hybrid_sender.py knows of losses, and the rate that the path has been found to carry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from qlog_analysis.hybrid.carried import carried_after
from qlog_analysis.hybrid.late import LatePackets
from qlog_analysis.hybrid.loss_count import Background, LossCount
from qlog_analysis.hybrid.parameters import Parameters


class Flow(NamedTuple):
    """A flow in an epoch."""

    rate: float
    """R, bit/s."""
    startup: bool
    holds: bool
    """Whether it holds its share beside others."""


@dataclass(slots=True)
class KnownLosses:
    background: Background = field(default_factory=Background)
    late: LatePackets = field(default_factory=LatePackets)
    carried: float = 0.0
    """C, bit/s."""

    def take_in(
        self, p: Parameters, told: tuple[LossCount, int, int], flow: Flow, *, hardly: bool, sampled: bool
    ) -> tuple[Background, bool]:
        """Those of an epoch, with the feedbacks that acknowledged packets and that told of losses; `hardly` if there
        was hardly a queue. Returns B after it, and whether losses are excessive."""
        losses, acks, reports = told
        beyond = not flow.startup and flow.rate > self.carried
        self.late.add(losses.lost, losses.acked, acks, reports)
        if beyond:
            self.late.beyond.add(losses, reports)
        excessive = sampled and self._are_excessive(p, holds=flow.holds)
        if hardly and not (flow.startup or beyond):
            self.background = self.background.learn(losses)
        return self.background, excessive

    def _are_excessive(self, p: Parameters, *, holds: bool) -> bool:
        found = self.late.beyond.are_excessive(p.most_loss_beyond, self.background.count)
        return self.late.are_excessive(p.most_loss, competes=holds) or (not holds and found)

    def end_epoch(self, state: str, outcome: str | None, rate: float, return_rate: float | None) -> float:
        """Learns C from what the flow did in the epoch, and what it leaves; returns C as it was."""
        before = self.carried
        self.carried = carried_after(before, state, outcome, rate, return_rate)
        return before
