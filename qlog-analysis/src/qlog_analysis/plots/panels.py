"""What is drawn of a trace, independent of who draws it. Times in s, rates in Mbit/s, sizes in kB, delays in ms."""

from __future__ import annotations

import numpy as np

from ..events import ZoneEpoch
from ..linklog import LinkLog
from ..metrics import Floats, delay_samples
from ..model import Trace
from ..zones.names import ZONE_NAMES
from . import controllers
from .panel import BLUE, GREY, LIGHT_BLUE, RED, ZONE_COLOUR, Panel, Series, series

GOODPUT_STEP = 0.2
"""s over which acknowledged bytes are averaged."""


def panels(trace: Trace, link: LinkLog | None = None) -> list[Panel]:
    """The panels of a trace, one above the other with a common time axis; empty ones are left out."""
    out = [_rate(trace), _delay(trace), *controllers.panels(trace), _window(trace), _rtt(trace)]
    if link is not None:
        out.append(_queue(link))
    return [p for p in out if any(len(s.x) for s in p.series)]


def _rate(trace: Trace) -> Panel:
    panel = Panel("Rate", "Mbit/s")
    if trace.frames_known:
        panel.series.append(Series("goodput", *goodput(trace), LIGHT_BLUE))
    else:
        panel.series.append(sent_on_the_wire(trace, LIGHT_BLUE))
    if sum(trace.received.length) > sum(trace.sent.frames.length):
        panel.series.append(Series("received", *received(trace), GREY))
    controlled = controllers.rates(trace)
    panel.series.extend(controlled)
    if not controlled:
        m = trace.metrics
        panel.series.append(
            series("pacing rate", np.array(m.time), _plausible_rate(np.array(m.pacing_rate)), BLUE, style="step")
        )
    lost = np.array([f.time for f in trace.feedback for _ in f.lost])
    panel.series.append(series("loss", lost, np.zeros(len(lost)), RED, style="crosses"))
    return panel


def _plausible_rate(bps: Floats) -> Floats:
    """In Mbit/s; an unpaced sender's "infinite" rate is left out."""
    return np.where((bps > 0.0) & (bps < 1e12), bps / 1e6, np.nan)


def goodput(trace: Trace) -> tuple[Floats, Floats]:
    """Stream bytes acknowledged per `GOODPUT_STEP`, in Mbit/s at the middle of each step."""
    sent = trace.sent
    times, sizes = [], []
    for f in trace.feedback:
        size = sum(sent.frames.length[i] for p in f.acked for i in sent.frames_of(trace.acked[p]))
        if size:
            times.append(f.time)
            sizes.append(size)
    return rate_over_time(np.array(times), np.array(sizes))


def received(trace: Trace) -> tuple[Floats, Floats]:
    """Stream bytes received per `GOODPUT_STEP`, in Mbit/s, those that came twice as well."""
    r = trace.received
    return rate_over_time(np.array(r.time, dtype=np.float64), np.array(r.length, dtype=np.float64))


def sent_on_the_wire(trace: Trace, colour: str) -> Series:
    """Of a trace that does not tell what its packets carry."""
    time, size = np.array(trace.sent.time, dtype=np.float64), np.array(trace.sent.size, dtype=np.float64)
    return Series("sent, on the wire", *rate_over_time(time, size), colour)


def rate_over_time(times: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Bytes at rising times as a rate per `GOODPUT_STEP`, in Mbit/s at the middle of each step."""
    if not len(times):
        return np.empty(0), np.empty(0)
    steps = max(int(np.ceil(times[-1] / GOODPUT_STEP)), 1)
    steps = min(steps, 100_000)
    total, edges = np.histogram(times, bins=steps, range=(0.0, times[-1]), weights=sizes)
    width = edges[1] - edges[0]
    return (edges[:-1] + edges[1:]) / 2.0, total * 8.0 / width / 1e6


def _delay(trace: Trace) -> Panel:
    panel = Panel("Queueing delay", "ms")
    samples = delay_samples(trace)
    panel.series.append(series("per packet", samples.time, samples.rowd * 1e3, GREY, style="dots", faint=True))
    epochs = trace.updates_of(ZoneEpoch)
    if not epochs:
        return panel
    for z in (1, 2, 3):
        in_zone = [e for e in epochs if e.data.zone == z and e.data.delta is not None]
        x = np.array([e.time for e in in_zone])
        y = np.array([e.data.delta for e in in_zone], dtype=np.float64)
        panel.series.append(series(f"delta, {ZONE_NAMES[z]}", x, y, ZONE_COLOUR[z], style="dots"))
    began = np.array([e.time - e.data.duration / 1e3 for e in epochs])
    for name, z in (("d1", 2), ("d2", 3)):  # where these zones begin
        y = np.array([getattr(e.data, name) for e in epochs], dtype=np.float64)
        panel.series.append(series(name, began, y, ZONE_COLOUR[z], style="step", faint=True))
    return panel


def _window(trace: Trace) -> Panel:
    m = trace.metrics
    time = np.array(m.time)
    return Panel(
        "Window and bytes in flight",
        "kB",
        [
            series("in flight", time, np.array(m.bytes_in_flight) / 1e3, LIGHT_BLUE),
            series("window", time, np.array(m.congestion_window) / 1e3, BLUE, style="step"),
            *controllers.thresholds(trace),
        ],
    )


def _rtt(trace: Trace) -> Panel:
    m = trace.metrics
    time = np.array(m.time)
    return Panel(
        "Round-trip time",
        "ms",
        [
            series("latest", time, np.array(m.latest_rtt) * 1e3, LIGHT_BLUE),
            series("smoothed", time, np.array(m.smoothed_rtt) * 1e3, BLUE),
            series("minimum", time, np.array(m.min_rtt) * 1e3, GREY, style="step"),
        ],
    )


def _queue(link: LinkLog) -> Panel:
    if np.isnan(link.queue_delay).all():
        return Panel("Queue of the bottleneck", "kB", [series("queue", link.time, link.queue_bytes / 1e3, BLUE)])
    return Panel("Queue of the bottleneck", "ms", [series("queue", link.time, link.queue_delay * 1e3, BLUE)])
