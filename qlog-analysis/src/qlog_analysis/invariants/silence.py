"""A sender that may send and has something to send does not fall silent (RFC 9002 sections 6.2 and 7)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..measure.data_events import Events, Kind
from ..measure.waiting import Waiting
from ..metrics.acks import acks_of
from ..metrics.windows import Sends
from ..model import NEVER, Trace
from ..packed import take
from .invariant import Breach, Invariant, Judged, Watch
from .pacing import CATCH_UP
from .seen import PART, Seen, SeenWindow
from .steps import Steps, StepsOf

SLACK = 0.05
"""s: the timers and the event loop of a busy machine."""
SLOW = 0.9
"""Of the probe timeout: after so long a packet is a probe."""


@dataclass(frozen=True, slots=True)
class _Moments:
    """Since when a packet could leave, and since when a probe is awaited: what holds before each event, or at the
    end."""

    time: Floats
    """Of the event, or the end, s."""
    ready: Floats
    """Since when data waits that window and flow control let go; NaN where it does not."""
    awaited: Floats
    """Since when something in flight is neither acknowledged nor probed for; NaN where nothing is."""
    pto: Floats
    """s; NaN before the first round trip is known."""
    pto_then: Floats
    """After the event."""
    probe: Floats
    """When a probe is due: the probe timeout, doubled with each one since the last ACK, s."""
    ends_ready: Bools
    """Whether the event, or the end, is the last moment of that."""
    ends_awaited: Bools
    told: Bools
    """Whether the event is feedback."""

    def breaches(self, due: Callable[[], list[float]]) -> list[Breach]:
        """`due`: when the pacing rate lets the next packet leave, before each event or at the end."""
        late = self.ends_ready & (self.time - self.ready > self.pto_then + SLACK)
        unprobed = self.ends_awaited & (self.time - self.awaited > self.probe + SLACK)
        if not late.any() and not unprobed.any():
            return []
        paced, found = due(), []
        for i in np.flatnonzero(late | unprobed).tolist():
            time = float(self.time[i])
            ready, awaited = (time - max(float(since[i]), paced[i]) for since in (self.ready, self.awaited))
            messages = []
            if late[i] and ready > self.pto_then[i] + SLACK:
                messages.append(
                    f"nothing was sent for {ready * 1e3:.1f} ms although data waited, and window and pacing let it go; "
                    f"the probe timeout is {self.pto_then[i] * 1e3:.1f} ms"
                )
            if unprobed[i] and awaited > self.probe[i] + SLACK:
                messages.append(
                    f"nothing was sent for {awaited * 1e3:.1f} ms with packets in flight and no ACK; a probe is due "
                    f"after {self.probe[i] * 1e3:.1f} ms"
                )
            # An ACK ends what was awaited before it says what may leave.
            found += [Breach(time, message) for message in (reversed(messages) if self.told[i] else messages)]
        return found


class _Since:
    """Since when something holds."""

    def __init__(self) -> None:
        self._holds, self._begin = False, math.nan

    def before(self, time: Floats, holds: Bools, anew: Bools) -> Floats:
        """Before each of the events that come next; NaN where it does not hold. With some events it begins anew."""
        begins = holds & (anew | ~np.concatenate(([self._holds], holds[:-1])))
        latest = np.maximum.accumulate(np.where(begins, np.arange(1, len(time) + 1), 0))
        began = np.concatenate(([self._begin], time))[latest]
        out = np.concatenate(([self.now], np.where(holds, began, np.nan)))
        self._holds, self._begin = bool(holds[-1]), float(began[-1])
        return out[:-1]

    @property
    def now(self) -> float:
        return self._begin if self._holds else math.nan


class _Silence:
    def __init__(self, seen: Seen, begin: int) -> None:
        self._seen, self._begin = seen, begin
        self._steps_of = StepsOf(seen, begin)
        self._waiting = Waiting(seen.trace)
        self._ready, self._awaited = _Since(), _Since()
        self._pto = math.nan
        self._probes = self._answered = 0
        """How many there were, and when the last ACK came."""
        self._due = _Due(seen)
        self._last_time = 0.0
        self._steps = 0
        self._out = Judged()

    def add(self, shown: SeenWindow, /) -> None:
        steps = self._steps_of.of(shown)
        self._due.enter()
        if not len(steps.record):
            return
        pto = self._ptos(shown, steps)
        known = (steps.record >= self._begin) & ~np.isnan(pto[1:])
        able = known & steps.room & self._waiting.after(steps.events)
        took = np.diff(steps.time, prepend=self._last_time)
        moments = self._moments(steps, pto, able, known & ~(steps.in_flight <= 0.0))
        watched = ~(np.isnan(moments.ready) & np.isnan(moments.awaited))
        self._out.cases += int((watched & (steps.is_kind(Kind.SENT) | steps.is_kind(Kind.FEEDBACK))).sum())
        self._out.seconds = float(np.cumsum(np.append(self._out.seconds, took[watched]))[-1])
        self._out.breaches += moments.breaches(partial(self._due.before, steps.events))
        self._steps += len(steps.record)

    def _ptos(self, shown: SeenWindow, steps: Steps) -> Floats:
        """Before the first and after each of the steps."""
        told = steps.is_kind(Kind.FEEDBACK)
        after = shown.pto_high[1:][steps.events.which[told] - shown.window.feedback.start]
        return np.concatenate(([self._pto], np.concatenate(([self._pto], after))[np.cumsum(told)]))

    def _moments(self, steps: Steps, pto: Floats, able: Bools, flying: Bools) -> _Moments:
        sent, told = steps.is_kind(Kind.SENT), steps.is_kind(Kind.FEEDBACK)
        ready = self._ready.before(steps.time, able, sent)
        awaited = self._awaited.before(steps.time, flying, sent | told)
        probes = self._probes + np.cumsum(sent & (steps.time - awaited >= SLOW * pto[:-1]))
        answered = np.zeros(len(sent), dtype=np.bool_)
        which = steps.events.which[told]
        if len(which):
            answered[told] = _counts(self._seen.trace, which) > 0
        before = np.maximum.accumulate(np.concatenate(([self._answered], np.where(answered, probes, 0))))
        self._pto, self._probes, self._answered = float(pto[-1]), int(probes[-1]), int(before[-1])
        self._last_time = float(steps.time[-1])
        probe = pto[:-1] * 2.0 ** (probes - before[:-1])
        return _Moments(steps.time, ready, awaited, pto[:-1], pto[1:], probe, sent | ~able, sent | told, told)

    def judged(self) -> Judged:
        if self._steps:
            seen = self._seen
            end = self._last_time if seen.until != NEVER else min(seen.trace.end, seen.o.end)
            self._out.breaches += self._at_the_end(end).breaches(lambda: [self._due.at_the_end()])
        return self._out

    def _at_the_end(self, end: float) -> _Moments:
        pto, yes = np.array([self._pto]), np.array([True])
        return _Moments(
            time=np.array([end]),
            ready=np.array([self._ready.now]),
            awaited=np.array([self._awaited.now]),
            pto=pto,
            pto_then=pto,
            probe=pto * 2.0 ** (self._probes - self._answered),
            ends_ready=yes,
            ends_awaited=yes,
            told=~yes,
        )


class _Due:
    """When the pacing rate lets the next packet leave. It is gone through when it is asked for, which is seldom."""

    def __init__(self, seen: Seen) -> None:
        self._windows = seen.o.windows()
        self._entered = self._taken = 0
        self._due, self._until, self._end = -math.inf, seen.until, seen.o.end

    def enter(self) -> None:
        """The next window begins."""
        self._entered += 1

    def before(self, events: Events) -> list[float]:
        """Before each of the events of the window."""
        rows: tuple[Ints, list[float]] = np.empty(0, dtype=np.int64), [self._due]
        while self._taken < self._entered:
            rows = self._take(next(self._windows).sends)
        packets, due = rows
        places, sent = events.of(Kind.SENT)
        places = places[np.isin(sent, packets)]
        return [due[i] for i in np.searchsorted(places, np.arange(len(events))).tolist()]

    def _take(self, s: Sends) -> tuple[Ints, list[float]]:
        """The packets that are paced, and when the next is due before each of them and after all."""
        self._taken += 1
        transfer = 8.0 * s.size / s.pacing
        some = np.isfinite(transfer) & (s.record < self._until) & (s.time <= self._end)
        rows = zip(s.time[some].tolist(), transfer[some].tolist(), strict=True)
        due = list(accumulate(rows, lambda due, row: max(due, row[0] - CATCH_UP) + row[1], initial=self._due))
        self._due = due[-1]
        return s.packet[some], due

    def at_the_end(self) -> float:
        while self._taken < self._entered:
            self._take(next(self._windows).sends)
        return self._due


def _counts(trace: Trace, feedback: Ints) -> Ints:
    """How many packets each of these newly acknowledges."""
    before = np.where(feedback > 0, take(trace.feedback.acked_end, np.maximum(feedback - 1, 0)), 0)
    return np.asarray(take(trace.feedback.acked_end, feedback) - before, dtype=np.int64)


def judge(seen: Seen) -> Judged | Watch:
    begin = _handshake_ends(seen)
    if begin is None or not seen.o.own.any():
        return Judged.nothing("the trace does not show a handshake that is over")
    return _Silence(seen, begin)


def _handshake_ends(seen: Seen) -> int | None:
    """Record from which on data may leave: the server may be held back before it knows the client's address."""
    done = [s.record for s in seen.trace.signals if s.kind == "handshake_done"]
    for first in range(0, len(seen.trace.feedback), PART):
        acked = acks_of(seen.trace, range(first, min(first + PART, len(seen.trace.feedback)))).record
        if len(acked):
            return min([*done, int(acked[0])])
    return min(done, default=None)


INVARIANT = Invariant(
    name="silence",
    holds="no longer than a probe timeout passes without a packet while data is known to wait that window, pacing and "
    "flow control let go; nor, doubled with each probe, while packets are in flight and no ACK comes",
    needs=("packet_sent", "packet_received with ACK frames", "of new data: stream_data_moved, and the peer's limits"),
    tolerance="50 ms, for timers and event loops of busy machines; the probe timeout as long as truncated times allow",
    unit="packets and ACKs",
    least=10,
    judge=judge,
)
