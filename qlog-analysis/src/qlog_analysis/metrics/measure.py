"""Measures one trace, whatever controller sent it.

What a trace does not tell is None, with the reason in `not_measured`, never 0."""

from __future__ import annotations

from typing import Any

from ..model import LossesFrom, Trace
from . import ack_frequency, application, reasons, reordering
from .ack_frequency import batched_percent
from .acks import acks_of
from .delivery_rate import NO_RATES, rate_samples
from .distribution import Distribution
from .figures import TraceMetrics
from .flow_control import blocked_times
from .goodput import MIN_FRAMES, acked_frames, distinct_bytes, transfer_span
from .held_back import gaps_of
from .observed import Observed, observe
from .one_way import OneWay, one_way
from .pacing import pacing_of
from .resolution import whole_ms


def measure(trace: Trace, observed: Observed | None = None) -> TraceMetrics:
    """All figures; `observed` if it is there already."""
    o = observed if observed is not None else observe(trace)
    sent, received = trace.sent, trace.received
    coarse = whole_ms(trace)
    why = reasons.not_told(trace)
    lost = None if "packets_lost" in why else sum(map(len, trace.feedback.lost.values()))
    acked_bytes = distinct_bytes(sent.frames, acked_frames(trace))
    received_bytes = distinct_bytes(received)
    received_span = (received.time[0], received.time[-1]) if len(received) >= MIN_FRAMES else None
    way = one_way(trace, o.samples)
    found = _found(o, way, coarse=coarse)
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
        rtt_ms=Distribution.of(o.samples.rtt),
        queueing_delay_ms=Distribution.of(o.samples.rowd),
        queueing_delay_over_time_ms=Distribution.over_time(o.samples.time, o.samples.rowd),
        **found,
        not_measured=why | reasons.why_missing(trace, found, coarse=coarse),
        notes=trace.notes + ([way.note] if way.note is not None else []),
        other_events=trace.others,
    )


def _found(o: Observed, way: OneWay, *, coarse: bool) -> dict[str, Any]:
    """What follows from packets and ACKs as columns, by name."""
    trace = o.trace
    acks = acks_of(trace)
    gaps = gaps_of(o, blocked_times(o)[0])
    spells = application.spells(gaps)
    rates = rate_samples(o, acks, spells + 1) if trace.sizes_known else NO_RATES
    fastest = float(rates.rate.max()) if len(rates.rate) else None
    return {
        "relative_one_way_delay_ms": Distribution.of(way.rowd),
        "relative_one_way_delay_from": way.source if len(way.rowd) else None,
        "delivery_rate_bps": Distribution.of_values(rates.rate[~rates.application_limited]),
        "delivery_rate_application_limited_bps": Distribution.of_values(rates.rate[rates.application_limited]),
        "reordering_received": reordering.received(trace),
        "reordering_by_acks": reordering.by_acks(trace, acks),
        "acks_received": ack_frequency.received(trace, acks),
        "acks_batched_percent": None if fastest is None or coarse else batched_percent(trace, acks, fastest),
        "acks_sent": ack_frequency.sent(trace),
        "application_limited": application.by_packets(o, gaps),
        "application_limited_told": application.told(trace),
        "pacing": None if coarse else pacing_of(o, gaps),
        "fairness": None,
    }


def _rtt_from(trace: Trace) -> str:
    return "ACK frames" if trace.frames_known else f"recovery metrics of {trace.writer.name}"


def _losses_from(trace: Trace) -> str:
    return (trace.losses_from or LossesFrom.EVENTS).value


def _rate(size: int, span: tuple[float, float] | None) -> float | None:
    return 8.0 * size / (span[1] - span[0]) if span is not None and span[1] > span[0] else None
