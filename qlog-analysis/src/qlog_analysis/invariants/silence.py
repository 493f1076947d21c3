"""A sender that may send and has something to send does not fall silent (RFC 9002 sections 6.2 and 7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ..metrics import Floats
from ..metrics.distribution import Ints
from ..model import NEVER, Space
from .invariant import Invariant, Judged
from .pacing import Schedule, burst_of
from .seen import Seen
from .waiting import Waiting

SLACK = 0.05
"""s: the timers and the event loop of a busy machine."""


class Kind(IntEnum):
    """What happens, in the order in which it counts within a record."""

    FEEDBACK = 0
    LIMIT = 1
    WRITTEN = 2
    ABANDONED = 3
    METRICS = 4
    SENT = 5


@dataclass(slots=True)
class _Watch:
    """Since when a packet could leave, and since when a probe is awaited."""

    seen: Seen
    out: Judged
    waiting: Waiting
    plan: Schedule
    late: frozenset[int]
    """Packets that were declared lost in error."""
    packets: list[int]
    transfers: list[float]
    """By packet of `sends`, its position in `Trace.sent` and how long it takes at the pacing rate, s."""
    ptos: list[float]
    """After each feedback, s."""
    ready: float | None = None
    """Since when data waits that window and flow control let go."""
    awaited: float | None = None
    """Since when something in flight is neither acknowledged nor probed for."""
    backoff: int = 0
    """Probe timeouts since the last ACK."""
    pto: float = math.nan

    def judge_ready(self, time: float) -> None:
        """Data waited until now."""
        if self.ready is None:
            return
        silent = time - max(self.ready, self.plan.due)
        if silent > self.pto + SLACK:
            self.out.breach(
                time,
                f"nothing was sent for {silent * 1e3:.1f} ms although data waited, and window and pacing let it go; "
                f"the probe timeout is {self.pto * 1e3:.1f} ms",
            )
        self.ready = None

    def judge_probe(self, time: float) -> None:
        """Something was in flight until now, and no ACK came."""
        if self.awaited is None:
            return
        limit = self.pto * 2.0**self.backoff
        silent = time - max(self.awaited, self.plan.due)
        if silent > limit + SLACK:
            self.out.breach(
                time,
                f"nothing was sent for {silent * 1e3:.1f} ms with packets in flight and no ACK; a probe is due after "
                f"{limit * 1e3:.1f} ms",
            )
        self.awaited = None

    def sent(self, which: int, time: float) -> None:
        if self.awaited is not None and time - self.awaited >= 0.9 * self.pto:
            self.backoff += 1
        self.judge_ready(time)
        self.judge_probe(time)
        self.waiting.send(self.packets[which])
        transfer = self.transfers[which]
        if math.isfinite(transfer):
            self.plan.left(time, transfer)

    def told(self, which: int, time: float) -> None:
        """An ACK, or losses."""
        f = self.seen.trace.feedback[which]
        self.judge_probe(time)
        if len(f.acked):
            self.backoff = 0
        self.pto = self.ptos[which]
        for p in self.seen.trace.acked_by(f):
            self.waiting.acknowledge(p)
        for p in f.lost:
            (self.waiting.acknowledge if p in self.late else self.waiting.lose)(p)

    def written(self, which: int, _: float) -> None:
        written = self.seen.trace.written
        self.waiting.write(written.stream[which], written.end[which])

    def allowed(self, which: int, _: float) -> None:
        signal = self.seen.trace.signals[which]
        self.waiting.allow(signal.stream, signal.limit or 0)

    def abandoned(self, stream: int, _: float) -> None:
        self.waiting.abandon(stream)

    def takers(self) -> dict[int, Callable[[int, float], None]]:
        """What takes an event in, by kind; metrics say nothing else than `state`."""
        return {
            int(Kind.FEEDBACK): self.told,
            int(Kind.LIMIT): self.allowed,
            int(Kind.WRITTEN): self.written,
            int(Kind.ABANDONED): self.abandoned,
            int(Kind.SENT): self.sent,
        }

    def state(self, time: float, in_flight: float, room: bool) -> None:
        """What holds from now on."""
        able = room and self.waiting.any
        if not able:
            self.judge_ready(time)
        elif self.ready is None:
            self.ready = time
        if in_flight <= 0.0:
            self.awaited = None
        elif self.awaited is None:
            self.awaited = time


def judge(seen: Seen) -> Judged:
    begin = _handshake_ends(seen)
    if not len(seen.o.sends) or begin is None:
        return Judged.nothing("the trace does not show a handshake that is over")
    out, trace = Judged(), seen.trace
    watch = _Watch(
        seen=seen,
        out=out,
        waiting=Waiting(trace),
        plan=Schedule(burst_of(seen)),
        late=frozenset(trace.came_late),
        packets=seen.o.sends.packet.tolist(),
        transfers=(8.0 * seen.o.sends.size / seen.o.sends.pacing).tolist(),
        ptos=seen.pto_high.tolist(),
    )
    before, takers, cases = 0.0, watch.takers(), {int(kind) for kind in (Kind.SENT, Kind.FEEDBACK)}
    for at, time, kind, which, in_flight, room in _steps(seen, begin):
        if watch.awaited is not None or watch.ready is not None:
            out.seconds += time - before
            out.cases += kind in cases
        before = time
        if kind in takers:
            takers[kind](which, time)
        if at >= begin and not math.isnan(watch.pto):
            watch.state(time, in_flight, room)
    end = before if seen.until != NEVER else min(trace.end, seen.o.end)
    watch.judge_ready(end)
    watch.judge_probe(end)
    return out


def _steps(seen: Seen, begin: int) -> Iterator[tuple[int, float, int, int, float, bool]]:
    """The events in order, with bytes in flight and whether a full packet has room after each."""
    record, time, kind, which = _events(seen)
    in_flight = seen.o.in_flight(record)
    room = in_flight + seen.o.full <= _window_after(seen, record)
    # Most metrics are written at once for a packet and tell nothing else.
    same = (in_flight[1:] == in_flight[:-1]) & (room[1:] == room[:-1]) & (time[1:] == time[:-1])
    idle = np.concatenate(([False], same & (kind[1:] == Kind.METRICS) & (record[:-1] >= begin)))
    columns = (record, time, kind, which, in_flight, room)
    return zip(*(c[~idle].tolist() for c in columns), strict=True)


def _events(seen: Seen) -> tuple[Ints, Floats, Ints, Ints]:
    """Record, time, kind, and which of its kind, of all that is judged."""
    trace, s = seen.trace, seen.o.sends
    limits = [(x, i) for i, x in enumerate(trace.signals) if x.kind in ("max_data", "max_stream_data") and not x.sent]
    kinds: tuple[tuple[Kind, Sequence[int] | Ints, Sequence[float] | Floats, Sequence[int] | None], ...] = (
        (Kind.FEEDBACK, seen.feedback_record, seen.feedback_time, None),
        (Kind.LIMIT, [x.record for x, _ in limits], [x.time for x, _ in limits], [i for _, i in limits]),
        (Kind.ABANDONED, [*trace.abandoned.values()], [0.0] * len(trace.abandoned), [*trace.abandoned]),
        (Kind.WRITTEN, trace.written.record, trace.written.time, None),
        (Kind.METRICS, trace.metrics.record, trace.metrics.time, None),
        (Kind.SENT, s.record, s.time, None),
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
    acked = [f.record for f in seen.trace.feedback if f.space is Space.APPLICATION and len(f.acked)]
    return min([*done, *acked], default=None)


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
