"""A sender that may send and has something to send does not fall silent (RFC 9002 sections 6.2 and 7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..model import NEVER
from .data_events import Events, Kind
from .invariant import Breach, Invariant, Judged
from .pacing import CATCH_UP
from .seen import Seen
from .waiting import waits_after

SLACK = 0.05
"""s: the timers and the event loop of a busy machine."""
SLOW = 0.9
"""Of the probe timeout: after so long a packet is a probe."""


@dataclass(frozen=True, slots=True)
class _Steps:
    """The events in order."""

    record: Ints
    time: Floats
    events: Events
    in_flight: Floats
    """Bytes, after each."""
    room: Bools
    """Whether a full packet has room in the window, after each."""

    def is_kind(self, kind: Kind) -> Bools:
        found: Bools = self.events.kind == kind
        return found


@dataclass(frozen=True, slots=True)
class _Watch:
    """Since when a packet could leave, and since when a probe is awaited. Each column has one more row than there are
    events: what holds before each of them, and at the end."""

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

    def breaches(self, steps: _Steps, seen: Seen) -> list[Breach]:
        late = self.ends_ready & (self.time - self.ready > self.pto_then + SLACK)
        unprobed = self.ends_awaited & (self.time - self.awaited > self.probe + SLACK)
        if not late.any() and not unprobed.any():
            return []
        due = _due(steps, seen)
        found = []
        for i in np.flatnonzero(late | unprobed).tolist():
            time, told = float(self.time[i]), i < len(steps.record) and steps.events.kind[i] == Kind.FEEDBACK
            ready, awaited = (time - max(float(since[i]), due[i]) for since in (self.ready, self.awaited))
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
            found += [Breach(time, message) for message in (reversed(messages) if told else messages)]
        return found


def judge(seen: Seen) -> Judged:
    begin = _handshake_ends(seen)
    if not len(seen.o.sends) or begin is None:
        return Judged.nothing("the trace does not show a handshake that is over")
    steps = _steps(seen, begin)
    if not len(steps.record):
        return Judged()
    end = float(steps.time[-1]) if seen.until != NEVER else min(seen.trace.end, seen.o.end)
    watch = _watch(seen, steps, begin, end)
    watched = ~(np.isnan(watch.ready) & np.isnan(watch.awaited))[:-1]
    seconds = np.cumsum(np.diff(steps.time, prepend=0.0)[watched])
    return Judged(
        cases=int((watched & (steps.is_kind(Kind.SENT) | steps.is_kind(Kind.FEEDBACK))).sum()),
        seconds=float(seconds[-1]) if len(seconds) else 0.0,
        breaches=watch.breaches(steps, seen),
    )


def _watch(seen: Seen, steps: _Steps, begin: int, end: float) -> _Watch:
    sent, told = steps.is_kind(Kind.SENT), steps.is_kind(Kind.FEEDBACK)
    newest = steps.events.which[told]
    pto = np.concatenate(([np.nan], np.concatenate(([np.nan], seen.pto_high[newest]))[np.cumsum(told)]))
    known = (steps.record >= begin) & ~np.isnan(pto[1:])
    able = known & steps.room & waits_after(seen.trace, steps.events)
    flying = known & ~(steps.in_flight <= 0.0)
    ready, awaited = _since(steps.time, able, sent), _since(steps.time, flying, sent | told)
    probes = np.cumsum(sent & (steps.time - awaited[:-1] >= SLOW * pto[:-1]))
    answered = np.zeros(len(sent), dtype=np.bool_)
    answered[told] = seen.trace.feedback.counts[newest] > 0
    before = np.concatenate(([0], np.maximum.accumulate(np.where(answered, probes, 0))))
    return _Watch(
        time=np.append(steps.time, end),
        ready=ready,
        awaited=awaited,
        pto=pto,
        pto_then=np.append(pto[1:], pto[-1]),
        probe=pto * 2.0 ** (np.append(probes, probes[-1]) - before),
        ends_ready=np.append(sent | ~able, True),
        ends_awaited=np.append(sent | told, True),
    )


def _since(time: Floats, holds: Bools, anew: Bools) -> Floats:
    """Before each event and at the end, since when something holds; NaN where it does not. With some events it begins
    anew."""
    begins = holds & (anew | ~np.concatenate(([False], holds[:-1])))
    latest = np.maximum.accumulate(np.where(begins, np.arange(len(time)), 0))
    return np.concatenate(([np.nan], np.where(holds, time[latest], np.nan)))


def _due(steps: _Steps, seen: Seen) -> list[float]:
    """When the pacing rate lets the next packet leave, before each event and at the end."""
    s, (places, packets) = seen.o.sends, steps.events.of(Kind.SENT)
    transfer = (8.0 * s.size / s.pacing)[np.searchsorted(s.packet, packets)]
    paced = np.isfinite(transfer)
    places, rows = places[paced], zip(steps.time[places[paced]].tolist(), transfer[paced].tolist(), strict=True)
    due = list(accumulate(rows, lambda due, row: max(due, row[0] - CATCH_UP) + row[1], initial=-math.inf))
    return [due[i] for i in np.searchsorted(places, np.arange(len(steps.time) + 1)).tolist()]


def _steps(seen: Seen, begin: int) -> _Steps:
    record, time, kind, which = _events(seen)
    in_flight = seen.o.in_flight(record)
    room = in_flight + seen.o.full <= _window_after(seen, record)
    # Most metrics are written at once for a packet and tell nothing else.
    same = (in_flight[1:] == in_flight[:-1]) & (room[1:] == room[:-1]) & (time[1:] == time[:-1])
    idle = np.concatenate(([False], same & (kind[1:] == Kind.METRICS) & (record[:-1] >= begin)))
    return _Steps(record[~idle], time[~idle], Events(kind[~idle], which[~idle]), in_flight[~idle], room[~idle])


def _events(seen: Seen) -> tuple[Ints, Floats, Ints, Ints]:
    """Record, time, kind, and which of its kind, of all that is judged."""
    trace, s = seen.trace, seen.o.sends
    limits = [(x, i) for i, x in enumerate(trace.signals) if x.kind in ("max_data", "max_stream_data") and not x.sent]
    kinds: tuple[tuple[Kind, Sequence[int] | Ints, Sequence[float] | Floats, Sequence[int] | Ints | None], ...] = (
        (Kind.FEEDBACK, seen.feedback_record, seen.feedback_time, None),
        (Kind.LIMIT, [x.record for x, _ in limits], [x.time for x, _ in limits], [i for _, i in limits]),
        (Kind.ABANDONED, [*trace.abandoned.values()], [0.0] * len(trace.abandoned), [*trace.abandoned]),
        (Kind.WRITTEN, trace.written.record, trace.written.time, None),
        (Kind.METRICS, trace.metrics.record, trace.metrics.time, None),
        (Kind.SENT, s.record, s.time, s.packet),
    )
    record = np.concatenate([np.array(records, dtype=np.int64) for _, records, _, _ in kinds])
    time = np.concatenate([np.array(times, dtype=np.float64) for _, _, times, _ in kinds])
    kind = np.concatenate([np.full(len(records), k, dtype=np.int64) for k, records, _, _ in kinds])
    which = np.concatenate([np.array(range(len(r)) if w is None else w, dtype=np.int64) for _, r, _, w in kinds])
    order = np.lexsort((which, kind, time, record))
    order = order[(record[order] < seen.until) & (time[order] <= seen.o.end)]
    return record[order], time[order], kind[order], which[order]


def _window_after(seen: Seen, record: Ints) -> Floats:
    """Congestion window once a record has been written."""
    window = np.array([math.nan, *seen.trace.metrics.congestion_window], dtype=np.float64)
    rows = np.searchsorted(np.array(seen.trace.metrics.record, dtype=np.int64), record, side="right")
    return window[rows]


def _handshake_ends(seen: Seen) -> int | None:
    """Record from which on data may leave: the server may be held back before it knows the client's address."""
    done = [s.record for s in seen.trace.signals if s.kind == "handshake_done"]
    feedback = seen.trace.feedback
    acked = feedback.records[feedback.of_application & (feedback.counts > 0)]
    return min([*done, *acked[:1].tolist()], default=None)


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
