"""quiche's own events around the epochs: they must tell the same story as the controller's."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator

from ..check.numbers import RELATIVE, TIME_TOLERANCE
from ..check.verdict import Finding
from ..events import HybridEpoch
from ..model import Feedback, Trace, Update
from . import law
from .measured import Measured, Step
from .parameters import HANDSHAKE_EPOCHS
from .sides import After
from .startup import PACING_ROUNDING
from .windows import Windows, windows


class Surroundings:
    """`quic:recovery_metrics_updated` and `quic:congestion_state_updated` against the epochs."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._state_records = [s.record for s in trace.states]
        self._after_group = 0
        """Record number after the group of the epoch before."""
        self._return_delay = 0.0
        """That of the epoch before, which holds while an epoch lasts."""
        self._has_probes = any(trace.sent.probe)

    def check(self, event: Update[HybridEpoch], m: Measured, after: After, *, startup: bool) -> Iterator[Finding]:
        """`startup` says whether it goes on after the epoch."""
        if not m.steps:
            return
        if event.data.epoch == 0:
            yield from self._first_flight(m)
        yield from self._first(self._window(event, m, after))
        yield from self._first(self._pacing(event, m))
        yield from self._first(self._in_flight(event, m))
        yield from self._state(event, m.steps[-1].feedback, startup=startup)
        self._after_group = m.steps[-1].feedback.group_end
        self._return_delay = event.data.return_delay / 1e3

    @staticmethod
    def _first(findings: Iterator[Finding]) -> Iterator[Finding]:
        """One finding of a kind per epoch is enough."""
        found = next(findings, None)
        if found is not None:
            yield found

    def _metric(self, column: str, step: Step) -> float:
        """The value that stood when everything about the feedback had been written."""
        i = bisect_left(self._trace.metrics.record, step.feedback.group_end) - 1
        return float(getattr(self._trace.metrics, column)[i]) if i >= 0 else math.nan

    def _window(self, event: Update[HybridEpoch], m: Measured, after: After) -> Iterator[Finding]:
        noise, gap, queue = (x / 1e3 for x in (event.data.noise, event.data.gap, event.data.standing))
        for step in m.steps:
            if step is m.steps[-1]:
                allowed = self._at_the_end(event.data, m, after)
            else:
                lengths = [x + self._return_delay for x in step.lengths]
                rates = self._rates(event.data, step)
                meanwhile = ((noise, noise), (gap, gap), (queue, queue))
                allowed = windows(rates, lengths, step.transmission, TIME_TOLERANCE, m, *meanwhile)
            value = self._metric("congestion_window", step)
            if value not in allowed:
                yield Finding(
                    event.data.epoch,
                    step.feedback.time,
                    "congestion_window",
                    f"quiche wrote {value:.0f} bytes, W is {allowed}",
                )

    @staticmethod
    def _at_the_end(r: HybridEpoch, m: Measured, after: After) -> Windows:
        """The window of the report, unless the end of the epoch has given up its source."""
        if m.believed_next == m.believed:
            return Windows(r.window, r.window, 1)
        length, rates = (r.length + r.return_delay) / 1e3, (r.rate_after, r.rate_after)
        its = (after.noise, after.gap, after.queue)
        return windows(rates, [length], m.believed_next, TIME_TOLERANCE, m, *its)

    @staticmethod
    def _rates(r: HybridEpoch, step: Step) -> tuple[float, float]:
        """R while the epoch lasted."""
        return (r.rate_before, r.rate_before) if step.rates is None else step.rates

    def _first_flight(self, m: Measured) -> Iterator[Finding]:
        """How packets were paced before the first sample: R by the RTT of the handshake, and faster in start-up."""
        metrics, p = self._trace.metrics, m.limits.parameters
        i = bisect_left(metrics.record, m.steps[0].feedback.record) - 1
        if i < 0 or p.gamma == 0.0 or not (metrics.pacing_rate[i] > 0.0 and metrics.min_rtt[i] > 0.0):
            return
        rate = law.initial_rate(m.limits.initial_window, m.limits.max_datagram_size, metrics.min_rtt[i], p)
        expected = law.first_flight(rate, p) / p.gamma
        value = metrics.pacing_rate[i]
        if abs(value - expected) > PACING_ROUNDING + 2.0 * RELATIVE * expected:
            yield Finding(
                0, metrics.time[i], "pacing_rate", f"{value:.0f} bit/s in the first flight, expected {expected:.0f}"
            )

    def _pacing(self, event: Update[HybridEpoch], m: Measured) -> Iterator[Finding]:
        gamma = m.limits.parameters.gamma
        if gamma == 0.0:
            return
        for step in m.steps:
            after = event.data.rate_after
            low, high = (after, after) if step is m.steps[-1] else self._rates(event.data, step)
            value = self._metric("pacing_rate", step)
            slack = PACING_ROUNDING + RELATIVE * high / gamma
            if not low / gamma - slack <= value <= high / gamma + slack:
                rate = high if value * gamma > high else low
                yield Finding(
                    event.data.epoch,
                    step.feedback.time,
                    "pacing_rate",
                    f"quiche wrote {value:.0f} bit/s, R / gamma is {rate / gamma:.0f} bit/s",
                )

    def _in_flight(self, event: Update[HybridEpoch], m: Measured) -> Iterator[Finding]:
        """More bytes may be in flight than the application space has: those of the handshake. Never fewer."""
        if self._has_probes:
            return
        for step in m.steps:
            value = self._metric("bytes_in_flight", step)
            if value < step.in_flight or (event.data.epoch >= HANDSHAKE_EPOCHS and value != step.in_flight):
                yield Finding(
                    event.data.epoch,
                    step.feedback.time,
                    "bytes_in_flight",
                    f"quiche wrote {value:.0f}, packets and ACKs leave {step.in_flight}",
                )

    def _state(self, event: Update[HybridEpoch], last: Feedback, *, startup: bool) -> Iterator[Finding]:
        r = event.data
        a, b = bisect_left(self._state_records, self._after_group), bisect_left(self._state_records, last.record)
        if r.epoch > 0 and a < b:
            s = self._trace.states[a]
            yield Finding(r.epoch, s.time, "state", f"the state became {s.name!r} although no epoch ended")
        if r.zone is None and r.outcome is None:
            return
        expected = "startup" if startup else f"zone{r.zone}"
        i = bisect_left(self._state_records, last.group_end) - 1
        name = self._trace.states[i].name if i >= 0 else "none"
        if name != expected:
            yield Finding(r.epoch, event.time, "state", f"quiche wrote the state {name!r}, expected {expected!r}")
