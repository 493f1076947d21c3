"""Goodput, delay and loss of any trace, whatever controller sent it.

What a trace does not tell is None, with the reason in `not_measured`, never 0."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .measure.sliding import CLASSES, size_class
from .model import LossesFrom, Space, StreamFrames, Trace

MIN_FRAMES = 10
"""With fewer STREAM frames received, as a server receives requests, a rate means nothing."""

_OF_DELAY = ("rtt_ms", "queueing_delay_ms", "queueing_delay_over_time_ms", "rtt_from")
NO_FRAMES = "the packets of the trace have no frames"
_OF_STREAMS = ("stream_bytes_sent", "stream_bytes_acked", "stream_bytes_received")
_OF_LOSSES = ("packets_lost", "loss_percent", "spurious_losses", "losses_from")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Distribution:
    """In ms."""

    samples: int
    min: float | None = None
    mean: float | None = None
    p50: float | None = None
    p95: float | None = None
    max: float | None = None

    @classmethod
    def of(cls, seconds: Floats) -> Distribution:
        if len(seconds) == 0:
            return cls(0)
        ms = seconds * 1e3
        p50, p95 = np.percentile(ms, (50, 95))
        return cls(len(ms), float(ms.min()), float(ms.mean()), float(p50), float(p95), float(ms.max()))

    @classmethod
    def over_time(cls, time: Floats, seconds: Floats, valid: Floats | None = None) -> Distribution:
        """Each value weighs as long as it is the newest, and no longer than it is `valid` (s); the last does not
        weigh."""
        if len(seconds) < 2 or time[-1] <= time[0]:
            return cls(0)
        ms, weight = seconds[:-1] * 1e3, _weights(time, valid)
        order = np.argsort(ms, kind="stable")
        share = np.cumsum(weight[order]) / weight.sum()
        p50, p95 = (float(ms[order][min(int(np.searchsorted(share, q)), len(ms) - 1)]) for q in (0.5, 0.95))
        mean = float(np.average(ms, weights=weight))
        return cls(len(ms), float(ms.min()), mean, p50, p95, float(ms.max()))


def _weights(time: Floats, valid: Floats | None) -> Floats:
    gaps = np.diff(time)
    return gaps if valid is None else np.minimum(gaps, valid[:-1])


def share_of_time_above(time: Floats, seconds: Floats, bound: float, valid: Floats | None = None) -> float | None:
    """Of the time in which `over_time` weighs; None where it has no samples."""
    if len(seconds) < 2 or time[-1] <= time[0]:
        return None
    weight = _weights(time, valid)
    return float(weight[seconds[:-1] > bound].sum() / weight.sum())


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


@dataclass(frozen=True, slots=True)
class DelaySamples:
    """One per ACK that measures a round trip in the application space; s."""

    time: Floats
    rtt: Floats
    rowd: Floats
    sent: Floats
    """When the packets of the samples left."""


def delay_samples(trace: Trace) -> DelaySamples:
    """Of the ACK frames, or of what the sender says of its round trips where packets are written without frames."""
    return _samples_of_acks(trace) if trace.frames_known else _samples_of_the_sender(trace)


def _samples_of_the_sender(trace: Trace) -> DelaySamples:
    """Each new `latest_rtt`; nothing is known of packet sizes and ACK delays."""
    rtt, time = np.array(trace.metrics.latest_rtt), np.array(trace.metrics.time)
    new = ~np.isnan(rtt) & (np.diff(rtt, prepend=np.nan) != 0.0)
    rtt, time = rtt[new], time[new]
    return DelaySamples(time, rtt, rtt - rtt.min() if len(rtt) else rtt, time - rtt)


def _samples_of_acks(trace: Trace) -> DelaySamples:
    """RTT and relative one-way delay of every sample; the minima are those of the whole trace, because a sliding
    minimum forgets what an empty queue looks like when a controller keeps it full."""
    sent = trace.sent
    samples = [f for f in trace.feedback if f.space is Space.APPLICATION and f.sample >= 0]
    full = max((sent.size[f.sample] for f in samples), default=0) or 1  # some traces lack sizes
    time = np.array([f.time for f in samples], dtype=np.float64)
    left = np.array([sent.time[f.sample] for f in samples], dtype=np.float64)
    rtt = time - left
    delay = np.array([min(f.ack_delay, trace.peer_max_ack_delay) for f in samples], dtype=np.float64)
    owd = np.where(delay <= rtt, rtt - delay, rtt)
    classes = np.array([size_class(sent.size[f.sample], full) for f in samples], dtype=np.int64)
    minima = np.full(CLASSES + 2, np.inf)
    for c in range(CLASSES, 0, -1):
        own = owd[classes == c]
        minima[c] = min(minima[c + 1], own.min() if len(own) else np.inf)
    return DelaySamples(time, rtt, owd - minima[classes] if len(owd) else owd, left)


def distinct_bytes(frames: StreamFrames, chosen: npt.NDArray[np.bool_] | None = None) -> int:
    """Bytes of the union of all (chosen) frames: retransmissions count once."""
    stream = np.frombuffer(frames.stream, dtype=np.int64)
    start = np.frombuffer(frames.offset, dtype=np.int64)
    end = start + np.frombuffer(frames.length, dtype=np.int64)
    if chosen is not None:
        stream, start, end = stream[chosen], start[chosen], end[chosen]
    order = np.lexsort((start, stream))
    total = 0
    current, reached = -1, 0
    for s, a, b in zip(stream[order].tolist(), start[order].tolist(), end[order].tolist(), strict=True):
        if s != current:
            current, reached = s, a
        total += max(b - max(a, reached), 0)
        reached = max(reached, b)
    return total


def measure(trace: Trace) -> TraceMetrics:
    sent = trace.sent
    why = _not_measured(trace)
    lost = None if "packets_lost" in why else sum(len(f.lost) for f in trace.feedback)
    acked_frames = _acked_frames(trace)
    acked_bytes = distinct_bytes(sent.frames, acked_frames)
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


def _acked_frames(trace: Trace) -> npt.NDArray[np.bool_]:
    acked = ~np.isnan(np.frombuffer(trace.sent.acked_at, dtype=np.float64))
    counts = np.diff(np.append(np.frombuffer(trace.sent.first_frame, dtype=np.int64), len(trace.sent.frames)))
    return np.repeat(acked, counts)


def transfer_span(trace: Trace) -> tuple[float, float] | None:
    """First STREAM frame sent, last ACK of a packet that carried one; None if none was acknowledged."""
    sent = trace.sent
    if not len(sent.frames):
        return None
    counts = np.diff(np.append(np.frombuffer(sent.first_frame, dtype=np.int64), len(sent.frames)))
    acked_at = np.frombuffer(sent.acked_at, dtype=np.float64)[counts > 0]
    acked_at = acked_at[~np.isnan(acked_at)]
    return (sent.frames.time[0], float(acked_at.max())) if len(acked_at) else None


def _rate(size: int, span: tuple[float, float] | None) -> float | None:
    return 8.0 * size / (span[1] - span[0]) if span is not None and span[1] > span[0] else None


def to_text(m: TraceMetrics) -> str:
    def ms(d: Distribution) -> str:
        if d.mean is None:
            return "no samples"
        return f"mean {d.mean:.2f} ms, p95 {d.p95:.2f} ms, max {d.max:.2f} ms ({d.samples} samples)"

    def rate(bps: float | None) -> str:
        return "-" if bps is None else f"{bps / 1e6:.3f} Mbit/s"

    def goodput() -> str:
        if m.stream_bytes_acked is None:
            return "not measured"
        return (
            f"{rate(m.goodput_bps)} sent and acknowledged ({m.stream_bytes_acked} bytes), "
            f"{rate(m.received_goodput_bps)} received ({m.stream_bytes_received} bytes)"
        )

    def loss() -> str:
        if m.loss_percent is None:
            return f"not measured ({m.packets_sent} packets sent)"
        return (
            f"{m.loss_percent:.3f} % ({m.packets_lost} of {m.packets_sent} packets, "
            f"{m.spurious_losses} of them spurious; {m.losses_from})"
        )

    return "\n".join(
        (
            f"{m.trace}",
            f"  controller       {m.controller} ({m.vantage_point})",
            f"  goodput          {goodput()}",
            f"  RTT              {ms(m.rtt_ms)}"
            + (f"; {m.rtt_from}" if m.rtt_from not in (None, "ACK frames") else ""),
            f"  queueing delay   per packet: {ms(m.queueing_delay_ms)}",
            f"                   over time: {ms(m.queueing_delay_over_time_ms)}",
            f"  loss             {loss()}",
            *(f"  not measured     {', '.join(fields)}: {why}" for why, fields in m.by_reason().items()),
            *(f"  note             {note}" for note in m.notes),
        )
    )
