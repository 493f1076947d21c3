"""When the receiver's flow control kept data back: MAX_DATA and MAX_STREAM_DATA against what was sent, exactly."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arrays import Floats
from ..model import FirstLimits, Signal, Trace
from ..packed import parts
from .observed import Observed

_LIFTS = frozenset({"max_data", "max_stream_data"})
_SAYS = frozenset({"data_blocked", "stream_data_blocked"})
CONNECTION = -1
"""Stands for the connection where others are streams."""


@dataclass(slots=True)
class _Account:
    """What is allowed and used, of the connection and of each stream."""

    first: FirstLimits | None
    server: bool
    frames_known: bool
    allowed: dict[int, int] = field(default_factory=dict)
    used: dict[int, int] = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)
    """Those that are used up, since when."""
    times: list[tuple[float, float]] = field(default_factory=list)

    def limit(self, who: int) -> int | None:
        known = self.allowed.get(who)
        if known is not None or self.first is None:
            return known
        if who == CONNECTION:
            return self.first.data
        opened_here = (who & 1) == self.server
        if who & 2:
            return self.first.uni if opened_here else None
        return self.first.bidi_remote if opened_here else self.first.bidi_local

    def use(self, who: int, total: int, time: float, *, is_last: bool) -> None:
        """What ends exactly at its limit is not kept back."""
        self.used[who] = total
        most = self.limit(who)
        if most is not None and total >= most and not is_last:
            self.since.setdefault(who, time)

    def say(self, who: int, limit: int, time: float) -> None:
        """The sender says that a limit is in its way. quiche says so as soon as so much is written, long before it is
        sent; of a trace without STREAM frames nothing else is known."""
        if limit < self.allowed.get(who, 0):
            return
        self.allowed[who] = limit
        if self.used.get(who, 0) >= limit or not self.frames_known:
            self.since.setdefault(who, time)

    def raise_to(self, who: int, limit: int, time: float) -> None:
        self.allowed[who] = max(limit, self.allowed.get(who, 0))
        if self.allowed[who] > self.used.get(who, 0) and who in self.since:
            self.times.append((self.since.pop(who), time))


def blocked_times(o: Observed) -> tuple[Floats, bool]:
    """Rows of begin and end in which a stream with more to come, or the connection, had used up what the receiver
    allows; and whether the trace tells of flow control at all."""
    trace = o.trace
    told = [s for s in trace.signals if (s.kind in _LIFTS and not s.sent) or (s.kind in _SAYS and s.sent)]
    known = trace.first_limits is not None or any(s.kind in _LIFTS for s in told)
    if not told and (trace.first_limits is None or not _near(trace, trace.first_limits)):
        return np.empty((0, 2)), known
    account = _Account(trace.first_limits, trace.vantage_point == "server", len(trace.sent.frames) > 0)
    _replay(trace, account)
    account.times.extend((since, o.end) for since in account.since.values())
    return _united(account.times), known


def _near(trace: Trace, first: FirstLimits) -> bool:
    """Whether anything comes up to the first limits at all."""
    frames = trace.sent.frames
    furthest, total = 0, 0
    for offset, length in zip(parts(frames.offset), parts(frames.length), strict=True):
        furthest, total = max(furthest, int((offset + length).max())), total + int(length.sum())
    least = min(x for x in (first.bidi_local, first.bidi_remote, first.uni, first.data) if x or x == first.data)
    return furthest >= least or total >= first.data


def _replay(trace: Trace, account: _Account) -> None:
    sent, frames = trace.sent, trace.sent.frames
    signals = [s for s in trace.signals if s.kind in _LIFTS or s.kind in _SAYS]
    last = _last_bytes(trace)
    everything = sum(last.values()) if trace.finished >= last.keys() else None
    at = 0
    total = 0
    for p in range(len(sent)):
        while at < len(signals) and signals[at].record < sent.record[p]:
            _take(account, signals[at])
            at += 1
        for i in sent.frames_of(p):
            stream, end = frames.stream[i], frames.offset[i] + frames.length[i]
            new = end - account.used.get(stream, 0)
            if new > 0:
                total += new
                account.use(stream, end, sent.time[p], is_last=stream in trace.finished and end == last[stream])
                account.use(CONNECTION, total, sent.time[p], is_last=total == everything)
    for s in signals[at:]:
        _take(account, s)


def _last_bytes(trace: Trace) -> dict[int, int]:
    """Where each stream ends, as far as it was sent."""
    last: dict[int, int] = {}
    frames = trace.sent.frames
    for stream, offset, length in zip(frames.stream, frames.offset, frames.length, strict=True):
        last[stream] = max(offset + length, last.get(stream, 0))
    return last


def _take(account: _Account, s: Signal) -> None:
    who = CONNECTION if s.stream is None else s.stream
    if s.limit is None:
        return
    if s.kind in _LIFTS and not s.sent:
        account.raise_to(who, s.limit, s.time)
    elif s.kind in _SAYS and s.sent:
        account.say(who, s.limit, s.time)


def _united(times: list[tuple[float, float]]) -> Floats:
    """Without overlaps, in order."""
    out: list[list[float]] = []
    for begin, end in sorted(times):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        elif end > begin:
            out.append([begin, end])
    return np.array(out, dtype=np.float64).reshape(-1, 2)
