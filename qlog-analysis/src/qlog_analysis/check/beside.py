"""quiche's own events beside a controller's: they must tell the same story."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, Protocol

from ..measure.rtt import Bounds
from ..model import Feedback, Trace
from .numbers import RELATIVE, whole
from .verdict import Finding
from .walk import Walk

ROUNDING = 8.0
"""bit/s: quiche writes pacing rates in whole bytes/s."""


class WindowUpdate(Protocol):
    """Of a controller whose window leaves in a smoothed RTT, or in a part of it."""

    @property
    def window(self) -> float: ...
    @property
    def window_after(self) -> float: ...
    @property
    def srtt(self) -> float:
        """ms."""

    @property
    def phase(self) -> str: ...


class Beside:
    """`quic:recovery_metrics_updated` and `quic:congestion_state_updated` against updates."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._state_records = [s.record for s in trace.states]

    def metric(self, column: str, f: Feedback) -> float:
        """The value that stood when everything about the feedback had been written."""
        i = self._trace.metrics.row_before(f.group_end)
        return float(getattr(self._trace.metrics, column)[i]) if i >= 0 else math.nan

    def metric_before(self, column: str, f: Feedback) -> float:
        """The value that last stood before the feedback; NaN if nothing was said."""
        i = self._trace.metrics.row_before(f.record)
        return float(getattr(self._trace.metrics, column)[i]) if i >= 0 else math.nan

    def in_flight_before(self, f: Feedback) -> float:
        return self.metric_before("bytes_in_flight", f)

    def check(self, walk: Walk[Any], f: Feedback, window: float, pacing: float, state: str | None) -> None:
        """Window in bytes, pacing rate in bit/s."""
        written = self.metric("congestion_window", f)
        if written != window:
            walk.find("congestion_window", f"quiche wrote {written:.0f} bytes, the controller {window:.0f}")
        written = self.metric("pacing_rate", f)
        if not abs(written - pacing) <= ROUNDING + RELATIVE * pacing:
            walk.find("pacing_rate", f"quiche wrote {written:.0f} bit/s, the law gives {pacing:.0f}")
        self._in_flight(walk, f)
        if state is not None:
            self._state(walk, f, state)

    def check_window(
        self, walk: Walk[Any], f: Feedback, r: WindowUpdate, pacing: float, smoothed: Bounds | None
    ) -> None:
        """`pacing` is in windows per smoothed RTT, which the ACKs say is `smoothed`, s; None before there is one."""
        if smoothed is None:
            return
        allowed = smoothed.wider(1e-9)
        walk.between("srtt", r.srtt / 1e3, allowed.low, allowed.high, "from the ACKs, in s")
        if r.srtt > 0.0:
            self.check(walk, f, r.window, pacing * 8.0 * r.window_after / (r.srtt / 1e3), r.phase)

    def between_updates(
        self, f: Feedback, windows: tuple[float, float], rates: tuple[float, float]
    ) -> Iterator[Finding]:
        """At a feedback without an update: window in bytes, pacing rate in bit/s, each at least and at most."""
        window, rate = self.metric("congestion_window", f), self.metric("pacing_rate", f)
        if not windows[0] <= window <= windows[1]:
            message = f"quiche wrote {window:.0f} bytes between updates, the law gives {whole(*windows)}"
            yield Finding(None, f.time, "congestion_window", message)
        slack = ROUNDING + RELATIVE * rates[1]
        if not rates[0] - slack <= rate <= rates[1] + slack:
            message = f"quiche wrote {rate:.0f} bit/s between updates, the law gives {whole(*rates)}"
            yield Finding(None, f.time, "pacing_rate", message)

    def _in_flight(self, walk: Walk[Any], f: Feedback) -> None:
        written = self.metric("bytes_in_flight", f)
        if walk.in_flight is not None and not walk.in_flight[0] <= written <= walk.in_flight[1]:
            walk.find("bytes_in_flight", f"quiche wrote {written:.0f}, packets and ACKs leave {whole(*walk.in_flight)}")

    def _state(self, walk: Walk[Any], f: Feedback, expected: str) -> None:
        end = bisect_left(self._state_records, f.group_end)
        name = self._trace.states[end - 1].name if end else "none"
        if name != expected:
            walk.find("state", f"quiche wrote the state {name!r}, expected {expected!r}")
