"""What each packet waited for before it left, and so what limited the sender over time.

Of the limits that held a packet back the one that lifted last is what it waited for: the congestion window (room for a
full packet came only then), pacing (what was sent before takes so long at the pacing rate) or the receiver (its flow
control allowed more only then). What is left of the time, in which all of them would have let a packet leave, is the
application's: it had nothing to send.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from ..metrics import Floats
from .controller import Span
from .flow_control import blocked_times
from .interruptions import Interruption
from .observed import FEWEST_SAMPLES, Ints, Observed


class Limit(str, Enum):
    """The values stand in JSON."""

    HANDSHAKE = "handshake"
    APPLICATION = "application"
    RECEIVER = "receiver"
    WINDOW = "congestion_window"
    PACING = "pacing"
    PATH = "path"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"


_ORDER = list(Limit)
SLACK = 1e-3
"""s between the moment from which a packet may leave and its leaving: timers and processing."""
TIMERS = 0.25
"""Of what pacing holds a packet back, a pacer's timers may take so much more. A packet that leaves later still would
have come later without pacing as well."""
SHORTEST_BIN = 0.01
"""s"""
MOST_BINS = 20_000
STANDING = 2e-3
"""s; a queue that never falls below this, or a twentieth of the round trip, stands: in a bin of `MANY_SAMPLES`, or in
three bins, as jitter spares one packet or the other."""
MANY_SAMPLES = 8
FULL_RATE = 0.9
"""A bin delivers what the path can carry with so much of what bins with a standing queue nearby deliver."""
NEARBY = 100
"""Bins on either side: a sender that keeps queues short shows what the path carries only now and then."""


@dataclass(frozen=True, slots=True)
class Limits:
    edges: Floats
    """Of the bins, s."""
    share: Floats
    """Of the time of each bin (row), by limit (column, in the order of `Limit`)."""
    known: bool
    """Whether the trace tells the congestion window."""
    pacing_known: bool
    flow_control_known: bool

    def of(self, begin: float, end: float) -> dict[Limit, float]:
        """Share of the time between, by limit."""
        first = max(int(np.searchsorted(self.edges, begin, side="right")) - 1, 0)
        bins = slice(first, max(int(np.searchsorted(self.edges, end)), first))
        width = np.minimum(self.edges[1:][bins], end) - np.maximum(self.edges[:-1][bins], begin)
        width = np.maximum(width, 0.0)
        total = width.sum()
        if total <= 0.0:
            return {}
        shares = (self.share[bins] * width[:, None]).sum(axis=0) / total
        return {limit: float(s) for limit, s in zip(_ORDER, shares, strict=True) if s > 0.0}

    def chief(self) -> list[Limit]:
        """The limit that held longest, by bin."""
        return [_ORDER[i] for i in self.share.argmax(axis=1).tolist()]


def limits_of(
    o: Observed, handshake_end: float | None, interruptions: list[Interruption], queue_spans: list[Span]
) -> Limits:
    """`queue_spans`: when the controller itself judged that a queue stood."""
    edges = _edges(o)
    blocked, flow_control_known = blocked_times(o)
    known = bool(np.isfinite(o.sends.window).any())
    share = _shares(o, edges, _gaps(o, blocked))
    _path(o, edges, share, queue_spans)
    for i in interruptions:
        _set(edges, share, i.begin, i.end, Limit.INTERRUPTED)
    _set(edges, share, o.begin, handshake_end if handshake_end is not None else o.begin, Limit.HANDSHAKE)
    return Limits(edges, share, known, not np.isnan(o.sends.pacing).all(), flow_control_known)


def _edges(o: Observed) -> Floats:
    width = max(o.base_rtt or 0.0, SHORTEST_BIN, (o.end - o.begin) / MOST_BINS)
    bins = max(int(np.ceil((o.end - o.begin) / width)), 1)
    return np.asarray(o.begin + width * np.arange(bins + 1), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Gaps:
    """From each packet sent to the next, and from the last to the end of the trace."""

    begin: Floats
    lifted: Floats
    """Until then the packet that ends the gap was held back; not before `begin`, nor after `end`."""
    end: Floats
    by: Ints
    """By what, as a column."""
    rest: Ints
    """Whose the time from `lifted` to `end` is."""


def _gaps(o: Observed, blocked: Floats) -> _Gaps:
    s = o.sends
    begin, end = s.time, np.append(s.time[1:], max(o.end, s.time[-1]) if len(s) else [])
    window = _room_since(o)
    pacer = np.clip(_pacer_free(o), begin, end)
    receiver = _lifted(blocked, begin, end)
    lifts = np.stack([begin, window, pacer, receiver])
    by = lifts.argmax(axis=0)
    lifted = np.minimum(lifts.max(axis=0), end)
    late = np.where(by == 2, TIMERS * (lifted - begin), SLACK)
    at_once = (lifted > begin) & (end - lifted <= late)
    lifted = np.where(at_once, end, np.where(by == 2, begin, lifted))
    by = np.where(lifted > begin, by, 0)
    columns = [_ORDER.index(limit) for limit in (Limit.APPLICATION, Limit.WINDOW, Limit.PACING, Limit.RECEIVER)]
    whose = np.array(columns)[by]
    whose[(by == 2) & np.isnan(s.pacing)] = _ORDER.index(Limit.UNKNOWN)
    # Without the window, time in which something is in flight may be the window's as well as the application's.
    unknown = ~np.isfinite(s.window)
    rest = np.where(unknown, _ORDER.index(Limit.UNKNOWN), _ORDER.index(Limit.APPLICATION))
    empty = _empty_since(o, begin, end)
    lifted = np.where(unknown & (by == 0), empty, lifted)
    held = np.where(unknown & (by == 0), _ORDER.index(Limit.UNKNOWN), whose)
    rest = np.where(unknown & (lifted >= empty), _ORDER.index(Limit.APPLICATION), rest)
    return _Gaps(begin, lifted, end, held, rest)


def _room_since(o: Observed) -> Floats:
    """For each gap, since when the window has had room for a full packet when it ends; its begin if all the time."""
    s, r, m = o.sends, o.removals, o.trace.metrics
    if not len(s) or not len(m):
        return s.time
    record = np.unique(np.concatenate((s.record, r.record, np.array(m.record, dtype=np.int64))))
    rows = np.searchsorted(np.array(m.record, dtype=np.int64), record, side="right") - 1
    window = np.where(rows >= 0, np.array(m.congestion_window)[np.maximum(rows, 0)], np.nan)
    is_blocked = window - o.in_flight(record) < o.full
    times = _times_of(o, record)
    index = np.arange(len(record))
    last_blocked = np.maximum.accumulate(np.where(is_blocked, index, -1))
    end = np.append(s.time[1:], max(o.end, s.time[-1]))
    before_next = np.append(np.searchsorted(record, s.record[1:]) - 1, len(record) - 1)
    blocked_until = last_blocked[before_next]
    following = np.append(times, times[-1])[np.minimum(blocked_until + 1, before_next)]
    since = np.where(blocked_until == before_next, end, following)
    mine = np.searchsorted(record, s.record)
    return np.asarray(np.where(blocked_until < mine, s.time, since), dtype=np.float64)


def _times_of(o: Observed, record: Ints) -> Floats:
    time = np.zeros(len(record))
    m = o.trace.metrics
    for of, at in ((np.array(m.record), np.array(m.time)), (o.removals.record, o.removals.time)):
        time[np.searchsorted(record, of)] = at
    time[np.searchsorted(record, o.sends.record)] = o.sends.time
    return time


def _pacer_free(o: Observed) -> Floats:
    """When the pacing rate has had the time that what was sent takes. A pacer that runs ahead of its rate gets no more
    credit than a round trip's worth, or it would seem to hold back what comes long afterwards. Where the trace has no
    pacing rate, a pacer may be there that sends a window per round trip; RFC 9002 section 7.7 wants none slower."""
    s, samples = o.sends, o.samples
    pacing = s.pacing.copy()
    if len(samples.time):
        newest = samples.rtt[np.maximum(np.searchsorted(samples.time, s.time, side="right") - 1, 0)]
        pacing = np.where(np.isnan(pacing), 8.0 * s.window / newest, pacing)
    known = np.isfinite(pacing) & (pacing > 0.0)
    takes = np.where(known, 8.0 * s.size / np.where(known, pacing, 1.0), 0.0)
    most = max(o.base_rtt or 0.0, SHORTEST_BIN)
    free, out = -np.inf, np.empty(len(s))
    for i, (at, d) in enumerate(zip(s.time.tolist(), takes.tolist(), strict=True)):
        free = min(max(free, at) + d, at + max(most, d)) if d > 0.0 else at
        out[i] = free
    return out


def _lifted(blocked: Floats, begin: Floats, end: Floats) -> Floats:
    """For each gap, the end of the last of these times (rows of begin and end) that reaches into it."""
    if not len(blocked):
        return begin
    last = np.searchsorted(blocked[:, 0], end) - 1
    until = np.where(last >= 0, blocked[np.maximum(last, 0), 1], -np.inf)
    return np.asarray(np.clip(until, begin, end), dtype=np.float64)


def _empty_since(o: Observed, begin: Floats, end: Floats) -> Floats:
    """For each gap, since when nothing is in flight; its end if something is all the time."""
    s, r = o.sends, o.removals
    if not len(s) or not len(r.record):
        return end
    next_record = np.append(s.record[1:], np.iinfo(np.int64).max)
    last = np.searchsorted(r.record, next_record) - 1
    sent = np.cumsum(s.size)
    gone = np.concatenate(([0.0], np.cumsum(r.size)))[last + 1]
    at = np.where(last >= 0, r.time[np.maximum(last, 0)], begin)
    return np.asarray(np.where(sent - gone <= 0.0, np.clip(at, begin, end), end), dtype=np.float64)


def _shares(o: Observed, edges: Floats, gaps: _Gaps) -> Floats:
    """Each bin's time by limit. What is before the first packet is unknown here; the handshake covers it."""
    share = np.zeros((len(edges) - 1, len(_ORDER)))
    if not len(gaps.begin):
        share[:, _ORDER.index(Limit.UNKNOWN)] = 1.0
        return share
    points = np.stack((gaps.begin, gaps.lifted), axis=1).ravel()
    points = np.append(points, gaps.end[-1])
    lengths = np.diff(points)
    whose = np.stack((gaps.by, gaps.rest), axis=1).ravel()
    for column in np.unique(whose).tolist():
        total = np.concatenate(([0.0], np.cumsum(np.where(whose == column, lengths, 0.0))))
        share[:, column] = np.diff(np.interp(edges, points, total))
    width = np.diff(edges)
    inside = np.minimum(edges[1:], o.end) - np.maximum(edges[:-1], o.begin)
    missing = np.maximum(inside - share.sum(axis=1), 0.0)
    share[:, _ORDER.index(Limit.UNKNOWN)] += missing
    return np.asarray(share / np.maximum(np.where(inside > 0.0, inside, width), 1e-9)[:, None])


def _path(o: Observed, edges: Floats, share: Floats, queue_spans: list[Span]) -> None:
    """Where window or pacing is used up and a queue stands, or as much is delivered as while it does, it is the path
    that limits: window and pacing only follow it."""
    if o.base_rtt is None or len(o.samples.time) < FEWEST_SAMPLES:
        return
    delivered = o.acked_bytes(edges)
    stands = (standing(o, edges) | _within(edges, queue_spans)) & (delivered > 0.0)
    # Of a sender whose window is known, what is unknown is whether pacing held it back.
    columns = [_ORDER.index(limit) for limit in (Limit.WINDOW, Limit.PACING)]
    columns += [_ORDER.index(Limit.UNKNOWN)] * bool(np.isfinite(o.sends.window).any())
    sender = share[:, columns].sum(axis=1)
    capacity = np.zeros(len(stands))
    for i in np.flatnonzero((sender > 0.5) & stands).tolist():
        near = slice(max(i - NEARBY, 0), i + NEARBY + 1)
        capacity[near] = np.maximum(capacity[near], _middle(delivered[near][stands[near]]))
    full = stands | ((capacity > 0.0) & (smooth(delivered) >= FULL_RATE * capacity))
    for column in columns:
        share[:, _ORDER.index(Limit.PATH)] += np.where(full, share[:, column], 0.0)
        share[:, column] = np.where(full, 0.0, share[:, column])


def _within(edges: Floats, spans: list[Span]) -> npt.NDArray[np.bool_]:
    """Bins of which a span covers the middle."""
    middle = (edges[:-1] + edges[1:]) / 2.0
    begin, end = np.array([s.begin for s in spans]), np.array([s.end for s in spans])
    last = np.searchsorted(begin, middle, side="right") - 1
    return np.asarray((last >= 0) & (middle <= np.append(end, -np.inf)[last]))


def _middle(values: Floats) -> float:
    return float(np.median(values)) if len(values) else 0.0


def smooth(values: Floats) -> Floats:
    """The mean with both neighbours: ACKs that come together fall into one bin or the next."""
    padded = np.concatenate((values[:1], values, values[-1:]))
    return np.asarray((padded[:-2] + padded[1:-1] + padded[2:]) / 3.0, dtype=np.float64)


def standing(o: Observed, edges: Floats) -> npt.NDArray[np.bool_]:
    """Bins in which even the smallest delay is one of a queue."""
    lowest = floor(o, edges)
    many = np.histogram(o.samples.time, edges)[0] >= MANY_SAMPLES
    padded = np.concatenate(([np.inf], lowest, [np.inf]))
    around = np.minimum(np.minimum(padded[:-2], padded[1:-1]), padded[2:])
    queue = np.where(many, lowest, around)
    return np.asarray(np.isfinite(lowest) & (queue >= max(STANDING, 0.05 * (o.base_rtt or 0.0))))


def floor(o: Observed, edges: Floats) -> Floats:
    """The smallest queueing delay of each bin, infinite where none was measured."""
    lowest = np.full(len(edges) - 1, np.inf)
    place = np.searchsorted(edges, o.samples.time, side="right") - 1
    inside = (place >= 0) & (place < len(lowest))
    np.minimum.at(lowest, place[inside], o.samples.rowd[inside])
    return lowest


def _set(edges: Floats, share: Floats, begin: float, end: float, limit: Limit) -> None:
    """Gives the part of the bins that lies between to a limit."""
    width = np.diff(edges)
    covered = np.clip((np.minimum(edges[1:], end) - np.maximum(edges[:-1], begin)) / width, 0.0, 1.0)
    share *= (1.0 - covered)[:, None]
    share[:, _ORDER.index(limit)] += covered
