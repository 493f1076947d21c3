"""What is drawn of a trace, independent of who draws it. Times in s, rates in Mbit/s, sizes in kB, delays in ms."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..events import ZoneEpoch
from ..explain.explanation import Explanation
from ..explain.losses import Cause
from ..explain.story import CAUSE_NAMES
from ..linklog import LinkLog
from ..model import Trace
from ..zones.names import ZONE_NAMES
from . import controllers, ribbons
from .panel import (
    BLUE,
    GREEN,
    GREY,
    LIGHT_GREY,
    ORANGE,
    PINK,
    SKY,
    VERMILLION,
    ZONE_COLOUR,
    Area,
    Panel,
    Series,
    Style,
    series,
)
from .sequence import sequence

RATE_STEP = 0.2
"""s over which bytes are averaged."""
ZONE_STYLE: dict[int, Style] = {1: "dots", 2: "squares", 3: "triangles"}
CAUSE_STYLE: dict[Cause, tuple[str, Style]] = {
    Cause.FULL_QUEUE: (VERMILLION, "crosses"),
    Cause.WITHOUT_QUEUE: (PINK, "triangles"),
    Cause.INTERRUPTION: (GREY, "crosses"),
    Cause.LATE: (SKY, "squares"),
    Cause.UNCLEAR: (LIGHT_GREY, "crosses"),
}


def panels(e: Explanation, link: LinkLog | None = None) -> list[Panel]:
    """The panels of a trace, one above the other with a common time axis; empty ones are left out."""
    out = [ribbons.limits(e), ribbons.phases(e), _rate(e), _delay(e), ribbons.zones(e), ribbons.states(e)]
    out += [*controllers.panels(e.trace), _window(e), _rtt(e), sequence(e)]
    if link is not None:
        out.append(_queue(link))
    return [p for p in out if p.drawn]


def _rate(e: Explanation) -> Panel:
    trace, r = e.trace, e.observed.removals
    panel = Panel("Rate on the wire", "Mbit/s")
    if trace.frames_known:
        sends = e.observed.sends
        panel.series.append(Series("sent", *rate_over_time(sends.time, sends.size), SKY))
        panel.series.append(Series("acknowledged", *acknowledged(e), BLUE))
    else:
        panel.series.append(sent_on_the_wire(trace, SKY))
    if sum(trace.received.length) > sum(trace.sent.frames.length):
        panel.series.append(Series("streams received", *received(trace), GREY))
    controlled = controllers.rates(trace)
    panel.series.extend(controlled)
    if not controlled:
        m = trace.metrics
        paced = _plausible_rate(np.array(m.pacing_rate))
        panel.series.append(series("pacing rate", np.array(m.time), paced, GREEN, style="step", faint=True))
    if not len(e.observed.samples.time):  # else the panel of the delay has them
        lost = r.time[r.lost]
        panel.series.append(series("loss", lost, np.zeros(len(lost)), VERMILLION, style="crosses"))
    return panel


def _plausible_rate(bps: Floats) -> Floats:
    """In Mbit/s; an unpaced sender's "infinite" rate is left out."""
    return np.where((bps > 0.0) & (bps < 1e12), bps / 1e6, np.nan)


def acknowledged(e: Explanation) -> tuple[Floats, Floats]:
    """Bytes on the wire that were acknowledged, as a rate."""
    r = e.observed.removals
    return rate_over_time(r.time[~r.lost], r.size[~r.lost])


def received(trace: Trace) -> tuple[Floats, Floats]:
    """Stream bytes received per `RATE_STEP`, in Mbit/s, those that came twice as well."""
    r = trace.received
    return rate_over_time(np.array(r.time, dtype=np.float64), np.array(r.length, dtype=np.float64))


def sent_on_the_wire(trace: Trace, colour: str) -> Series:
    """Of a trace that does not tell what its packets carry."""
    time, size = np.array(trace.sent.time, dtype=np.float64), np.array(trace.sent.size, dtype=np.float64)
    return Series("sent", *rate_over_time(time, size), colour)


def rate_over_time(times: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Bytes at rising times as a rate per `RATE_STEP`, in Mbit/s at the middle of each step."""
    if not len(times) or times[-1] <= 0.0:
        return np.empty(0), np.empty(0)
    steps = max(int(np.ceil(times[-1] / RATE_STEP)), 1)
    steps = min(steps, 100_000)
    total, edges = np.histogram(times, bins=steps, range=(0.0, times[-1]), weights=sizes)
    width = edges[1] - edges[0]
    return (edges[:-1] + edges[1:]) / 2.0, total * 8.0 / width / 1e6


def _delay(e: Explanation) -> Panel:
    panel = Panel("Queueing delay", "ms")
    samples = e.observed.samples
    panel.series.append(series("per packet", samples.time, samples.rowd * 1e3, GREY, style="dots", faint=True))
    _thresholds(e.trace, panel)
    for cause, (colour, style) in CAUSE_STYLE.items():
        bursts = e.losses.of(cause) if len(samples.time) else []
        x = np.array([b.begin for b in bursts])
        y = np.array([(b.delay or 0.0) * 1e3 for b in bursts])
        panel.series.append(series(f"losses: {CAUSE_NAMES[cause]}", x, y, colour, style))
    return panel


def _thresholds(trace: Trace, panel: Panel) -> None:
    """Of hybrid: where its zones begin, and the delay that it judged by them."""
    epochs = trace.updates_of(ZoneEpoch)
    for z in (1, 2, 3):
        in_zone = [e for e in epochs if e.data.zone == z and e.data.delta is not None]
        x = np.array([e.time for e in in_zone])
        y = np.array([e.data.delta for e in in_zone], dtype=np.float64)
        panel.series.append(series(f"delta, {ZONE_NAMES[z]}", x, y, ZONE_COLOUR[z], ZONE_STYLE[z]))
    if not epochs:
        return
    began = np.array([e.time - e.data.duration / 1e3 for e in epochs])
    d1, d2 = (np.array([getattr(e.data, name) for e in epochs], dtype=np.float64) for name in ("d1", "d2"))
    panel.areas.append(Area("d1 to d2", began, d1, d2, ORANGE))
    for name, y, colour in (("d1", d1, ORANGE), ("d2", d2, VERMILLION)):
        panel.series.append(series(name, began, y, colour, style="step", faint=True))


def _window(e: Explanation) -> Panel:
    s = e.observed.sends
    return Panel(
        "Window and bytes in flight",
        "kB",
        [
            series("in flight", s.time, (s.in_flight + s.size) / 1e3, SKY),
            series("window", s.time, s.window / 1e3, BLUE, style="step"),
            *controllers.thresholds(e.trace),
        ],
    )


def _rtt(e: Explanation) -> Panel:
    m, samples = e.trace.metrics, e.observed.samples
    time = np.array(m.time)
    return Panel(
        "Round-trip time",
        "ms",
        [
            series("of a packet", samples.time, samples.rtt * 1e3, SKY),
            series("smoothed", time, np.array(m.smoothed_rtt) * 1e3, BLUE),
            series("minimum", time, np.array(m.min_rtt) * 1e3, GREY, style="step"),
        ],
    )


def _queue(link: LinkLog) -> Panel:
    if np.isnan(link.queue_delay).all():
        return Panel("Queue of the bottleneck", "kB", [series("queue", link.time, link.queue_bytes / 1e3, BLUE)])
    return Panel("Queue of the bottleneck", "ms", [series("queue", link.time, link.queue_delay * 1e3, BLUE)])
