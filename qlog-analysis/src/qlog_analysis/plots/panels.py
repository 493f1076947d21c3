"""What is drawn of a trace, independent of who draws it. Times in s, rates in Mbit/s, sizes in kB, delays in ms."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..arrays import Floats, Ints
from ..events import ZoneEpoch
from ..explain.explanation import Explanation
from ..explain.losses import Cause
from ..explain.story import CAUSE_NAMES
from ..linklog import LinkLog
from ..model import Trace
from ..packed import Column, parts
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
    series_of,
)
from .sequence import sequence
from .thin import Points

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
    trace, o = e.trace, e.observed
    panel = Panel("Rate on the wire", "Mbit/s")
    if trace.frames_known:
        panel.series.append(Series("sent", *rate_over_time(o.last_sent, o.sent_bytes), SKY))
        panel.series.append(Series("acknowledged", *acknowledged(e), BLUE))
    else:  # of which it is not told what they carry
        panel.series.append(Series("sent", *_rate_of(trace.sent.time, trace.sent.size), SKY))
    if sum(map(_sum, parts(trace.received.length))) > sum(map(_sum, parts(trace.sent.frames.length))):
        panel.series.append(Series("streams received", *_rate_of(trace.received.time, trace.received.length), GREY))
    controlled = controllers.rates(trace)
    panel.series.extend(controlled)
    if not controlled:
        paced = _of_metrics(trace, trace.metrics.pacing_rate, _plausible_rate)
        panel.series.append(series_of("pacing rate", paced, GREEN, style="step", faint=True))
    if not len(o.samples):  # else the panel of the delay has them
        lost = [trace.feedback.time[at] for at, some in trace.feedback.lost.items() for p in some if o.own[p]]
        panel.series.append(series("loss", np.array(lost), np.zeros(len(lost)), VERMILLION, style="crosses"))
    return panel


def _plausible_rate(bps: Floats) -> Floats:
    """In Mbit/s; an unpaced sender's "infinite" rate is left out."""
    return np.where((bps > 0.0) & (bps < 1e12), bps / 1e6, np.nan)


def acknowledged(e: Explanation) -> Points:
    """Bytes on the wire that were acknowledged, as a rate."""
    return rate_over_time(e.observed.last_acked, e.observed.acked_bytes)


def rate_over_time(last: float, bytes_in: Callable[[Floats], Floats]) -> Points:
    """Bytes until the last of them as a rate per `RATE_STEP`, in Mbit/s at the middle of each step. `bytes_in`: those
    of each stretch between edges."""
    if last <= 0.0:
        return np.empty(0), np.empty(0)
    edges = np.linspace(0.0, last, min(max(int(np.ceil(last / RATE_STEP)), 1), 100_000) + 1)
    return (edges[:-1] + edges[1:]) / 2.0, bytes_in(edges) * 8.0 / edges[1] / 1e6


def _rate_of(time: Column[float], size: Column[int]) -> Points:
    """Of all that has these times and sizes, what came twice as well."""

    def bytes_in(edges: Floats) -> Floats:
        total = np.zeros(len(edges) - 1)
        for at, some in zip(parts(time), parts(size), strict=True):
            total += np.histogram(at, edges, weights=some)[0]
        return total

    return rate_over_time(time[-1] if len(time) else 0.0, bytes_in)


def _sum(some: Ints) -> int:
    return int(some.sum())


def _of_metrics(trace: Trace, column: Column[float], scaled: Callable[[Floats], Floats]) -> Iterator[Points]:
    return ((time, scaled(values)) for time, values in zip(parts(trace.metrics.time), parts(column), strict=True))


def delays(e: Explanation) -> Iterator[Points]:
    """Queueing delays of packets, ms."""
    return ((some.time, some.rowd * 1e3) for some in e.observed.samples.parts())


def in_flight(e: Explanation) -> Iterator[Points]:
    """With each packet that leaves, kB."""
    return ((w.sends.time, (w.sends.in_flight + w.sends.size) / 1e3) for w in e.observed.windows())


def _delay(e: Explanation) -> Panel:
    panel = Panel("Queueing delay", "ms")
    samples = e.observed.samples
    panel.series.append(series_of("per packet", delays(e), GREY, style="dots", faint=True))
    _thresholds(e.trace, panel)
    for cause, (colour, style) in CAUSE_STYLE.items():
        bursts = e.losses.of(cause) if len(samples) else []
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
    windows = ((w.sends.time, w.sends.window / 1e3) for w in e.observed.windows())
    return Panel(
        "Window and bytes in flight",
        "kB",
        [
            series_of("in flight", in_flight(e), SKY),
            series_of("window", windows, BLUE, style="step"),
            *controllers.thresholds(e.trace),
        ],
    )


def _rtt(e: Explanation) -> Panel:
    m = e.trace.metrics
    of_packets = ((some.time, some.rtt * 1e3) for some in e.observed.samples.parts())
    smoothed, minimum = (_of_metrics(e.trace, column, lambda s: s * 1e3) for column in (m.smoothed_rtt, m.min_rtt))
    return Panel(
        "Round-trip time",
        "ms",
        [
            series_of("of a packet", of_packets, SKY),
            series_of("smoothed", smoothed, BLUE),
            series_of("minimum", minimum, GREY, style="step"),
        ],
    )


def _queue(link: LinkLog) -> Panel:
    if np.isnan(link.queue_delay).all():
        return Panel("Queue of the bottleneck", "kB", [series("queue", link.time, link.queue_bytes / 1e3, BLUE)])
    return Panel("Queue of the bottleneck", "ms", [series("queue", link.time, link.queue_delay * 1e3, BLUE)])
