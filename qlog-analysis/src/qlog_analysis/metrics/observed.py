"""A trace as columns: what was sent, what left the network again, and how much was in flight at each moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Ints
from ..model import Space, Trace
from .delay import DelaySamples, delay_samples

UNPACED = 1e12
"""bit/s; a pacing rate from here on stands for none."""
FEWEST_SAMPLES = 4
"""With fewer round trips measured nothing is said about delays."""


@dataclass(frozen=True, slots=True)
class Sends:
    """Ack-eliciting packets of the application packet number space, without path MTU probes, in the order sent."""

    packet: Ints
    """Position in `Trace.sent`."""
    record: Ints
    time: Floats
    size: Floats
    window: Floats
    """Congestion window when the packet left, NaN while unknown."""
    pacing: Floats
    """bit/s, NaN while unknown; infinite without pacing."""
    in_flight: Floats
    """Before the packet left."""

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True, slots=True)
class Removals:
    """The same packets as they were acknowledged or declared lost, in that order."""

    record: Ints
    time: Floats
    size: Floats
    lost: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Observed:
    trace: Trace
    sends: Sends
    removals: Removals
    samples: DelaySamples
    acked_at: Floats
    """Feedback that acknowledged something, any space."""
    full: float
    """Bytes of the largest packet."""
    base_rtt: float | None
    """The smallest round trip; None without samples."""
    begin: float
    """First packet, sent or received."""
    end: float
    """Of the trace, or when the connection was closed."""

    def in_flight(self, record: Ints) -> Floats:
        """Bytes in flight just after these records."""
        sent = np.concatenate(([0.0], np.cumsum(self.sends.size)))
        gone = np.concatenate(([0.0], np.cumsum(self.removals.size)))
        before = np.searchsorted(self.sends.record, record, side="right")
        after = np.searchsorted(self.removals.record, record, side="right")
        return sent[before] - gone[after]

    def in_flight_at(self, time: Floats) -> Floats:
        """Bytes in flight just after these times."""
        sent = np.concatenate(([0.0], np.cumsum(self.sends.size)))
        gone = np.concatenate(([0.0], np.cumsum(self.removals.size)))
        before = np.searchsorted(self.sends.time, time, side="right")
        return sent[before] - gone[np.searchsorted(self.removals.time, time, side="right")]

    def acked_bytes(self, edges: Floats) -> Floats:
        """Acknowledged per stretch between edges, bytes on the wire."""
        r = self.removals
        total = np.histogram(r.time[~r.lost], edges, weights=r.size[~r.lost])[0]
        return np.asarray(total, dtype=np.float64)

    def rtt_at(self, time: float) -> float:
        """The newest round trip measured until then, else the first; 0 without any."""
        s = self.samples
        if not len(s.time):
            return 0.0
        return float(s.rtt[max(int(np.searchsorted(s.time, time, side="right")) - 1, 0)])


def observe(trace: Trace) -> Observed:
    sent = trace.sent
    space = np.frombuffer(bytes(sent.space), dtype=np.uint8)
    eliciting = np.frombuffer(bytes(sent.ack_eliciting), dtype=np.uint8) > 0
    probe = np.frombuffer(bytes(sent.probe), dtype=np.uint8) > 0
    packet = np.flatnonzero((space == Space.APPLICATION) & eliciting & ~probe)
    record = np.array(sent.record, dtype=np.int64)[packet]
    time = np.array(sent.time, dtype=np.float64)[packet]
    size = np.array(sent.size, dtype=np.float64)[packet]
    removals = _removals(trace, packet, size)
    window, pacing = _metrics_before(trace, record)
    gone = np.concatenate(([0.0], np.cumsum(removals.size)))[np.searchsorted(removals.record, record)]
    sends = Sends(packet, record, time, size, window, pacing, np.cumsum(size) - size - gone)
    samples = delay_samples(trace)
    return Observed(
        trace=trace,
        sends=sends,
        removals=removals,
        samples=samples,
        acked_at=trace.feedback.times[trace.feedback.counts > 0],
        full=float(size.max()) if len(size) else 0.0,
        base_rtt=float(samples.rtt.min()) if len(samples.rtt) else None,
        begin=min((t[0] for t in (sent.time, trace.received_at) if len(t)), default=0.0),
        end=min((s.time for s in trace.signals if s.kind == "connection_close"), default=trace.end),
    )


def _removals(trace: Trace, packet: Ints, size: Floats) -> Removals:
    """Whichever came first of each packet, acknowledgement or loss."""
    never = np.iinfo(np.int64).max
    record = np.full(len(trace.sent), never)
    time = np.full(len(trace.sent), np.nan)
    lost = np.zeros(len(trace.sent), dtype=np.bool_)
    acked = np.array(trace.acked, dtype=np.int64)
    feedback, counts = trace.feedback, trace.feedback.counts
    record[acked] = np.repeat(feedback.records, counts)
    time[acked] = np.repeat(feedback.times, counts)
    for i, packets in feedback.lost.items():
        record[packets], time[packets], lost[packets] = feedback.record[i], feedback.time[i], True
    chosen = packet[record[packet] != never]
    sizes = size[record[packet] != never]
    order = np.argsort(record[chosen], kind="stable")
    chosen = chosen[order]
    return Removals(record[chosen], time[chosen], sizes[order], lost[chosen])


def _metrics_before(trace: Trace, record: Ints) -> tuple[Floats, Floats]:
    """Window and pacing rate as they stood before these records."""
    m = trace.metrics
    if not len(m):
        nothing = np.full(len(record), np.nan)
        return nothing, nothing.copy()
    row = np.searchsorted(np.array(m.record, dtype=np.int64), record) - 1
    pacing = np.array(m.pacing_rate, dtype=np.float64)
    pacing[pacing >= UNPACED] = np.inf
    pacing[pacing <= 0.0] = np.nan
    columns = (np.array(m.congestion_window, dtype=np.float64), pacing)
    window, rate = (np.where(row >= 0, c[np.maximum(row, 0)], np.nan) for c in columns)
    return window, rate
