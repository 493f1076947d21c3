"""ECN counts of ACK frames (RFC 9000, section 19.3.2), and what `smallq` makes of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..model import Feedback, Space, Trace

EVIDENCE = 10
"""Packets acknowledged without counts that show that there will be none."""


@dataclass(slots=True)
class Counts:
    """Increases of the counts, per packet number space."""

    trace: Trace
    _counted: dict[Space, tuple[int, int]] = field(default_factory=dict)
    _largest: dict[Space, int] = field(default_factory=dict)

    def increases(self, f: Feedback) -> set[tuple[int, int]]:
        """What ECT and CE counts may have risen by. Counts in an ACK that does not raise the largest acknowledged
        number are not looked at (RFC 9000, section 13.4.2.1), and none after quiche has found them wrong."""
        newest = max((self.trace.sent.number[self.trace.acked[i]] for i in f.acked), default=-1)
        raised = newest > self._largest.get(f.space, -1)
        self._largest[f.space] = max(newest, self._largest.get(f.space, -1))
        if f.ecn is None or not raised:
            return {(0, 0)}
        ect, ce = self._counted.get(f.space, (0, 0))
        rise = (f.ecn[0] - ect, f.ecn[1] - ce)
        return {rise} if min(rise) >= 0 and self.trace.ecn_works(f.group_end) else {(0, 0)}

    def follow(self, f: Feedback, rise: tuple[int, int]) -> None:
        ect, ce = self._counted.get(f.space, (0, 0))
        self._counted[f.space] = (ect + rise[0], ce + rise[1])


@dataclass(slots=True)
class EcnWatch:
    """`ecn` of `cc:smallq_updated`: "Where ECN doesn't work" in docs/papers/smallq.md."""

    trace: Trace
    state: str = "testing"
    _counted_at: float = -1.0
    _unanswered: int = 0

    def record(self, f: Feedback, rise: tuple[int, int]) -> None:
        if any(rise):
            self.state, self._counted_at, self._unanswered = "capable", f.time, 0
        elif f.space is Space.APPLICATION:
            sent = self.trace.sent
            self._unanswered += sum(sent.time[self.trace.acked[i]] > self._counted_at for i in f.acked)
            if self._unanswered >= EVIDENCE:
                self.state = "unavailable"
