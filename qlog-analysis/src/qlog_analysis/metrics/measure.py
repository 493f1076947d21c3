"""Measures one trace, whatever controller sent it.

What a trace does not tell is None, with the reason in `not_measured`, never 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model import LossesFrom, Trace
from ..packed import parts
from . import ack_frequency, application, reasons, reordering
from .ack_frequency import AckColumns, batched_percent
from .application import ApplicationLimited, Spells
from .delivery_rate import Rates, RateSamples
from .distribution import Distribution
from .figures import TraceMetrics
from .flow_control import blocked_times
from .goodput import MIN_FRAMES, acked_frames, distinct_bytes, transfer_span
from .held_back import gaps_by_window
from .observed import Observed, observe
from .one_way import one_way
from .pacing import Pacing, PacingOf
from .resolution import whole_ms

NOT_USED = {
    "metrics": ("bytes_in_flight", "smoothed_rtt", "min_rtt", "lost_packets"),
    "feedback": ("ect", "ce", "group_end"),
    "written": ("record", "time", "stream", "end"),
}
"""Columns that no figure is computed from."""


def measure_alone(trace: Trace) -> TraceMetrics:
    """All figures of a trace that nobody uses afterwards: what is not needed for them is let go of."""
    for holder, names in NOT_USED.items():
        for name in names:
            delattr(getattr(trace, holder), name)
    if trace.frames_known:
        del trace.metrics.latest_rtt
    return measure(trace)


def measure(trace: Trace, observed: Observed | None = None) -> TraceMetrics:
    """All figures; `observed` if it is there already."""
    sent, received = trace.sent, trace.received
    coarse = whole_ms(trace)
    why = reasons.not_told(trace)
    lost = None if "packets_lost" in why else sum(map(len, trace.feedback.lost.values()))
    acked_bytes = distinct_bytes(sent.frames, acked_frames(trace))
    received_bytes = distinct_bytes(received)
    received_span = (received.time[0], received.time[-1]) if len(received) >= MIN_FRAMES else None
    found, note = _found(trace, observed, coarse=coarse)
    return TraceMetrics(
        trace=str(trace.path),
        title=trace.title,
        controller=trace.controller_label,
        vantage_point=trace.vantage_point,
        duration_s=trace.end,
        packets_sent=len(sent),
        bytes_sent=None if "bytes_sent" in why else sum(int(size.sum()) for size in parts(sent.size)),
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
        **found,
        not_measured=why | reasons.why_missing(trace, found, coarse=coarse),
        notes=trace.notes + ([note] if note is not None else []),
        other_events=trace.others,
    )


def _found(trace: Trace, observed: Observed | None, *, coarse: bool) -> tuple[dict[str, Any], str | None]:
    """What follows from packets and ACKs as columns, by name; and a note. A column is let go of before the next one is
    made: they are what takes the memory."""
    o = observed if observed is not None else observe(trace)
    delays, note = _delays(o)
    limited, pacing, rates = _by_window(o, coarse=coarse)
    del o
    fastest = float(rates.rate.max()) if len(rates.rate) else None
    all_rates, limited_rates = (rates.distribution(application_limited=limited) for limited in (False, True))
    del rates
    acks = AckColumns.of(trace)
    return delays | {
        "delivery_rate_bps": all_rates,
        "delivery_rate_application_limited_bps": limited_rates,
        "reordering_received": reordering.received(trace),
        "reordering_by_acks": reordering.by_acks(trace),
        "acks_received": ack_frequency.received(trace, acks),
        "acks_batched_percent": None if fastest is None or coarse else batched_percent(acks, fastest),
        "acks_sent": ack_frequency.sent(trace),
        "application_limited": limited,
        "application_limited_told": application.told(trace),
        "pacing": pacing,
        "fairness": None,
    }, note


def _delays(o: Observed) -> tuple[dict[str, Any], str | None]:
    s = o.samples
    delays = {
        "rtt_ms": Distribution.of_parts(lambda: (some.rtt * 1e3 for some in s.parts())),
        "queueing_delay_ms": Distribution.of_parts(lambda: (some.rowd * 1e3 for some in s.parts())),
        "queueing_delay_over_time_ms": Distribution.over_time(lambda: ((d * 1e3, t) for d, t in s.over_time())),
    }
    way = one_way(o.trace, s)
    return delays | {
        "relative_one_way_delay_ms": delays["queueing_delay_ms"] if way.rowd is None else Distribution.of(way.rowd),
        "relative_one_way_delay_from": way.source if len(s) else None,
    }, way.note


def _by_window(o: Observed, *, coarse: bool) -> tuple[ApplicationLimited | None, Pacing | None, RateSamples]:
    """What takes packets one after the other."""
    spells, pacing, rates = Spells(), PacingOf(o), Rates(o)
    waited = False  # the last packet of the window before
    for w, gaps in gaps_by_window(o, blocked_times(o)[0]):
        waits = spells.add(w, gaps)
        if o.trace.sizes_known:
            rates.add(w, np.append(waited, waits[:-1])[: len(waits)])
        if not coarse:
            pacing.add(w, gaps)
        waited = bool(waits[-1:].any())
    found = rates.found()
    del rates  # with what it keeps of packets
    return spells.found(), None if coarse else pacing.found(), found


def _rtt_from(trace: Trace) -> str:
    return "ACK frames" if trace.frames_known else f"recovery metrics of {trace.writer.name}"


def _losses_from(trace: Trace) -> str:
    return (trace.losses_from or LossesFrom.EVENTS).value


def _rate(size: int, span: tuple[float, float] | None) -> float | None:
    return 8.0 * size / (span[1] - span[0]) if span is not None and span[1] > span[0] else None
