"""What the delay says of the path: that it became longer, or that others fill its queue; and when it was changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..metrics.observed import FEWEST_SAMPLES, Observed
from ..model import Signal
from ..percentiles import median
from .interruptions import Interruption
from .limits import floor

RECENT = 20
"""Bins that say what is usual before something changes."""
GIVES_WAY = 0.5
"""Of what was in flight, at most so much is left."""
LASTS = 1.5
"""Round trips; a shorter time shows nothing, as what was sent before is still there."""
STAYS, FALLS, RISES = 0.6, 0.3, 2.0
"""Of the delay before. What a sender queued itself falls by half or more when it halves what it has in flight. A delay
that rises to so much is none that stays: others come just then, or packets and ACKs go in batches."""
WORTH = 5e-3
"""s; and a tenth of the smallest round trip, and what two packets take. Shorter delays say nothing."""
LEVEL_TIME = 1.0
"""s; and at least `RECENT` bins. The smallest delay in so long is a level of the path."""
LEVELS = 10
"""A new level of the path lasts for so many of these times, or for three and until the trace ends."""
BURST_BINS = 8
EXPLAINED = 0.5
"""Of a rise: if the sender's own burst explains so much, it is none of the path."""
AS_A_RULE = 0.9
"""Of the bins before a rise, so many have a shorter delay than all after it."""
KEPT = 0.7
"""Of a step: if so much never goes away again, the level may vary with the sender's own queue."""
STEADY = 0.2
"""Of a step: by so much, or by 2 ms, levels may differ and are still the same."""


@dataclass(frozen=True, slots=True)
class GaveWay:
    """The sender had much less in flight for longer than a round trip, while a queue stood."""

    begin: float
    end: float
    delay_before: float
    delay_after: float
    """The smallest of the second half, s."""

    @property
    def stays(self) -> bool:
        return STAYS * self.delay_before <= self.delay_after < RISES * self.delay_before

    @property
    def falls(self) -> bool:
        return self.delay_after <= FALLS * self.delay_before


@dataclass(frozen=True, slots=True)
class Step:
    """The smallest delay rose at once, and stayed there until the trace ended or it changed again."""

    time: float
    until: float
    before: float
    """Queueing delay as the metrics count it, s."""
    after: float


@dataclass(frozen=True, slots=True)
class Change:
    """A path was probed after the handshake (RFC 9000 section 8.2)."""

    time: float
    by_peer: bool
    """The peer sent the PATH_CHALLENGE; else this side."""
    validated: bool | None
    """Whether the answer came; None where it was this side's to give."""


@dataclass(frozen=True, slots=True)
class Paths:
    gave_way: list[GaveWay]
    steps: list[Step]
    changes: list[Change]


def paths_of(o: Observed, edges: Floats, after: float, interruptions: list[Interruption]) -> Paths:
    """`after`: when handshake and start-up were over."""
    lowest = floor(o, edges)
    if len(o.samples) < FEWEST_SAMPLES:
        return Paths([], [], _changes(o))
    came = o.acked_bytes(edges)
    per_packet = o.full * float(edges[1] - edges[0]) / median(came[came > 0.0]) if came.any() else 0.0
    worth = max(WORTH, 0.1 * (o.base_rtt or 0.0), 2.0 * per_packet)
    episodes = [g for g in _gave_way(o, edges, lowest, worth) if not any(_meet(g, i) for i in interruptions)]
    steps = [s for s in _steps(edges, lowest, worth, after, o.end) if not _own_queue(o, edges, s)]
    steady = [s for s in steps if not any(i.begin - 1.0 <= s.time <= i.end + 1.0 for i in interruptions)]
    return Paths(episodes, steady, _changes(o))


def _meet(g: GaveWay, i: Interruption) -> bool:
    return g.begin <= i.end + 2.0 * i.rtt and i.begin <= g.end


def _gave_way(o: Observed, edges: Floats, lowest: Floats, worth: float) -> list[GaveWay]:
    middle = (edges[:-1] + edges[1:]) / 2.0
    flight = o.in_flight_at(middle)
    width = edges[1] - edges[0]
    out = []
    i = RECENT
    while i < len(flight):
        usual = median(flight[i - RECENT : i])
        if not 0.0 < flight[i] <= GIVES_WAY * usual:
            i += 1
            continue
        j = i
        while j < len(flight) and 0.0 < flight[j] <= GIVES_WAY * usual:
            j += 1
        before = lowest[i - RECENT : i][np.isfinite(lowest[i - RECENT : i])]
        later = lowest[(i + j) // 2 : j][np.isfinite(lowest[(i + j) // 2 : j])]
        long_enough = (j - i) * width >= LASTS * o.rtt_at(float(edges[i]))
        if long_enough and len(before) and len(later):
            usual_delay = median(before)
            # Where it falls while nobody gives way, as with packets or ACKs in batches, its fall or stay says nothing.
            if usual_delay >= worth and float(before.min()) > FALLS * usual_delay:
                out.append(GaveWay(float(edges[i]), float(edges[j]), usual_delay, float(later.min())))
        i = j + 1
    return out


def _steps(edges: Floats, lowest: Floats, worth: float, after: float, end: float) -> list[Step]:
    level = max(int(np.ceil(LEVEL_TIME / float(edges[1] - edges[0]))), RECENT)
    out: list[Step] = []
    k = max(int(np.searchsorted(edges, after)), 2) + level
    while k < len(lowest) - level:
        if _rise(lowest, k, level) < worth:
            k += 1
            continue
        k = max(range(k, min(k + level, len(lowest) - level)), key=lambda i: _rise(lowest, i, level))
        until = _until(lowest, k, level) if _usual_below(lowest, k, level) else k
        if until - k >= (3 if until == len(lowest) else LEVELS) * level:
            jump = lowest[k] - _rise_at_once(lowest, k)
            out.append(Step(float(edges[k]), min(float(edges[until]), end), float(jump), float(lowest[k])))
            k = until
        k += level
    return out


def _own_queue(o: Observed, edges: Floats, step: Step) -> bool:
    """Whether the sender's own burst explains much of a rise: what it had sent until the packets that met it left,
    beyond what usually comes back in such a time, waits in a queue."""
    width = float(edges[1] - edges[0])
    k = int(np.searchsorted(edges, step.time, side="right")) - 1
    last = float(edges[k + 1]) - (o.base_rtt or 0.0) - step.after
    sent = o.sent_bytes(last - width * np.arange(BURST_BINS, -1, -1, dtype=np.float64))
    came = o.acked_bytes(edges[max(k - RECENT, 0) : k + 1])
    usual = median(came[came > 0.0]) if (came > 0.0).any() else np.inf
    queued = 0.0
    for size in sent.tolist():
        queued = max(queued + size - usual, 0.0)
    return queued / usual * width >= EXPLAINED * (step.after - step.before)


def _usual_below(lowest: Floats, k: int, level: int) -> bool:
    """Whether the delays before a rise were shorter as a rule, and not only in a dip just before it."""
    before = lowest[k - level : k]
    known = before[np.isfinite(before)]
    return len(known) > 0 and float((known < lowest[k : k + level].min()).mean()) >= AS_A_RULE


def _rise(lowest: Floats, k: int, level: int) -> float:
    """From the level before a bin to that after it; 0 unless most of it came at once."""
    before, after = float(lowest[k - level : k].min()), float(lowest[k : k + level].min())
    known = np.isfinite(before) and np.isfinite(after)
    return after - before if known and _rise_at_once(lowest, k) >= 0.8 * (after - before) else 0.0


def _rise_at_once(lowest: Floats, k: int) -> float:
    """From one bin to the next but one."""
    near = lowest[k - 2 : k + 1]
    before = near[np.isfinite(near)][:1]
    return float(lowest[k] - before[0]) if len(before) and np.isfinite(lowest[k]) else 0.0


def _until(lowest: Floats, k: int, level: int) -> int:
    """The bin before which it stays."""
    low_after = float(lowest[k : k + level].min())
    step = low_after - float(lowest[k - level : k].min())
    if float(lowest[k:].min()) >= low_after - (1.0 - KEPT) * step and len(lowest) - k >= 5 * level:
        return len(lowest)
    return _steady_until(lowest, k, level, low_after, max(STEADY * step, 2e-3))


def _steady_until(lowest: Floats, k: int, level: int, value: float, tolerance: float) -> int:
    at = k
    while at < len(lowest):
        own = float(lowest[at : at + level].min())
        if np.isfinite(own) and abs(own - value) > tolerance and len(lowest) - at >= level:
            break
        at += level
    return min(at, len(lowest))


def _changes(o: Observed) -> list[Change]:
    """One per probed path: challenges within a second of each other are tries of the same."""
    signals = o.trace.signals
    out: list[Change] = []
    for s in signals:
        if s.kind != "path_challenge" or (out and s.time - out[-1].time < 1.0):
            continue
        out.append(Change(s.time, not s.sent, _answered(signals, s) if s.sent else None))
    return out


def _answered(signals: list[Signal], challenge: Signal) -> bool:
    return any(s.kind == "path_response" and not s.sent and s.record > challenge.record for s in signals)
