"""Loss events and the intervals between them: "Losses" and "p" in docs/papers/raimd.md."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..measure.packets import Packets
from ..measure.persistent import PersistentCongestion
from ..measure.rtt import Rtt
from ..model import TIME_RESOLUTION, Feedback, Trace
from . import law

KEPT = 2.0
"""Smoothed RTTs before the newest packet acknowledged, of which it is known what was sent."""
SHIFT = 2.0 * TIME_RESOLUTION


@dataclass(slots=True)
class Cycle:
    """What was sent and acknowledged since the last decrease."""

    trace: Trace
    rtt: Rtt
    history: int
    _since: float | None = None
    """When S was last lowered."""
    _start: int = 0
    """Ack-eliciting packets sent until then."""
    _back: tuple[int, ...] = (0,)
    """The same until the newest that was acknowledged; more than one where times of a microsecond leave it open."""
    _forgotten: tuple[int, int] = (0, 0)
    """The same until the oldest of which it is still known when it left, at least and at most."""
    _closed: list[int] = field(default_factory=list)
    _packets: Packets = field(init=False)
    _persistent: PersistentCongestion = field(init=False)

    def __post_init__(self) -> None:
        self._packets = Packets(self.trace)
        self._persistent = PersistentCongestion(self.trace)

    @property
    def any_loss(self) -> bool:
        return bool(self._closed)

    def sent_before(self, f: Feedback) -> int:
        """Ack-eliciting packets sent before a feedback."""
        return self._packets.count_before(f.record)

    def causes(self, f: Feedback) -> set[str | None]:
        """What the losses of a feedback lead to; None for nothing. To be called for every feedback."""
        persistent = self._persistent.record(f, self.rtt)
        out: set[str | None] = {"persistent_congestion"} if True in persistent else set()
        if False in persistent:
            counts = self._events(f)
            sure = any(self.trace.sent.ack_eliciting[p] for p in counts)
            out |= {"loss"} if sure else {"loss", None} if counts else {None}
        return out

    def _events(self, f: Feedback) -> list[int]:
        """Lost packets that were sent after the last decrease."""
        sent = self.trace.sent.time
        return [p for p in f.lost if self._since is None or sent[p] > self._since]

    def intervals(self, f: Feedback) -> set[int]:
        """n of the interval that a loss event ends: to the first packet lost, or the first that surely counts."""
        counts = self._events(f)
        first = counts[:1] + [p for p in counts if self.trace.sent.ack_eliciting[p]][:1]
        until = {n for p in first for n in self._until(p)}
        least, most = self._forgotten
        until |= {n for n in range(least, most + 1) if n > min(until, default=n)}
        return {max(n - self._start, 1) for n in until}

    def _until(self, packet: int) -> tuple[int, int]:
        """Packets sent until this one left: without and with others of the same microsecond."""
        at = self._packets.sent_at(packet)
        return self._packets.count_up_to(packet), self._packets.count_until(at)

    def decrease(self, f: Feedback, interval: int | None) -> None:
        """S was lowered; `interval` is what that has closed, if anything."""
        self._since, self._start = f.time, self.sent_before(f)
        if interval is not None:
            self._closed = [interval, *self._closed][: self.history]

    def acked(self, f: Feedback) -> None:
        """To be called for every feedback, after the update: the open interval is as of the ACK before."""
        newest = [*self._packets.acked(f)][-1:]
        if newest:
            self._forget(self._packets.sent_at(newest[0]))
            until = self._until(newest[0])
            self._back = tuple({max(a, b) for a in self._back for b in until} if len(self._back) < 4 else until)

    def _forget(self, newest: float) -> None:
        """What left two round trips before the newest packet acknowledged, and earlier, counts as the last of these."""
        if self.rtt.smoothed is not None:
            ends = (newest - KEPT * self.rtt.smoothed.high, newest - KEPT * self.rtt.smoothed.low)
            counts = (self._packets.count_until(x + shift) for x, shift in zip(ends, (-SHIFT, SHIFT), strict=True))
            low, high = self._forgotten
            least, most = counts
            self._forgotten = max(low, least), max(high, most)

    def open(self) -> set[int]:
        return {max(n - self._start, 0) for n in self._back}

    def loss_rate(self, open_: int) -> float:
        """p"""
        return law.loss_rate(self._closed, open_, self.history)
