"""What limited the sender over time: what each packet waited for (`metrics.held_back`), in bins, and what the path
adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..arrays import Bools, Floats
from ..metrics.flow_control import blocked_times
from ..metrics.held_back import Gaps, Hold, gaps_by_window
from ..metrics.observed import FEWEST_SAMPLES, Observed
from ..metrics.unsent import Unsent
from ..percentiles import median
from .controller import Span
from .interruptions import Interruption


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
    LATE = "late_sending"


_ORDER = list(Limit)
_UNKNOWN = _ORDER.index(Limit.UNKNOWN)
_OF_HOLD = {
    Hold.APPLICATION: Limit.APPLICATION,
    Hold.WINDOW: Limit.WINDOW,
    Hold.PACING: Limit.PACING,
    Hold.RECEIVER: Limit.RECEIVER,
    Hold.UNKNOWN: Limit.UNKNOWN,
    Hold.LATE: Limit.LATE,
}
_COLUMN_OF = np.array([_ORDER.index(_OF_HOLD[hold]) for hold in Hold])
SHORTEST_BIN = 0.01
"""s"""
MOST_BINS = 20_000
STANDING = 2e-3
"""s; a queue that never falls below this, or a twentieth of the round trip, stands: in a bin of `MANY_SAMPLES`, or in
three bins, as jitter spares one packet or the other."""
MANY_SAMPLES = 8
SHORT, UNEVEN = 5e-3, 1.5
"""s, and how often the mean of a bin holds its smallest delay: a queue so short among delays so uneven may be none."""
FULL_RATE = 0.9
"""A bin delivers what the path can carry with so much of what bins with a standing queue nearby deliver."""
ROUNDING = 1e-9
"""A share that is no larger is what sums of floating point leave."""
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
    data_known: bool
    """Whether it tells what data waited."""
    uneven: bool
    """Whether delays are so short and uneven where a queue seems to stand that it is less certain."""

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
        return {limit: float(s) for limit, s in zip(_ORDER, shares, strict=True) if s > ROUNDING}

    def chief(self) -> list[Limit]:
        """The limit that held longest, by bin."""
        return [_ORDER[i] for i in self.share.argmax(axis=1).tolist()]


def limits_of(
    o: Observed, handshake_end: float | None, interruptions: list[Interruption], queue_spans: list[Span]
) -> Limits:
    """`queue_spans`: when the controller itself judged that a queue stood."""
    edges = _edges(o)
    blocked, flow_control_known = blocked_times(o)
    unsent = Unsent(o.trace)
    share, known, pacing_known = _shares(o, edges, blocked, unsent)
    stands = standing(o, edges)
    _path(o, edges, share, stands | _within(edges, queue_spans), window_known=known)
    for i in interruptions:
        _set(edges, share, i.begin, i.end, Limit.INTERRUPTED)
    _set(edges, share, o.begin, handshake_end if handshake_end is not None else o.begin, Limit.HANDSHAKE)
    return Limits(edges, share, known, pacing_known, flow_control_known, unsent.is_known, _varies(o, edges, stands))


def _edges(o: Observed) -> Floats:
    width = max(o.base_rtt or 0.0, SHORTEST_BIN, (o.end - o.begin) / MOST_BINS)
    bins = max(int(np.ceil((o.end - o.begin) / width)), 1)
    return np.asarray(o.begin + width * np.arange(bins + 1), dtype=np.float64)


def _shares(o: Observed, edges: Floats, blocked: Floats, unsent: Unsent) -> tuple[Floats, bool, bool]:
    """Each bin's time by limit, and whether window and pacing are known of any packet. What is before the first packet
    is unknown here; the handshake covers it."""
    share = np.zeros((len(edges) - 1, len(_ORDER)))
    known = pacing_known = False
    for w, gaps in gaps_by_window(o, blocked, unsent):
        known |= bool(np.isfinite(w.sends.window).any())
        pacing_known |= not np.isnan(w.sends.pacing).all()
        if len(gaps.begin):
            _add(share, edges, gaps)
    if not o.packets:
        share[:, _UNKNOWN] = 1.0
        return share, known, pacing_known
    width = np.diff(edges)
    inside = np.minimum(edges[1:], o.end) - np.maximum(edges[:-1], o.begin)
    share[:, _UNKNOWN] += np.maximum(inside - share.sum(axis=1), 0.0)
    return share / np.maximum(np.where(inside > 0.0, inside, width), 1e-9)[:, None], known, pacing_known


def _add(share: Floats, edges: Floats, gaps: Gaps) -> None:
    """What each of the gaps has of the time of bins."""
    points = np.stack((gaps.begin, gaps.lifted, gaps.waits), axis=1).ravel()
    points = np.append(points, gaps.end[-1])
    first = max(int(np.searchsorted(edges, points[0], side="right")) - 1, 0)
    near = slice(first, int(np.searchsorted(edges, points[-1])) + 1)
    lengths = np.diff(points)
    whose = _COLUMN_OF[np.stack((gaps.by, gaps.rest, np.full(len(gaps.by), Hold.LATE)), axis=1).ravel()]
    for column in np.unique(whose).tolist():
        total = np.concatenate(([0.0], np.cumsum(np.where(whose == column, lengths, 0.0))))
        part = np.diff(np.interp(edges[near], points, total))
        share[first : first + len(part), column] += part


def _path(o: Observed, edges: Floats, share: Floats, queue: Bools, *, window_known: bool) -> None:
    """Where window or pacing is used up and a queue stands, or as much is delivered as while it does, it is the path
    that limits: window and pacing only follow it."""
    if o.base_rtt is None or len(o.samples) < FEWEST_SAMPLES:
        return
    delivered = o.acked_bytes(edges)
    stands = queue & (delivered > 0.0)
    # Of a sender whose window is known, what is unknown is whether pacing held it back.
    columns = [_ORDER.index(limit) for limit in (Limit.WINDOW, Limit.PACING)]
    columns += [_UNKNOWN] * window_known
    sender = share[:, columns].sum(axis=1)
    capacity = np.zeros(len(stands))
    for i in np.flatnonzero((sender > 0.5) & stands).tolist():
        near = slice(max(i - NEARBY, 0), i + NEARBY + 1)
        capacity[near] = np.maximum(capacity[near], _middle(delivered[near][stands[near]]))
    full = stands | ((capacity > 0.0) & (smooth(delivered) >= FULL_RATE * capacity))
    for column in columns:
        share[:, _ORDER.index(Limit.PATH)] += np.where(full, share[:, column], 0.0)
        share[:, column] = np.where(full, 0.0, share[:, column])


def _within(edges: Floats, spans: list[Span]) -> Bools:
    """Bins of which a span covers the middle."""
    middle = (edges[:-1] + edges[1:]) / 2.0
    begin, end = np.array([s.begin for s in spans]), np.array([s.end for s in spans])
    last = np.searchsorted(begin, middle, side="right") - 1
    return np.asarray((last >= 0) & (middle <= np.append(end, -np.inf)[last]))


def _middle(values: Floats) -> float:
    return median(values) if len(values) else 0.0


def smooth(values: Floats) -> Floats:
    """The mean with both neighbours: ACKs that come together fall into one bin or the next."""
    padded = np.concatenate((values[:1], values, values[-1:]))
    return np.asarray((padded[:-2] + padded[1:-1] + padded[2:]) / 3.0, dtype=np.float64)


def standing(o: Observed, edges: Floats) -> Bools:
    """Bins in which even the smallest delay is one of a queue."""
    lowest = floor(o, edges)
    many = sum(np.histogram(some.time, edges)[0] for some in o.samples.parts()) >= MANY_SAMPLES
    padded = np.concatenate(([np.inf], lowest, [np.inf]))
    around = np.minimum(np.minimum(padded[:-2], padded[1:-1]), padded[2:])
    queue = np.where(many, lowest, around)
    return np.asarray(np.isfinite(lowest) & (queue >= max(STANDING, 0.05 * (o.base_rtt or 0.0))))


def _varies(o: Observed, edges: Floats, stands: Bools) -> bool:
    """Whether delays are short and uneven where a queue seems to stand, by the median of such bins."""
    total, count = np.zeros(len(edges) - 1), np.zeros(len(edges) - 1)
    for some in o.samples.parts():
        total += np.histogram(some.time, edges, weights=some.rowd)[0]
        count += np.histogram(some.time, edges)[0]
    seen = stands & (count >= MANY_SAMPLES)
    if not seen.any():
        return False
    lowest = floor(o, edges)[seen]
    uneven = median(total[seen] / count[seen] / lowest) >= UNEVEN
    return uneven and median(lowest) < SHORT


def floor(o: Observed, edges: Floats) -> Floats:
    """The smallest queueing delay of each bin, infinite where none was measured."""
    lowest = np.full(len(edges) - 1, np.inf)
    for some in o.samples.parts():
        place = np.searchsorted(edges, some.time, side="right") - 1
        inside = (place >= 0) & (place < len(lowest))
        np.minimum.at(lowest, place[inside], some.rowd[inside])
    return lowest


def _set(edges: Floats, share: Floats, begin: float, end: float, limit: Limit) -> None:
    """Gives the part of the bins that lies between to a limit."""
    width = np.diff(edges)
    covered = np.clip((np.minimum(edges[1:], end) - np.maximum(edges[:-1], begin)) / width, 0.0, 1.0)
    share *= (1.0 - covered)[:, None]
    share[:, _ORDER.index(limit)] += covered
