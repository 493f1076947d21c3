"""What is sent never runs ahead of the reported pacing rate by more than a stated burst (RFC 9002 section 7.7)."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Bools, Ints
from .data_events import Events, Kind
from .invariant import Invariant, Judged
from .seen import INITIAL_WINDOW, Seen
from .waiting import waits_after

CATCH_UP = 1e-3
"""s: quiche's pacer may make up for so much of a late departure (`burst_allowance` of the controllers here)."""
TOGETHER = 50e-6
"""s: what is released so close together an endpoint may send at once (quiche's `ReleaseDecision::EQUAL_THRESHOLD`)."""
TRUNCATED = 2e-6
"""s: the difference of two times, each truncated to 1 us."""
SHORTER = 1e-9
"""s: quiche's pacer counts in whole nanoseconds. At 1 Gbit/s that adds up to 50 us per second of a busy link."""


@dataclass(frozen=True, slots=True)
class Burst:
    """Packets."""

    paced: int
    """That may leave together."""
    after_idle: int
    """That may leave unpaced when nothing is in flight."""
    first: int
    """The same before the first round trip is known."""


OURS = Burst(paced=2, after_idle=0, first=3)
"""Of this project's controllers: two together above 12 Mbit/s, and three of the handshake's flight."""
PAIRS_ABOVE = 12e6
"""bit/s: below that one packet leaves at a time, but in hybrid's start-up."""
PROBING = Burst(paced=3, after_idle=0, first=3)
"""hybrid's: in start-up three together show the slowest link."""
QUICHES = Burst(paced=2, after_idle=INITIAL_WINDOW, first=INITIAL_WINDOW)
"""The pacer's own: LUMPY_PACING_SIZE and INITIAL_UNPACED_BURST."""
OTHERS = Burst(paced=INITIAL_WINDOW, after_idle=INITIAL_WINDOW, first=INITIAL_WINDOW)
"""RFC 9002 section 7.7: bursts are limited to the initial window."""


@dataclass(slots=True)
class Schedule:
    """When the next packet is due, if every one since the last pause left when it was due."""

    burst: Burst
    due: float = -math.inf
    free: int = 0
    last: deque[float] = field(default_factory=deque)
    """How long those take that may just have left together with the next one."""

    def early(self, time: float, together: int) -> float:
        """By how much more than a burst of so many packets one leaves too early."""
        if self.free or self.due <= time:
            return -math.inf
        return self.due - sum(self.last[-1 - i] for i in range(min(together - 1, len(self.last)))) - time

    def interrupted(self, time: float) -> None:
        """Something else than pacing held the sender back: the burst begins anew."""
        self.due = min(self.due, time)
        self.last.clear()

    def left(self, time: float, transfer: float) -> None:
        if self.free:
            self.free -= 1
            return
        self.due = max(self.due, time - CATCH_UP) + transfer
        self.last.append(transfer)
        if len(self.last) >= self.burst.paced:
            self.last.popleft()


def burst_of(seen: Seen) -> Burst:
    """What the sender of a trace is allowed."""
    if seen.ours:
        return PROBING if seen.trace.controller == "hybrid" else OURS
    return QUICHES if seen.trace.native else OTHERS


def _together(seen: Seen, paced: Ints) -> list[int]:
    """How many packets may leave together with each of these: a burst that has begun goes on."""
    s, states, burst = seen.o.sends, seen.trace.states, burst_of(seen)
    if not seen.ours or not len(paced):
        return [burst.paced] * len(paced)
    state = np.searchsorted(np.array([x.record for x in states], dtype=np.int64), s.record) - 1
    starts = np.array([*(x.name == "startup" for x in states), False])[state]  # the last one stands for none
    several = ((s.pacing > PAIRS_ABOVE) | (starts & (burst is PROBING)))[paced]
    recently = np.convolve(several, np.ones(PROBING.paced))[: len(several)] > 0
    return [burst.paced if x else 1 for x in recently.tolist()]


def judge(seen: Seen) -> Judged:
    s = seen.o.sends
    if not np.isfinite(s.pacing).any():
        return Judged.nothing("the trace does not report a pacing rate")
    if not seen.trace.sizes_known:
        return Judged.nothing("the trace does not give the size of every packet")
    out, sent, plan = Judged(), seen.trace.sent, Schedule(burst_of(seen))
    transfer = 8.0 * s.size / (s.pacing + 8.0) - SHORTER
    # quiche paces what carries data.
    data = np.diff(sent.first_frame, append=len(sent.frames))[s.packet] > 0
    paced = np.flatnonzero((s.record < seen.until) & data & ~np.isnan(transfer))
    idle = _idle(seen, paced)
    times = (c[paced].tolist() for c in (s.time, transfer))
    rows = zip(*times, idle, _together(seen, paced), _held(seen, paced), strict=True)
    before = math.nan
    for i, (time, takes, free, most, held) in enumerate(rows):
        if free is not None:
            plan.free = free
        if held:
            plan.interrupted(time)
        elif plan.free == 0:
            out.cases += 1
            out.seconds += 0.0 if math.isnan(before) else time - before
        early = plan.early(time, most)
        if early > TOGETHER + TRUNCATED:
            packet = paced[i]
            out.breach(
                time,
                f"packet {sent.number[s.packet[packet]]} leaves {early * 1e3:.3f} ms before "
                f"{s.pacing[packet] / 1e6:.3f} Mbit/s and a burst of {most} allow",
            )
            plan.due = time  # what follows is judged for itself
        plan.left(time, takes)
        before = time
    return out


def _idle(seen: Seen, paced: Ints) -> list[int | None]:
    """How many packets may leave unpaced from each on because nothing was in flight at it, or at one since the packet
    before it; None where something was."""
    s, burst = seen.o.sends, burst_of(seen)
    out: list[int | None] = [None] * len(paced)
    empty = np.flatnonzero(s.in_flight <= 0.0)
    at = np.searchsorted(paced, empty)
    known = ~np.isnan(seen.ptos_before(s.record[empty]))
    for i, rtt_known in zip(at.tolist(), known.tolist(), strict=True):
        if i < len(out):
            out[i] = burst.after_idle if rtt_known else burst.first
    return out


def _without_room(seen: Seen) -> Bools:
    """Of each of `sends` whether the window is full once it has left, where that makes the pacer begin a new burst."""
    s = seen.o.sends
    return (s.in_flight + s.size + seen.o.full > s.window) & (burst_of(seen) is PROBING)


def _held(seen: Seen, paced: Ints) -> list[bool]:
    """Whether anything else than pacing held the sender back before each of these. quiche's pacer begins a new burst
    after the application had nothing to send, or, where three packets may leave together, after the window was full,
    and what was left of the burst before lets it begin at once: a source that writes packet by packet is not paced."""
    trace, s = seen.trace, seen.o.sends
    otherwise = _without_room(seen)[paced]
    if len(trace.written) and trace.first_limits is not None:
        written = np.array(trace.written.record, dtype=np.int64)
        order = np.argsort(np.concatenate((written, s.record[paced])), kind="stable")
        kind = np.repeat((Kind.WRITTEN, Kind.SENT), (len(written), len(paced)))[order]
        which = np.concatenate((np.arange(len(written)), s.packet[paced]))[order]
        otherwise |= ~waits_after(trace, Events(kind, which))[kind == Kind.SENT]
    return [False, *otherwise.tolist()][:-1]


INVARIANT = Invariant(
    name="pacing",
    holds="over any stretch no more is sent than the pacing rates that were reported allow, and a burst",
    needs=("packet_sent", "packet_received with ACK frames", "recovery_metrics_updated with pacing_rate"),
    tolerance="1.05 ms, by which quiche's pacer makes up for late departures or joins two; together one packet of this "
    "project's controllers, two above 12 Mbit/s, three in hybrid's start-up; two of others in quiche and ten after "
    "idle, ten of other writers (RFC 9002 section 7.7); packets that the application (or, of hybrid, the window) held "
    "back: quiche's pacer then begins a new burst",
    unit="packets",
    least=10,
    judge=judge,
)
