"""Slow start and the reaction to loss that `smallq` and `vegas` share: NewReno's (RFC 9002, section 7), as
"Slow start and loss" in docs/papers/smallq.md has it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .check.numbers import REPORT_ROUNDING
from .measure.packets import Packets
from .measure.persistent import PersistentCongestion
from .measure.rtt import Rtt
from .measure.used import Used
from .model import Feedback, Trace

MIN_WINDOW_PACKETS = 2
"""RFC 9002 section 7.2."""
LOSS = "loss"
PERSISTENT = "persistent_congestion"


def floor_of(window: float, packet: int) -> float:
    """The window, two packets at least."""
    return max(window, float(MIN_WINDOW_PACKETS * packet))


def initial_window(trace: Trace) -> float:
    """w before any feedback, bytes. It stays when the peer's limit makes packets smaller, which the controller hears of
    before it tells their size: then quiche's first window is as many packets of the larger size."""
    told, first = trace.parameters[0].data, trace.first_window
    packets = max(told.initial_window, MIN_WINDOW_PACKETS)
    window = float(packets * told.max_datagram_size)
    limited = told.max_datagram_size == trace.peer_max_udp_payload_size
    return first if limited and first > window and first % packets == 0.0 else window


def after_loss(window: float, packet: int, reaction: str) -> float:
    """w after a reaction."""
    return floor_of(window / 2.0 if reaction == LOSS else 0.0, packet)


def thresholds_after_loss(window: float, threshold: float, packet: int, reaction: str) -> set[float]:
    """ssthresh after a reaction to loss; whether a collapse was a halving as well is not always known."""
    halved = floor_of(window / 2.0, packet)
    return {halved} if reaction == LOSS else {halved, threshold}


def whole_packets(window: float, packet: int) -> set[int]:
    """What may be in flight, as far as the rounding of the window leaves that open."""
    return {math.floor((window + shift) / packet) * packet for shift in (-2.0 * REPORT_ROUNDING, 2.0 * REPORT_ROUNDING)}


def phase(window: float, threshold: float, recovering: bool) -> str:
    if recovering:
        return "recovery"
    return "slow_start" if window < threshold else "congestion_avoidance"


@dataclass(frozen=True, slots=True)
class Counted:
    """What of a feedback may change the window: packets that were sent after the last reaction to a loss."""

    packets: int
    bytes: int
    """Of those that are ack-eliciting, whether the window is used or not."""


@dataclass(slots=True)
class Recovery:
    """Which packets show the effect of the last reaction to a loss, and what losses lead to."""

    trace: Trace
    rtt: Rtt
    recovering: bool = False
    used: Used = field(init=False)
    _since: float | None = None
    _persistent: PersistentCongestion = field(init=False)
    _packets: Packets = field(init=False)

    def __post_init__(self) -> None:
        self._persistent = PersistentCongestion(self.trace)
        self._packets = Packets(self.trace)
        self.used = Used(self.trace)

    def shows(self, packet: int) -> bool:
        """Whether it was sent after the last reaction to a loss."""
        return self._since is None or self.trace.sent.time[packet] > self._since

    def reactions(self, f: Feedback) -> set[str | None]:
        """What the losses of a feedback may lead to; more than one where the trace leaves it open. To be called for
        every feedback, after `Rtt.record`; `follow` tells which it was."""
        self.used.record(f)
        if any(self.shows(p) for p in self._packets.acked(f)):
            self.recovering = False
        counts = [p for p in f.lost if self.shows(p)]
        sure = any(self.trace.sent.ack_eliciting[p] for p in counts)
        halved: set[str | None] = {LOSS} if sure else {LOSS, None} if counts else {None}
        persistent = self._persistent.record(f, self.rtt)
        return ({PERSISTENT} if True in persistent else set()) | (halved if False in persistent else set())

    def follow(self, f: Feedback, reaction: str | None) -> None:
        if reaction == LOSS:
            self._since, self.recovering = f.time, True
        elif reaction == PERSISTENT:
            self._since, self.recovering = None, False

    def counted(self, f: Feedback) -> Counted:
        chosen = [p for p in self._packets.acked(f) if self.shows(p)]
        return Counted(len(chosen), sum(self._packets.size(p) for p in chosen))
