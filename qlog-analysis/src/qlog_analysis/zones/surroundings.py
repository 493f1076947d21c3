"""quiche's own events around the epochs: they must tell the same story as the controller's."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..check.numbers import RELATIVE
from ..check.verdict import Finding
from ..model import Feedback, Trace
from .measured import HANDSHAKE_EPOCHS, Step
from .windows import Windows

PACING_ROUNDING = 8.0
"""bit/s. quiche writes pacing rates in whole bytes per second."""


class Expected(NamedTuple):
    """What quiche should have written at one feedback."""

    step: Step
    rates: tuple[float, float]
    """R, at least and at most."""
    windows: Windows


class Surroundings:
    """`quic:recovery_metrics_updated` and `quic:congestion_state_updated` against the epochs."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._state_records = [s.record for s in trace.states]
        self._after_group = 0
        """Record number after the group of the epoch before."""
        self._has_probes = any(trace.sent.probe)

    def check(self, number: int, expected: Sequence[Expected], gamma: float, state: str | None) -> Iterator[Finding]:
        """An epoch by its number, what is expected at its feedbacks, and the state after it; None if nothing sets one.
        Packets are paced by R / `gamma`, unless that is 0."""
        last = expected[-1].step.feedback
        rows = [self._row(e.step) for e in expected]
        yield from self._first(self._window(number, expected, rows))
        yield from self._first(self._pacing(number, expected, rows, gamma))
        yield from self._first(self._in_flight(number, expected, rows))
        yield from self._state(number, last, state)
        self._after_group = last.group_end

    @staticmethod
    def _first(findings: Iterator[Finding]) -> Iterator[Finding]:
        """One finding of a kind per epoch is enough."""
        found = next(findings, None)
        if found is not None:
            yield found

    def _row(self, step: Step) -> int:
        """Of the metrics that stood when everything about the feedback had been written; -1 if there are none."""
        return self._trace.metrics.row_before(step.feedback.group_end)

    @staticmethod
    def _values(column: Sequence[float], rows: list[int]) -> list[float]:
        return [column[i] if i >= 0 else math.nan for i in rows]

    def _window(self, number: int, expected: Sequence[Expected], rows: list[int]) -> Iterator[Finding]:
        written = self._values(self._trace.metrics.congestion_window, rows)
        for e, value in zip(expected, written, strict=True):
            if value not in e.windows:
                message = f"quiche wrote {value:.0f} bytes, W is {e.windows}"
                yield Finding(number, e.step.feedback.time, "congestion_window", message)

    def _pacing(self, number: int, expected: Sequence[Expected], rows: list[int], gamma: float) -> Iterator[Finding]:
        if gamma == 0.0:
            return
        written = self._values(self._trace.metrics.pacing_rate, rows)
        for e, value in zip(expected, written, strict=True):
            low, high = e.rates[0] / gamma, e.rates[1] / gamma
            slack = PACING_ROUNDING + RELATIVE * high
            if not low - slack <= value <= high + slack:
                rate = high if value > high else low
                message = f"quiche wrote {value:.0f} bit/s, R / gamma is {rate:.0f} bit/s"
                yield Finding(number, e.step.feedback.time, "pacing_rate", message)

    def _in_flight(self, number: int, expected: Sequence[Expected], rows: list[int]) -> Iterator[Finding]:
        """More bytes may be in flight than the application space has: those of the handshake. Never fewer."""
        if self._has_probes:
            return
        written = self._values(self._trace.metrics.bytes_in_flight, rows)
        for step, value in zip((e.step for e in expected), written, strict=True):
            if value < step.in_flight or (number >= HANDSHAKE_EPOCHS and value != step.in_flight):
                message = f"quiche wrote {value:.0f}, packets and ACKs leave {step.in_flight}"
                yield Finding(number, step.feedback.time, "bytes_in_flight", message)

    def first_flight(self, at: Feedback, rates: Callable[[float], list[float]]) -> Iterator[Finding]:
        """How packets were paced before `at`, the first sample: by one of `rates` of the handshake RTT, bit/s."""
        metrics = self._trace.metrics
        i = metrics.row_before(at.record)
        if i < 0 or not (metrics.pacing_rate[i] > 0.0 and metrics.min_rtt[i] > 0.0):
            return
        value = metrics.pacing_rate[i]
        expected = min(rates(metrics.min_rtt[i]), key=lambda rate: abs(rate - value))
        if abs(value - expected) > PACING_ROUNDING + 2.0 * RELATIVE * expected:
            message = f"{value:.0f} bit/s in the first flight, expected {expected:.0f}"
            yield Finding(0, metrics.time[i], "pacing_rate", message)

    def _state(self, number: int, last: Feedback, expected: str | None) -> Iterator[Finding]:
        a, b = bisect_left(self._state_records, self._after_group), bisect_left(self._state_records, last.record)
        if number > 0 and a < b:
            s = self._trace.states[a]
            yield Finding(number, s.time, "state", f"the state became {s.name!r} although no epoch ended")
        if expected is None:
            return
        i = bisect_left(self._state_records, last.group_end) - 1
        name = self._trace.states[i].name if i >= 0 else "none"
        if name != expected:
            yield Finding(number, last.time, "state", f"quiche wrote the state {name!r}, expected {expected!r}")
