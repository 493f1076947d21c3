"""Goodput, delay and loss of any trace, whatever controller sent it.

What a trace does not tell is None, with the reason in `not_measured`, never 0."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..model import LossesFrom, Trace
from .delay import delay_samples
from .distribution import Distribution
from .goodput import acked_frames, distinct_bytes, transfer_span

MIN_FRAMES = 10
"""With fewer STREAM frames received, as a server receives requests, a rate means nothing."""

_OF_DELAY = ("rtt_ms", "queueing_delay_ms", "queueing_delay_over_time_ms", "rtt_from")
NO_FRAMES = "the packets of the trace have no frames"
_OF_STREAMS = ("stream_bytes_sent", "stream_bytes_acked", "stream_bytes_received")
_OF_LOSSES = ("packets_lost", "loss_percent", "spurious_losses", "losses_from")


@dataclass(frozen=True, slots=True)
class TraceMetrics:
    trace: str
    title: str
    controller: str
    vantage_point: str
    duration_s: float
    packets_sent: int
    bytes_sent: int | None
    packets_received: int
    packets_lost: int | None
    loss_percent: float | None
    spurious_losses: int | None
    """Packets that were declared lost and acknowledged afterwards."""
    losses_from: str | None
    """What tells of losses: a counter, events, or else the packet threshold of RFC 9002."""
    stream_bytes_sent: int | None
    """Distinct bytes of streams."""
    stream_bytes_acked: int | None
    stream_bytes_received: int | None
    goodput_bps: float | None
    """Distinct stream bytes acknowledged, from the first STREAM frame sent to the last ACK of one."""
    received_goodput_bps: float | None
    """Distinct stream bytes received, from the first to the last STREAM frame received."""
    rtt_from: str | None
    """What tells of round trips: ACK frames, or else what the sender says of them."""
    rtt_ms: Distribution
    queueing_delay_ms: Distribution
    """Per packet: ROWD of every sample against the minimum of the whole trace, like sizes compared."""
    queueing_delay_over_time_ms: Distribution
    """The same samples, each weighed by the time until the next, as a log of the queue would be."""
    not_measured: dict[str, str]
    """Why fields are None."""
    notes: list[str]
    """Oddities of the trace, and records that were not used."""
    other_events: dict[str, int]
    """Events that none of these figures is made of: how many of each name."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def by_reason(self) -> dict[str, list[str]]:
        """`not_measured` the other way round."""
        fields: dict[str, list[str]] = {}
        for name, reason in self.not_measured.items():
            fields.setdefault(reason, []).append(name)
        return fields


def measure(trace: Trace) -> TraceMetrics:
    sent = trace.sent
    why = _not_measured(trace)
    lost = None if "packets_lost" in why else sum(len(f.lost) for f in trace.feedback)
    acked_bytes = distinct_bytes(sent.frames, acked_frames(trace))
    delays = delay_samples(trace)
    received = trace.received
    received_bytes = distinct_bytes(received)
    received_span = (received.time[0], received.time[-1]) if len(received) >= MIN_FRAMES else None
    return TraceMetrics(
        trace=str(trace.path),
        title=trace.title,
        controller=trace.controller_label,
        vantage_point=trace.vantage_point,
        duration_s=trace.end,
        packets_sent=len(sent),
        bytes_sent=None if "bytes_sent" in why else sum(sent.size),
        packets_received=trace.received_packets,
        packets_lost=lost,
        loss_percent=None if lost is None else 100.0 * lost / len(sent),
        spurious_losses=None if lost is None else trace.spurious_losses,
        losses_from=None if lost is None else _losses_from(trace),
        stream_bytes_sent=distinct_bytes(sent.frames) if trace.frames_known else None,
        stream_bytes_acked=acked_bytes if trace.frames_known else None,
        stream_bytes_received=received_bytes if trace.frames_known else None,
        goodput_bps=_rate(acked_bytes, transfer_span(trace)),
        received_goodput_bps=_rate(received_bytes, received_span),
        rtt_from=_rtt_from(trace) if "rtt_from" not in why else None,
        rtt_ms=Distribution.of(delays.rtt),
        queueing_delay_ms=Distribution.of(delays.rowd),
        queueing_delay_over_time_ms=Distribution.over_time(delays.time, delays.rowd),
        not_measured=why,
        notes=trace.notes,
        other_events=trace.others,
    )


def _rtt_from(trace: Trace) -> str:
    return "ACK frames" if trace.frames_known else f"recovery metrics of {trace.writer.name}"


def _losses_from(trace: Trace) -> str:
    return (trace.losses_from or LossesFrom.EVENTS).value


def _not_measured(trace: Trace) -> dict[str, str]:
    """The fields that a trace cannot give, with the reason."""
    why: dict[str, str] = {}
    sent = trace.sent
    if not len(sent):
        none = "the trace has no packet that was sent"
        why.update(dict.fromkeys(("bytes_sent", "goodput_bps", *_OF_DELAY, *_OF_LOSSES), none))
    elif not trace.ack_frames:
        none = "the trace has no ACK frame that was received" if trace.frames_known else NO_FRAMES
        own = not trace.frames_known and bool(np.isfinite(np.array(trace.metrics.latest_rtt)).any())
        of_losses = () if trace.losses_known else _OF_LOSSES
        why.update(dict.fromkeys(("goodput_bps", *(() if own else _OF_DELAY), *of_losses), none))
    if not trace.sizes_known:
        why["bytes_sent"] = "the trace does not give the size of every packet"
    if "goodput_bps" not in why and not len(sent.frames):
        why["goodput_bps"] = "no STREAM frame was sent"
    if not trace.frames_known:
        why.update(dict.fromkeys(_OF_STREAMS, NO_FRAMES))
    if len(trace.received) < MIN_FRAMES:
        few = f"fewer than {MIN_FRAMES} STREAM frames were received"
        why["received_goodput_bps"] = few if trace.frames_known else NO_FRAMES
    return why


def _rate(size: int, span: tuple[float, float] | None) -> float | None:
    return 8.0 * size / (span[1] - span[0]) if span is not None and span[1] > span[0] else None
