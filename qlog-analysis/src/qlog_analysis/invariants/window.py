"""Bytes in flight never exceed the congestion window (RFC 9002 section 7)."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Bools, Floats
from ..metrics.windows import Window
from .invariant import Invariant, Judged, Watch
from .repair import repair
from .seen import Seen, SeenWindow

PROBES = 2
"""Packets that a probe timeout lets go whatever the window (RFC 9002 sections 6.2.4 and 7.5)."""
TIMER = 2e-6
"""s: times are truncated to 1 us; a timer is late, never early."""


def judge(seen: Seen) -> Judged | Watch:
    if not seen.o.own.any():
        return Judged.nothing("no ack-eliciting packet of the application space was sent")
    if not seen.trace.sizes_known:
        return Judged.nothing("the trace does not give the size of every packet")
    return _Window(seen)


class _Window:
    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._slack = 0.0 if seen.trace.native else seen.o.full
        self._repair = repair(seen) if seen.legacy else None
        self._sent_at = math.nan
        """The last packet."""
        self._expired = np.zeros(PROBES - 1, dtype=np.bool_)
        """Whether a probe timeout let the last packets go."""
        self._begin: float | None = None
        self._out = Judged()

    def add(self, shown: SeenWindow, /) -> None:
        s, out = shown.window.sends, self._out
        if not len(s):
            return
        beyond = self._beyond(shown.window)
        used = np.flatnonzero((s.record < self._seen.until) & ~np.isnan(beyond) & ~self._probes(shown))
        if not len(used):
            return
        if self._begin is None:
            self._begin = float(s.time[used[0]])
        out.cases, out.seconds = out.cases + len(used), float(s.time[used[-1]] - self._begin)
        for i in used[beyond[used] > self._slack].tolist():
            out.breach(
                float(s.time[i]),
                f"packet {self._seen.trace.sent.number[int(s.packet[i])]} of {s.size[i]:.0f} bytes leaves with "
                f"{s.in_flight[i]:.0f} in flight, {beyond[i]:.0f} more than the window of {s.window[i]:.0f}",
            )

    def _beyond(self, w: Window) -> Floats:
        """By how much each packet exceeds the window; nothing where the repair of losses lets it leave."""
        beyond = w.sends.in_flight + w.sends.size - w.sends.window
        if self._repair is not None:
            self._repair.enter(w)
            for i in np.flatnonzero(beyond > 0.0).tolist():
                if self._repair.allows(i, float(beyond[i])):
                    beyond[i] = 0.0
        return beyond

    def _probes(self, shown: SeenWindow) -> Bools:
        """Packets that a probe timeout lets go."""
        s = shown.window.sends
        expired = np.diff(s.time, prepend=self._sent_at) >= shown.ptos_before(s.record) - TIMER
        expired = np.concatenate((self._expired, expired))
        self._sent_at, self._expired = float(s.time[-1]), expired[len(expired) - PROBES + 1 :]
        found: Bools = np.convolve(expired, np.ones(PROBES))[PROBES - 1 : len(expired)] > 0.0
        return found

    def judged(self) -> Judged:
        return self._out if self._out.cases else Judged.nothing("the trace does not report a congestion window")


INVARIANT = Invariant(
    name="window",
    holds="a packet leaves only where it fits into the congestion window that was reported before",
    needs=("packet_sent", "packet_received with ACK frames", "recovery_metrics_updated with congestion_window"),
    tolerance="none for quiche, which cuts a packet to what fits, but with cubic what PRR (RFC 6937) adds; a full "
    "packet for other writers, some of which ask only whether the window is full; two packets after a probe timeout",
    unit="packets",
    least=10,
    judge=judge,
)
