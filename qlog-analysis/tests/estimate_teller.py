"""Tells the estimate of a simulated sender, as docs/qlog.md has it: what traces of the real one have as well."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import msgspec

from hybrid_sender import HybridSender
from qlog_analysis.events import Estimate, HybridEpoch
from qlog_analysis.hybrid.estimate import Ended, Known
from qlog_analysis.hybrid.standing import Outcome
from qlog_analysis.hybrid.state import State
from qlog_analysis.model import Update
from sender import rounded


@dataclass(slots=True)
class EstimateTeller:
    """Is asked after every epoch. Without receive timestamps the slowest link is unknown."""

    sender: HybridSender
    _known: Known = field(default_factory=Known)
    _told: Estimate = field(default_factory=lambda: Estimate(None, None, None, None, None, None))
    _drained: float | None = None
    """S before the epoch."""

    def after(self, now: float, report: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """The event, if what the epoch has shown is news."""
        data = msgspec.convert(report, HybridEpoch)
        ended = Ended(
            event=Update(0, now, data),
            group_end=0,
            state=State(self.sender.state),
            interrupted=data.outcome == Outcome.INTERRUPTED.value,
            meets_path=self.sender.meets_path,
            arrived=max(self.sender.course.dips.recent, default=0.0),
            return_rate=self._drained,
            links=frozenset({math.inf}),
            last=False,
        )
        self._known, self._drained = self._known.after(ended, self.sender.p.base_delay_window), data.return_rate
        if not self._known.is_news(self._told):
            return []
        self._told = self._estimate(now)
        return [("cc:estimate_updated", rounded(msgspec.to_builtins(self._told)))]

    def _estimate(self, now: float) -> Estimate:
        known, target = self._known, self._known.targets[0]
        age = None if known.tried is None else now - known.tried
        most = None if target is None else next(iter(known.bounds(target, age)))
        least = None if target is None else min(known.arrived, target)
        ms = (None if x is None else x * 1e3 for x in (known.queue, age))
        queue, evidence = ms
        return Estimate(target, least, most, queue, known.state, evidence)
