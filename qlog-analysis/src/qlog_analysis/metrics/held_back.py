"""What each packet waited for before it left.

Of the limits that held a packet back the one that lifted last is what it waited for: the congestion window (room for a
full packet came only then), pacing (what was sent before takes so long at the pacing rate) or the receiver (its flow
control allowed more only then). What is left of the time, in which all of them would have let a packet leave, is the
application's, which had nothing to send; or, from when on data waited that was written, the program's, which sent late.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ..arrays import Floats, Ints
from .observed import Observed
from .unsent import Unsent
from .windows import Sends, Window


class Hold(IntEnum):
    """Who or what a packet waited for."""

    APPLICATION = 0
    WINDOW = 1
    PACING = 2
    RECEIVER = 3
    UNKNOWN = 4
    LATE = 5
    """Nothing: it could have left."""


SLACK = 1e-3
"""s between the moment from which a packet may leave and its leaving: timers and processing."""
TIMERS = 0.25
"""Of what pacing holds a packet back, a pacer's timers may take so much more. A packet that leaves later still would
have come later without pacing as well."""
SHORTEST_CREDIT = 0.01
"""s"""


@dataclass(frozen=True, slots=True)
class Gaps:
    """From each packet sent to the next, and from the last to the end of the trace."""

    begin: Floats
    lifted: Floats
    """Until then the packet that ends the gap was held back; not before `begin`, nor after `end`."""
    end: Floats
    by: Ints
    """By what, one of `Hold`; until `lifted`."""
    rest: Ints
    """Whose the time from `lifted` to `waits` is."""
    waits: Floats
    """Not before `lifted`: from then on data waited that could leave, as far as the trace tells; `end` if none did."""


def gaps_by_window(o: Observed, blocked: Floats, unsent: Unsent | None = None) -> Iterator[tuple[Window, Gaps]]:
    """From each packet of a window to the next one, which may be in the next window. `blocked`: when flow control held
    data back (`flow_control.blocked_times`). Without `unsent` nothing is known to have waited."""
    pacer, any_removed = _Pacer(o), o.any_removed
    for w in o.windows():
        end = _ends(o, w)
        waits = end if unsent is None else unsent.since(w, end)
        yield w, _gaps(o, w, blocked, pacer.free(w.sends), waits, any_removed=any_removed)


def _gaps(o: Observed, w: Window, blocked: Floats, free: Floats, waits: Floats, *, any_removed: bool) -> Gaps:
    s = w.sends
    begin, end = s.time, _ends(o, w)
    window = _room_since(o, w, end)
    pacer = np.clip(free, begin, end)
    receiver = _lifted(blocked, begin, end)
    lifts = np.stack([begin, window, pacer, receiver])
    by = lifts.argmax(axis=0)  # in the order of `Hold`
    lifted = np.minimum(lifts.max(axis=0), end)
    late = np.where(by == Hold.PACING, TIMERS * (lifted - begin), SLACK)
    at_once = (lifted > begin) & (end - lifted <= late)
    # What pacing would not have held back either; but data that waited was held back by it.
    instead = (by == Hold.PACING) & (waits >= lifted)
    lifted = np.where(at_once, end, np.where(instead, begin, lifted))
    nothing = lifted <= begin
    by = np.where(nothing, Hold.APPLICATION, by)
    by[(by == Hold.PACING) & np.isnan(s.pacing)] = Hold.UNKNOWN
    # Without the window, time in which something is in flight may be the window's as well as the application's.
    unknown = ~np.isfinite(s.window)
    empty = _empty_since(w, begin, end) if any_removed else end
    lifted = np.where(unknown & nothing, empty, lifted)
    rest = np.where(unknown & (lifted < empty), Hold.UNKNOWN, Hold.APPLICATION)
    held = np.where(unknown & nothing, Hold.UNKNOWN, by)
    return Gaps(begin, lifted, end, held, rest, np.maximum(waits, lifted))


def _ends(o: Observed, w: Window) -> Floats:
    """When the next packet left; of the last one the end of the trace."""
    time = w.sends.time
    if not len(time):
        return time
    return np.append(time[1:], w.next_time if w.next_time is not None else max(o.end, time[-1]))


def _room_since(o: Observed, w: Window, end: Floats) -> Floats:
    """For each gap, since when the window has had room for a full packet when it ends; its begin if all the time."""
    s, r, m = w.sends, w.removals, w.metrics
    if not len(s) or not len(o.trace.metrics):
        return s.time
    record = np.sort(np.concatenate((s.record, r.record, m.record)), kind="stable")
    record = record[np.diff(record, prepend=-1) > 0]
    rows = np.searchsorted(m.record, record, side="right") - 1
    window = np.where(rows >= 0, m.window[np.maximum(rows, 0)], np.nan) if len(m.record) else np.full(len(rows), np.nan)
    sent, gone = w.in_flight
    sent_by = sent[np.searchsorted(s.record, record, side="right")]
    gone_by = gone[np.searchsorted(r.record, record, side="right")]
    is_blocked = window - (sent_by - gone_by) < o.full
    times = np.zeros(len(record))
    for of, at in ((m.record, m.time), (r.record, r.time), (s.record, s.time)):
        times[np.searchsorted(record, of)] = at
    index = np.arange(len(record))
    last_blocked = np.maximum.accumulate(np.where(is_blocked, index, -1))
    before_next = np.append(np.searchsorted(record, s.record[1:]) - 1, len(record) - 1)
    blocked_until = last_blocked[before_next]
    following = np.append(times, times[-1])[np.minimum(blocked_until + 1, before_next)]
    since = np.where(blocked_until == before_next, end, following)
    mine = np.searchsorted(record, s.record)
    return np.asarray(np.where(blocked_until < mine, s.time, since), dtype=np.float64)


def pace_of(o: Observed, s: Sends) -> Floats:
    """The pacing rate at each packet sent, bit/s; where the trace has none, a window per round trip, as RFC 9002
    section 7.7 wants no pacer slower. Infinite without pacing, NaN where neither is known."""
    if not np.isnan(s.pacing).any() or not len(o.samples):
        return s.pacing
    by_window = 8.0 * s.window / o.samples.rtts_at(s.time)
    return np.asarray(np.where(np.isnan(s.pacing), by_window, s.pacing), dtype=np.float64)


class _Pacer:
    """When the pacing rate has had the time that what was sent takes. A pacer that runs ahead of its rate gets no more
    credit than a round trip's worth, or it would seem to hold back what comes long afterwards. Where the trace has no
    pacing rate, a pacer may be there that sends a window per round trip; RFC 9002 section 7.7 wants none slower."""

    def __init__(self, o: Observed) -> None:
        self._o = o
        self._most = max(o.base_rtt or 0.0, SHORTEST_CREDIT)
        self._free = -np.inf

    def free(self, s: Sends) -> Floats:
        """After each of these packets, which follow those of the call before."""
        pace, most = pace_of(self._o, s), self._most
        known = np.isfinite(pace) & (pace > 0.0)
        takes = np.where(known, 8.0 * s.size / np.where(known, pace, 1.0), 0.0)
        free, out = self._free, []
        for at, d in zip(s.time.tolist(), takes.tolist(), strict=True):
            free = at if d <= 0.0 or free < at else free
            free = min(free + d, at + (most if most > d else d)) if d > 0.0 else free
            out.append(free)
        self._free = free
        return np.array(out, dtype=np.float64)


def _lifted(blocked: Floats, begin: Floats, end: Floats) -> Floats:
    """For each gap, the end of the last of these times (rows of begin and end) that reaches into it."""
    if not len(blocked):
        return begin
    last = np.searchsorted(blocked[:, 0], end) - 1
    until = np.where(last >= 0, blocked[np.maximum(last, 0), 1], -np.inf)
    return np.asarray(np.clip(until, begin, end), dtype=np.float64)


def _empty_since(w: Window, begin: Floats, end: Floats) -> Floats:
    """For each gap, since when nothing is in flight; its end if something is all the time."""
    r = w.removals
    if not len(begin):
        return end
    sent, gone = w.in_flight
    removed = np.searchsorted(r.record, np.append(w.sends.record[1:], w.next_record))
    times = np.concatenate(([math.nan if w.before.gone_at is None else w.before.gone_at], r.time))[removed]
    at = np.where(np.isnan(times), begin, times)
    return np.asarray(np.where(sent[1:] - gone[removed] <= 0.0, np.clip(at, begin, end), end), dtype=np.float64)
