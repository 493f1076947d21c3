"""The queueing delay that `hybrid` reports of an epoch, and so its zone, is the network's.

The network knows the delay of every packet, but not which of them the controller counted. So the report has to lie
between two bounds: from the least delay of the epoch above the largest base delay that its minima allow, to the most
above the smallest.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..events import HybridEpoch, HybridParameters
from ..invariants.invariant import Invariant, Judged
from ..model import Feedback, Update
from .joined import Joined
from .match import TRUNCATED

TOLERANCE = 1e-3
"""s: two clocks drift by so much, at 100 ppm, within the ten seconds that minima last."""
REMEMBERED = 0.8
"""Of `base_delay_window`: minima are kept for at least 0.9 of it, counted in tenths."""
FULL = 0.75
"""Of the largest packet: the base delay of every size class is at most that of such packets."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Delays in the order of the feedback, each between two bounds. `low` is the network's. The sender's own, `high`,
    is longer by as much as packets and ACKs waited outside of the network, where the clock is the machine's. A delay by
    ACK arrival includes how long the peer held the ACK, of which the controller takes away as much as it believes. Both
    are NaN where the network does not know the packet, or what may have brought the ACK."""

    feedback: Ints
    """Index."""
    low: Floats
    high: Floats
    full: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

    @classmethod
    def of(cls, rows: list[tuple[int, float, float, bool]]) -> Samples:
        feedback, low, high, full = zip(*rows, strict=True) if rows else ((), (), (), ())
        of = np.array
        return cls(of(feedback, dtype=np.int64), of(low, dtype=float), of(high, dtype=float), of(full, dtype=np.bool_))

    def within(self, first: int, last: int) -> slice:
        """Those of these feedbacks, both included."""
        return slice(int(np.searchsorted(self.feedback, first)), int(np.searchsorted(self.feedback, last, "right")))


def judge(j: Joined) -> Judged:
    parameters = j.trace.parameters[0].parameters if j.trace.parameters else None
    if not isinstance(parameters, HybridParameters):
        return Judged.nothing("the trace reports no queueing delay: only the default profile of hybrid is judged")
    samples = {"receive_timestamps": _by_timestamps(j), "ack": _by_acks(j)}
    memory, out = REMEMBERED * parameters.base_delay_window * 1e-3, Judged()
    for u, first, last, anew in _epochs(j):
        if u.data.delta is None or u.time > j.until or u.data.source not in samples:
            continue
        bounds = _bounds(j, samples[u.data.source], (first, last, anew), memory)
        if bounds is None:
            continue
        out.cases += 1
        out.seconds += u.data.duration * 1e-3
        delta = u.data.delta * 1e-3
        if not bounds[0] - TOLERANCE <= delta <= bounds[1] + TOLERANCE:
            out.breach(
                u.time,
                f"epoch {u.data.epoch} reports a queueing delay of {u.data.delta:.3f} ms, zone {u.data.zone}; that of "
                f"the network was {bounds[0] * 1e3:.3f} to {bounds[1] * 1e3:.3f} ms",
            )
    return out


def _epochs(j: Joined) -> Iterator[tuple[Update[HybridEpoch], int, int, int]]:
    """Epochs with their first and last feedback, and the one since which the minima may hold: what becomes known of the
    path, or another packet size, lets them begin anew."""
    trace = j.trace
    records = [f.record for f in trace.feedback]
    anew_at = [bisect_right(records, p.record) for p in trace.parameters[1:]]
    first = anew = 0
    for u in trace.updates_of(HybridEpoch):
        last = max(bisect_right(records, u.record) - 1, 0)
        anew = max([anew, *(a for a in anew_at if a <= last)])
        yield u, first, last, anew
        first = last
        if u.data.outcome is not None:
            anew = last


def _bounds(j: Joined, s: Samples, feedback: tuple[int, int, int], memory: float) -> tuple[float, float] | None:
    """s; None where the network does not know the delays of all packets."""
    first, last, anew = feedback
    own = s.within(first, last)
    if own.start == own.stop or np.isnan(s.low[own]).any():
        return None
    times = j.trace.feedback
    remembered = bisect_right(times, times[last].time - memory, key=lambda f: f.time)
    recent = s.within(max(anew, remembered), last)
    base = s.high[recent][s.full[recent] & ~np.isnan(s.high[recent])]
    low = float(s.low[own].min() - base.min()) if len(base) else 0.0
    return max(low, 0.0), float(s.high[own].max() - np.nanmin(s.low[: own.stop]))


def _by_timestamps(j: Joined) -> Samples:
    came, delivered, sent = j.sent(), j.delivered(), j.trace.sent
    full, rows = FULL * j.seen.o.full, []
    for n, f in enumerate(j.trace.feedback):
        for i, _ in f.received:
            row = int(j.match.row[i])
            at, began = (float(delivered[row]), float(came[row])) if row >= 0 else (np.nan, np.nan)
            rows.append((n, at - began, at - sent.time[i], bool(sent.size[i] > full)))
    return Samples.of(rows)


def _by_acks(j: Joined) -> Samples:
    came, delivered, sent = j.sent(), j.delivered(), j.trace.sent
    back = j.acks_delivered()
    order = np.argsort(back)  # NaN last
    back, left = back[order], np.asarray((j.acks.sent * 1e-9 - j.offset)[order], dtype=np.float64)
    full, rows = FULL * j.seen.o.full, []
    for n, f in enumerate(j.trace.feedback):
        if f.sample < 0:
            continue
        row, high = int(j.match.row[f.sample]), f.time - sent.time[f.sample]
        low = float(delivered[row] - came[row]) if row >= 0 else np.nan
        low += _way_back(f, back, left, float(delivered[row]), j.late + 1e-6)
        rows.append((n, low, np.nan if np.isnan(low) else high, bool(sent.size[f.sample] > full)))
    return Samples.of(rows)


def _way_back(f: Feedback, back: Floats, left: Floats, delivered: float, late: float) -> float:
    """How long the ACK of a feedback was in the network at least: the packets that came until then, and not too long
    before, may have carried it. NaN if there is none."""
    until = f.time + TRUNCATED + 1e-6
    candidates = slice(int(np.searchsorted(back, f.time - late)), int(np.searchsorted(back, until, "right")))
    way = (back - left)[candidates][left[candidates] >= delivered - late]
    return float(way.min()) if len(way) else np.nan


INVARIANT: Invariant[Joined] = Invariant(
    name="true queue",
    holds="the queueing delay that hybrid reports of an epoch, which decides the zone, lies between the least and the "
    "most that the network's delays allow",
    needs=("packet_sent", "packet_received with ACK frames", "cc:hybrid_epoch_updated"),
    tolerance="1 ms, by which two clocks drift apart",
    unit="epochs",
    least=10,
    judge=judge,
)
