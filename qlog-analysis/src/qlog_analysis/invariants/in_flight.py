"""The bytes in flight that are reported are those that packets and ACKs leave (RFC 9002 section 2)."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..model import NEVER
from .invariant import Invariant, Judged
from .seen import Seen

SHOWN = 200
"""Breaches kept: after one error every later row is wrong."""


def judge(seen: Seen) -> Judged:
    trace = seen.trace
    record = np.array(trace.metrics.record, dtype=np.int64)
    written = np.array(trace.metrics.bytes_in_flight, dtype=np.float64)
    # quiche counts a packet that closes the connection, which RFC 9002 section 2 does not.
    closed = next((s.record for s in trace.signals if s.kind == "connection_close" and s.sent), NEVER)
    use = ~np.isnan(written) & (record < min(seen.until, closed))
    if not trace.native:
        return Judged.nothing("another writer may count other packets, or write at other times")
    if not use.any() or not len(seen.o.sends):
        return Judged.nothing("the trace does not report bytes in flight")
    record, written = record[use], written[use]
    low = seen.o.in_flight(record)
    high = _highest(seen, record)
    wrong = np.flatnonzero((written < low) | (written > high))
    out = Judged(cases=len(record))
    time = np.array(trace.metrics.time, dtype=np.float64)[use]
    out.seconds = float(time[-1] - time[0])
    for i in wrong[:SHOWN]:
        left = f"{low[i]:.0f}" if low[i] == high[i] else f"{low[i]:.0f} to {high[i]:.0f}"
        out.breach(float(time[i]), f"{written[i]:.0f} bytes reported, packets and ACKs leave {left}")
    return out


def _highest(seen: Seen, record: Ints) -> Floats:
    """With what other spaces and path MTU probes may still have in flight: keys that are gone and probes that are lost
    take their packets with them in silence."""
    sent = seen.trace.sent
    eliciting = np.frombuffer(bytes(sent.ack_eliciting), dtype=np.uint8) > 0
    size = np.where(eliciting, np.array(sent.size, dtype=np.float64), 0.0)
    mine = np.zeros(len(size), dtype=np.bool_)
    mine[seen.o.sends.packet] = True
    others = np.flatnonzero(~mine & eliciting)
    gone = np.full(len(size), -1)
    acked = np.asarray(seen.trace.acked, dtype=np.int64)
    gone[acked] = np.repeat(seen.feedback_record, seen.trace.feedback.counts)
    for i, packets in seen.trace.feedback.lost.items():
        gone[packets] = np.maximum(gone[packets], seen.trace.feedback.record[i])
    gone[gone < 0] = np.iinfo(np.int64).max
    left = np.sort(gone[others])
    order = np.argsort(gone[others])
    total_sent = np.concatenate(([0.0], np.cumsum(size[others])))
    total_gone = np.concatenate(([0.0], np.cumsum(size[others][order])))
    at = np.array(sent.record, dtype=np.int64)[others]
    more = total_sent[np.searchsorted(at, record, side="right")] - total_gone[np.searchsorted(left, record, "right")]
    return np.asarray(seen.o.in_flight(record) + more, dtype=np.float64)


INVARIANT = Invariant(
    name="in flight",
    holds="bytes in flight are reported as packets, ACKs and losses leave them",
    needs=("packet_sent", "packet_received with ACK frames", "recovery_metrics_updated with bytes_in_flight"),
    tolerance="none between handshake and close; in the handshake, what other packet number spaces may have in flight",
    unit="reports",
    least=10,
    judge=judge,
)
