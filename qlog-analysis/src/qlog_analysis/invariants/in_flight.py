"""The bytes in flight that are reported are those that packets and ACKs leave (RFC 9002 section 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..check.numbers import whole
from ..model import NEVER
from ..packed import part, parts, take
from .invariant import Invariant, Judged, Watch
from .seen import Seen, SeenWindow

SHOWN = 200
"""Breaches kept: after one error every later row is wrong."""


def judge(seen: Seen) -> Judged | Watch:
    if not seen.trace.native:
        return Judged.nothing("another writer may count other packets, or write at other times")
    return _InFlight(seen)


class _InFlight:
    def __init__(self, seen: Seen) -> None:
        self._trace, self._sends = seen.trace, bool(seen.o.own.any())
        # quiche counts a packet that closes the connection, which RFC 9002 section 2 does not.
        closed = next((s.record for s in seen.trace.signals if s.kind == "connection_close" and s.sent), NEVER)
        self._until = min(seen.until, closed)
        self._others = _Others.of(seen)
        self._begin: float | None = None
        self._out = Judged()

    def add(self, shown: SeenWindow, /) -> None:
        w, m, out = shown.window, self._trace.metrics, self._out
        place = w.rows.start, w.rows.stop
        record, written = part(m.record, *place), part(m.bytes_in_flight, *place)
        use = ~np.isnan(written) & (record < self._until)
        if not use.any():
            return
        record, written, time = record[use], written[use], part(m.time, *place)[use]
        low = w.in_flight_after(record)
        high = low + self._others.in_flight_after(record)
        out.cases += len(record)
        if self._begin is None:
            self._begin = float(time[0])
        out.seconds = float(time[-1]) - self._begin
        for i in np.flatnonzero((written < low) | (written > high))[: SHOWN - len(out.breaches)]:
            left = whole(low[i], high[i])
            out.breach(float(time[i]), f"{written[i]:.0f} bytes reported, packets and ACKs leave {left}")

    def judged(self) -> Judged:
        if not self._out.cases or not self._sends:
            return Judged.nothing("the trace does not report bytes in flight")
        for m in self._trace.miscounted:
            self._out.breach(m.time, str(m))
        return self._out


@dataclass(frozen=True, slots=True)
class _Others:
    """What other spaces and path MTU probes may still have in flight: keys that are gone and probes that are lost take
    their packets with them in silence."""

    sent: Ints
    """Records."""
    gone: Ints
    total_sent: Floats
    """Bytes before each, and of all."""
    total_gone: Floats

    @classmethod
    def of(cls, seen: Seen) -> _Others:
        sent, feedback = seen.trace.sent, seen.trace.feedback
        theirs = ~seen.o.own & (np.frombuffer(bytes(sent.ack_eliciting), dtype=np.uint8) > 0)
        others = np.flatnonzero(theirs)
        gone = np.full(len(others), -1)
        at = 0
        for packets in parts(seen.trace.acked):
            for i in np.flatnonzero(theirs[packets]).tolist():
                gone[np.searchsorted(others, packets[i])] = feedback.record[feedback.acked_end.right(at + i)]
            at += len(packets)
        for i, lost in feedback.lost.items():
            places = np.searchsorted(others, [p for p in lost if theirs[p]])
            gone[places] = np.maximum(gone[places], feedback.record[i])
        gone[gone < 0] = np.iinfo(np.int64).max
        size, order = take(sent.size, others).astype(np.float64), np.argsort(gone)
        sums = (np.concatenate(([0.0], np.cumsum(sizes))) for sizes in (size, size[order]))
        return cls(take(sent.record, others), gone[order], *sums)

    def in_flight_after(self, record: Ints) -> Floats:
        sent, gone = (np.searchsorted(x, record, side="right") for x in (self.sent, self.gone))
        return np.asarray(self.total_sent[sent] - self.total_gone[gone], dtype=np.float64)


INVARIANT = Invariant(
    name="in flight",
    holds="bytes in flight are reported as packets, ACKs and losses leave them",
    needs=("packet_sent", "packet_received with ACK frames", "recovery_metrics_updated with bytes_in_flight"),
    tolerance="none between handshake and close; in the handshake, what other packet number spaces may have in flight",
    unit="reports",
    least=10,
    judge=judge,
)
