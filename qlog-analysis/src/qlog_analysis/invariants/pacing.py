"""What is sent never runs ahead of the reported pacing rate by more than a stated burst (RFC 9002 section 7.7)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Ints
from ..measure.data_events import Kind, OfKind, Rows, SendLimits, frames_of, in_order
from ..measure.waiting import Waiting
from ..metrics.windows import Sends, Window
from .invariant import Invariant, Judged, Watch
from .seen import INITIAL_WINDOW, Seen, SeenWindow

CATCH_UP = 1e-3
"""s: quiche's pacer may make up for so much of a late departure (`burst_allowance` of the controllers here)."""
TOGETHER = 50e-6
"""s: what is due so soon an endpoint may send at once (quiche's `ReleaseDecision::EQUAL_THRESHOLD`). That is counted
from when it sends: were it from a release that lies ahead itself, one burst would lead to the next without end."""
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
"""hybrid's: in start-up three together show the slowest link, by receive timestamps."""
QUICHES = Burst(paced=2, after_idle=INITIAL_WINDOW, first=INITIAL_WINDOW)
"""The pacer's own: LUMPY_PACING_SIZE and INITIAL_UNPACED_BURST."""
OTHERS = Burst(paced=INITIAL_WINDOW, after_idle=INITIAL_WINDOW, first=INITIAL_WINDOW)
"""RFC 9002 section 7.7: bursts are limited to the initial window."""


@dataclass(slots=True)
class Schedule:
    """When the next packet is due, if every one since the last pause left when it was due.

    How long a packet takes, quiche's pacer counts by the rate at which that packet leaves, and moves no release later.
    So a rate counts from the first packet on that leaves after its report, and one that falls needs no tolerance."""

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


def judge(seen: Seen) -> Watch:
    return Pacing(seen)


class Pacing:
    def __init__(self, seen: Seen, alone: Sequence[tuple[int, int]] = ()) -> None:
        """`alone` are spans of records, in their order, between which no three packets of start-up leave together: of
        a trace's own controller more may be known than an invariant says."""
        self._seen, self._burst = seen, burst_of(seen)
        self._plan = Schedule(self._burst)
        self._held = _Held(seen, self._burst)
        self._states = np.array([x.record for x in seen.trace.states], dtype=np.int64)
        self._alone = np.array(alone, dtype=np.int64).reshape(-1)
        probes = self._burst is PROBING and len(seen.trace.feedback.received_packet) > 0
        self._probes = np.array([*(x.name == "startup" and probes for x in seen.trace.states), False])
        """Whether three may leave together in each state; the last one stands for none."""
        self._several = np.zeros(PROBING.paced - 1, dtype=np.bool_)
        """Of the last packets whether several might leave together."""
        self._idle: int | None = None
        """How many may leave unpaced from the next one on, because nothing was in flight since the last one."""
        self._before = math.nan
        self._reported = False
        self._out = Judged()

    def add(self, shown: SeenWindow, /) -> None:
        s, sent, plan = shown.window.sends, self._seen.trace.sent, self._plan
        self._reported |= bool(np.isfinite(s.pacing).any())
        if not self._seen.trace.sizes_known:
            return
        transfer = 8.0 * s.size / (s.pacing + 8.0) - SHORTER
        data = frames_of(sent, s.packet)[1] > 0  # quiche paces what carries data
        paced = np.flatnonzero((s.record < self._seen.until) & data & ~np.isnan(transfer))
        times = (c[paced].tolist() for c in (s.time, transfer))
        held = self._held.before(shown.window, paced)
        rows = zip(*times, self._unpaced(shown, paced), self._together(s, paced), held, strict=True)
        for i, (time, takes, free, most, was_held) in enumerate(rows):
            if free is not None:
                plan.free = free
            if was_held:
                plan.interrupted(time)
            elif plan.free == 0:
                self._out.cases += 1
                self._out.seconds += 0.0 if math.isnan(self._before) else time - self._before
            early = plan.early(time, most)
            if early > TOGETHER + TRUNCATED:
                packet = paced[i]
                self._out.breach(
                    time,
                    f"packet {sent.number[int(s.packet[packet])]} leaves {early * 1e3:.3f} ms before "
                    f"{s.pacing[packet] / 1e6:.3f} Mbit/s and a burst of {most} allow",
                )
                plan.due = time  # what follows is judged for itself
            plan.left(time, takes)
            self._before = time

    def judged(self) -> Judged:
        if not self._reported:
            return Judged.nothing("the trace does not report a pacing rate")
        if not self._seen.trace.sizes_known:
            return Judged.nothing("the trace does not give the size of every packet")
        return self._out

    def _together(self, s: Sends, paced: Ints) -> list[int]:
        """How many packets may leave together with each of these: a burst that has begun goes on."""
        burst = self._burst
        if not self._seen.ours or not len(paced):
            return [burst.paced] * len(paced)
        probes = self._probes[np.searchsorted(self._states, s.record) - 1]
        probes &= np.searchsorted(self._alone, s.record) % 2 == 0
        several = ((s.pacing > PAIRS_ABOVE) | probes)[paced]
        several = np.concatenate((self._several, several))
        self._several = several[len(several) - len(self._several) :]
        recently = np.convolve(several, np.ones(PROBING.paced))[len(self._several) : len(several)] > 0
        return [burst.paced if x else 1 for x in recently.tolist()]

    def _unpaced(self, shown: SeenWindow, paced: Ints) -> list[int | None]:
        """How many packets may leave unpaced from each on because nothing was in flight at it, or at one since the
        packet before it; None where something was."""
        s = shown.window.sends
        out: list[int | None] = [None] * (len(paced) + 1)
        out[0] = self._idle
        empty = np.flatnonzero(s.in_flight <= 0.0)
        known = ~np.isnan(shown.ptos_before(s.record[empty]))
        for i, rtt_known in zip(np.searchsorted(paced, empty).tolist(), known.tolist(), strict=True):
            out[i] = self._burst.after_idle if rtt_known else self._burst.first
        self._idle = out.pop()
        return out


class _Held:
    """Whether anything else than pacing holds the sender back. quiche's pacer begins a new burst after the application
    had nothing to send, or, where three packets may leave together, after the window was full, and what was left of the
    burst before lets it begin at once: a source that writes packet by packet is not paced."""

    def __init__(self, seen: Seen, burst: Burst) -> None:
        self._full = seen.o.full
        self._by_window = burst is PROBING
        written = seen.trace.written
        known = len(written) and seen.trace.first_limits is not None
        self._written = Rows(Kind.WRITTEN, written.record, written.time) if known else None
        self._limits = SendLimits(seen.trace)
        self._waiting = Waiting(seen.trace, losses=False)
        self._last = False

    def before(self, w: Window, paced: Ints) -> list[bool]:
        """Before each of these of the window's `sends`; to be asked of every window."""
        s = w.sends
        otherwise = ((s.in_flight + s.size + self._full > s.window) & self._by_window)[paced]
        if self._written is not None:
            sent = OfKind(Kind.SENT, s.record[paced], s.time[paced], s.packet[paced])
            _, _, events = in_order([sent, self._written.until(w.next_record), *self._limits.until(w.next_record)])
            otherwise |= ~self._waiting.after(events)[events.kind == Kind.SENT]
        held = [self._last, *otherwise.tolist()]
        self._last = held.pop()
        return held


INVARIANT = Invariant(
    name="pacing",
    holds="over any stretch no more is sent than the pacing rates that were reported allow, and a burst",
    needs=("packet_sent", "packet_received with ACK frames", "recovery_metrics_updated with pacing_rate"),
    tolerance="1.05 ms, by which quiche's pacer makes up for late departures or joins two; a rate counts from the "
    "first packet on that leaves after its report; together one packet of this project's controllers, two above 12 "
    "Mbit/s, three in hybrid's start-up with receive timestamps; two of others in quiche and ten after idle, ten of "
    "other writers (RFC 9002 section 7.7); packets that the application (or, of hybrid, the window) held back: "
    "quiche's pacer then begins a new burst",
    unit="packets",
    least=10,
    judge=judge,
)
