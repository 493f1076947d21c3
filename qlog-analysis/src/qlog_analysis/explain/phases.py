"""The connection in stretches of time: handshake, start-up, and then by what limited it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import Floats
from ..metrics.observed import Observed
from ..model import Space, Trace
from .limits import Limit, Limits

STARTUP_STATES = frozenset({"slowstart", "conservativeslowstart", "bbrstartup", "startup", "initial", "hystart"})
"""States of controllers that look for the rate of the path, as `_plain` spells them."""
SHORTEST_SHARE = 0.02
"""Of the time; a stretch that is shorter, or has fewer than `FEWEST_PIECES`, is told with its neighbour."""
FEWEST_PIECES = 5
MOST_PIECES = 500
MOST_STRETCHES = 12
OTHER_RATE = 0.3
"""Where the path limits, and carries so much less or more for `OTHER_RATE_TIME` s, that is told."""
OTHER_RATE_TIME = 2.0
INITIAL_SPACES = (Space.INITIAL, Space.HANDSHAKE)


@dataclass(frozen=True, slots=True)
class Handshake:
    begin: float
    end: float | None
    """None if the trace ends before, or does not tell."""
    by: str
    """What shows that it was over."""
    round_trips: float | None
    """Its time by the first round trip measured."""
    lost_packets: int
    seen: bool
    """Whether Initial packets are in the trace, with what they carried."""


@dataclass(frozen=True, slots=True)
class Startup:
    begin: float
    end: float | None
    """None if it lasted until the trace ended."""
    states: list[str]
    next_state: str | None
    round_trips: float | None
    lost_packets: int
    """Of what was sent in it."""


@dataclass(frozen=True, slots=True)
class Stretch:
    begin: float
    end: float
    limit: Limit
    shares: dict[Limit, float]
    """Of its time."""
    acked_bps: float
    """Bytes on the wire that were acknowledged."""


def _plain(state: str) -> str:
    return re.sub(r"[^a-z0-9]", "", state.lower())


def handshake_of(o: Observed) -> Handshake:
    trace = o.trace
    early = any(space in trace.sent.space for space in INITIAL_SPACES)
    done = next((s for s in trace.signals if s.kind == "handshake_done"), None)
    acked = next((f.time for f in trace.feedback if f.space is Space.APPLICATION and len(f.acked)), None)
    lost = trace.feedback.lost.values()
    end, by = None, "nothing in the trace shows its end"
    if done is not None and early:
        end, by = done.time, f"HANDSHAKE_DONE was {'sent' if done.sent else 'received'}"
    elif acked is not None and early:
        end, by = acked, "the first 1-RTT packet was acknowledged"
    elif len(trace.received) and early and trace.vantage_point == "client":  # a server may get some in 0-RTT packets
        end, by = trace.received.time[0], "the first STREAM frame came"
    first = _first_round_trip(trace)
    return Handshake(
        begin=o.begin,
        end=end,
        by=by,
        round_trips=(end - o.begin) / first if end is not None and first else None,
        lost_packets=sum(trace.sent.space[p] in INITIAL_SPACES for packets in lost for p in packets),
        seen=early and trace.frames_known,
    )


def _first_round_trip(trace: Trace) -> float | None:
    f = next((f for f in trace.feedback if f.sample >= 0), None)
    return None if f is None else f.time - trace.sent.time[f.sample]


def startup_of(o: Observed, handshake: Handshake) -> Startup | None:
    """None if the trace does not tell the controller's state, or no state is one of start-up."""
    states = o.trace.states
    if not states or _plain(states[0].name) not in STARTUP_STATES:
        return None
    first_sent = o.trace.sent.time[int(o.own.argmax())] if o.packets else o.end
    begin = max(states[0].time, handshake.end or o.begin)
    if handshake.end is None:
        begin = max(begin, first_sent)
    later = next((s for s in states if _plain(s.name) not in STARTUP_STATES), None)
    until = later.time if later is not None else o.end
    if until <= begin:
        return None
    rtt = o.base_rtt
    return Startup(
        begin=begin,
        end=later.time if later is not None else None,
        states=list(dict.fromkeys(s.name for s in states if s.time < until)),
        next_state=later.name if later is not None else None,
        round_trips=(until - begin) / rtt if rtt else None,
        lost_packets=_lost_between(o.trace, begin, until),
    )


def _lost_between(trace: Trace, begin: float, end: float) -> int:
    """Of what was sent between."""
    time = trace.sent.time
    return sum(begin <= time[p] <= end for packets in trace.feedback.lost.values() for p in packets)


def stretches_of(o: Observed, limits: Limits, begin: float) -> list[Stretch]:
    """From `begin` on: neighbouring times of the same limit, the short ones with what is around them."""
    edges = np.linspace(begin, o.end, _pieces(limits, begin, o.end) + 1)
    if o.end <= begin:
        return []
    chief = [_chief(limits, float(a), float(b)) for a, b in pairwise(edges.tolist())]
    runs: list[list[int]] = []
    for i, limit in enumerate(chief):
        if runs and chief[runs[-1][0]] is limit:
            runs[-1][1] = i + 1
        else:
            runs.append([i, i + 1])
    kinds = [chief[r[0]] for r in runs]
    least = max(FEWEST_PIECES, int(SHORTEST_SHARE * len(chief)))
    while True:
        _merge(runs, kinds, limits, edges, least)
        if len(runs) <= MOST_STRETCHES or least > len(chief):
            break
        least = 3 * least // 2
    acked = o.acked_bytes(edges)
    by_rate = [part for r, k in zip(runs, kinds, strict=True) for part in _levels(r, k, acked, edges)]
    return [_stretch(o, limits, float(edges[a]), float(edges[b])) for a, b in by_rate]


def _levels(run: list[int], kind: Limit, acked: Floats, edges: Floats, depth: int = 3) -> list[list[int]]:
    """Parts of a run of the path in which it carries different rates."""
    a, b = run
    width = float(edges[1] - edges[0])
    least = max(int(np.ceil(OTHER_RATE_TIME / width)), FEWEST_PIECES)
    if kind is not Limit.PATH or b - a < 2 * least or depth == 0:
        return [run]
    total = np.concatenate(([0.0], np.cumsum(acked[a:b])))
    n = np.arange(least, b - a - least + 1)
    before, after = total[n] / n, (total[-1] - total[n]) / (b - a - n)
    contrast = (before - after) ** 2 * n * (b - a - n)
    best = int(contrast.argmax())
    if abs(before[best] - after[best]) < OTHER_RATE * max(before[best], after[best]):
        return [run]
    cut = a + int(n[best])
    return _levels([a, cut], kind, acked, edges, depth - 1) + _levels([cut, b], kind, acked, edges, depth - 1)


def _pieces(limits: Limits, begin: float, end: float) -> int:
    width = float(limits.edges[1] - limits.edges[0])
    return max(min(int((end - begin) / width), MOST_PIECES), 1)


def _chief(limits: Limits, begin: float, end: float) -> Limit:
    shares = limits.of(begin, end)
    return max(shares, key=lambda x: shares[x]) if shares else Limit.UNKNOWN


def _merge(runs: list[list[int]], kinds: list[Limit], limits: Limits, edges: Floats, least: int) -> None:
    """The shortest joins its longer neighbour, again and again; interruptions stay as they are."""
    alone: set[int] = set()
    while True:
        short = [
            i
            for i, r in enumerate(runs)
            if r[1] - r[0] < least and kinds[i] is not Limit.INTERRUPTED and r[0] not in alone
        ]
        if not short:
            return
        i = min(short, key=lambda k: runs[k][1] - runs[k][0])
        beside = [j for j in (i - 1, i + 1) if 0 <= j < len(runs) and kinds[j] is not Limit.INTERRUPTED]
        if not beside:
            alone.add(runs[i][0])
            continue
        j = max(beside, key=lambda k: runs[k][1] - runs[k][0])
        a, b = min(i, j), max(i, j)
        runs[a][1] = runs[b][1]
        del runs[b], kinds[b]
        kinds[a] = _chief(limits, float(edges[runs[a][0]]), float(edges[runs[a][1]]))
        _join(runs, kinds, a)


def _join(runs: list[list[int]], kinds: list[Limit], i: int) -> None:
    """A run with neighbours that are of its kind now."""
    for j in (i + 1, i):
        if 0 < j < len(runs) and kinds[j - 1] is kinds[j]:
            runs[j - 1][1] = runs[j][1]
            del runs[j], kinds[j]


def _stretch(o: Observed, limits: Limits, begin: float, end: float) -> Stretch:
    shares = limits.of(begin, end)
    acked = o.acked_bytes(np.array([begin, end]))[0] if end > begin else 0.0
    return Stretch(
        begin=float(begin),
        end=float(end),
        limit=max(shares, key=lambda x: shares[x]) if shares else Limit.UNKNOWN,
        shares=shares,
        acked_bps=float(8.0 * acked / (end - begin)) if end > begin else 0.0,
    )
