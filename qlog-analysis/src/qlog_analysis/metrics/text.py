"""Figures for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .ack_frequency import AckFrequency
from .distribution import Distribution
from .fairness import Fairness
from .figures import TraceMetrics
from .reordering import Reordering

WIDTH = 16
_UNSAID = ("application_limited_told", "fairness")
"""Needs a sender that tells more than others, or other traces: that they are missing is nothing to report."""


def to_text(m: TraceMetrics) -> str:
    return "\n".join((m.trace, *(line for part in _PARTS for line in part(m)), *_without(m)))


def fairness_text(traces: Sequence[str], found: Sequence[Fairness] | str) -> str:
    """Of several traces; `found` as of `fairness`."""
    if isinstance(found, str):
        return "\n".join(("all traces together", *_line("fairness", f"not measured: {found}")))
    first = found[0]
    head = f"Jain's index {first.jains_index:.3f} over {first.duration_s:.2f} s, in which all were active"
    shares = (f"{100.0 * f.share:.1f} % ({_rate(f.goodput_bps)}) {t}" for f, t in zip(found, traces, strict=True))
    lines = (*_line("fairness", head), *(line for s in shares for line in _line("", s)))
    return "\n".join(("all traces together", *lines, *_line("", f"this assumes: {first.assumes}")))


def _line(name: str, text: str) -> list[str]:
    return [f"  {name:<{WIDTH}} {text}"]


def _head(m: TraceMetrics) -> Iterator[str]:
    yield from _line("controller", f"{m.controller} ({m.vantage_point})")


def _rates(m: TraceMetrics) -> Iterator[str]:
    if m.stream_bytes_acked is None:
        yield from _line("goodput", "not measured")
    else:
        sent = f"{_rate(m.goodput_bps)} sent and acknowledged ({m.stream_bytes_acked} bytes)"
        received = f"{_rate(m.received_goodput_bps)} received ({m.stream_bytes_received} bytes)"
        yield from _line("goodput", f"{sent}, {received}")
    rate, limited = m.delivery_rate_bps, m.delivery_rate_application_limited_bps
    if rate.samples or limited.samples:
        yield from _line("delivery rate", _rates_of(rate) if rate.samples else "all samples are application-limited")
    if limited.samples:
        yield from _line("", f"application-limited: {_rates_of(limited)}")


def _delays(m: TraceMetrics) -> Iterator[str]:
    source = f"; {m.rtt_from}" if m.rtt_from not in (None, "ACK frames") else ""
    yield from _line("RTT", _ms(m.rtt_ms) + source)
    yield from _line("queueing delay", f"per packet: {_ms(m.queueing_delay_ms)}")
    yield from _line("", f"over time: {_ms(m.queueing_delay_over_time_ms)}")
    if m.relative_one_way_delay_from is not None:
        delay = f"{_ms(m.relative_one_way_delay_ms)}; from {m.relative_one_way_delay_from}"
        yield from _line("one-way delay", f"above the smallest: {delay}")


def _losses(m: TraceMetrics) -> Iterator[str]:
    if m.loss_percent is None:
        yield from _line("loss", f"not measured ({m.packets_sent} packets sent)")
    else:
        yield from _line(
            "loss",
            f"{m.loss_percent:.3f} % ({m.packets_lost} of {m.packets_sent} packets, "
            f"{m.spurious_losses} of them spurious; {m.losses_from})",
        )
    name = "reordering"
    for found, of in ((m.reordering_by_acks, "sent, by ACKs"), (m.reordering_received, "received")):
        if found is not None:
            yield from _line(name, _reordering(found, of))
            name = ""


def _reordering(r: Reordering, of: str) -> str:
    text = f"{r.reordered_percent:.3f} % ({r.reordered_packets} of {r.packets} packets {of}"
    if not r.reordered_packets:
        return f"{text})"
    extent, late = r.extent_packets, r.late_ms
    return f"{text}; extent p95 {extent.p95:.0f}, max {extent.max:.0f} packets; late p95 {late.p95:.2f} ms)"


def _acks(m: TraceMetrics) -> Iterator[str]:
    if m.acks_received is not None:
        batched = "" if m.acks_batched_percent is None else f"; {m.acks_batched_percent:.1f} % in batches"
        yield from _line("ACKs received", _frequency(m.acks_received) + batched)
    if m.acks_sent is not None:
        yield from _line("ACKs sent", _frequency(m.acks_sent))


def _frequency(a: AckFrequency) -> str:
    size = "" if a.bytes_per_ack is None else f", {a.bytes_per_ack.mean:.0f} bytes"
    gap = "" if a.gap_ms.p50 is None else f", gaps p50 {a.gap_ms.p50:.2f} ms, p95 {a.gap_ms.p95:.2f} ms"
    return f"{a.acks}, mean {a.packets_per_ack.mean:.2f} packets{size}{gap}"


def _sending(m: TraceMetrics) -> Iterator[str]:
    name = "application"
    for limited in (m.application_limited, m.application_limited_told):
        if limited is not None:
            longest = "" if limited.longest_s is None else f", longest {limited.longest_s:.3f} s"
            text = f"limited in {limited.spells} spells, {limited.total_s:.3f} s in all{longest} ({limited.evidence})"
            yield from _line(name, text)
            name = ""
    p = m.pacing
    if p is None:
        return
    ratio = p.gap_over_pacing
    against = "" if ratio.mean is None else f"; over what the pacing rate wants: mean {ratio.mean:.2f}"
    share = "" if p.bytes_in_bursts_percent is None else f", {p.bytes_in_bursts_percent:.1f} % of bytes"
    yield from _line("pacing", f"gaps p50 {p.gap_ms.p50:.3f} ms, p95 {p.gap_ms.p95:.3f} ms{against}")
    yield from _line("", f"{p.bursts} bursts of more than 10 packets{share}; largest {p.largest_burst_packets} packets")


def _without(m: TraceMetrics) -> Iterator[str]:
    for why, fields in m.by_reason([name for name in m.not_measured if name not in _UNSAID]).items():
        yield from _line("not measured", f"{', '.join(fields)}: {why}")
    for note in m.notes:
        yield from _line("note", note)


_PARTS = (_head, _rates, _delays, _losses, _acks, _sending)


def _ms(d: Distribution) -> str:
    if d.mean is None:
        return "no samples"
    return f"mean {d.mean:.2f} ms, p95 {d.p95:.2f} ms, max {d.max:.2f} ms ({d.samples} samples)"


def _rate(bps: float | None) -> str:
    return "-" if bps is None else f"{bps / 1e6:.3f} Mbit/s"


def _rates_of(d: Distribution) -> str:
    return f"mean {_rate(d.mean)}, p50 {_rate(d.p50)}, max {_rate(d.max)} ({d.samples} samples)"
