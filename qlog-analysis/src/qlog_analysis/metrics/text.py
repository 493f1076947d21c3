"""Figures for people."""

from __future__ import annotations

from .distribution import Distribution
from .measure import TraceMetrics


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
