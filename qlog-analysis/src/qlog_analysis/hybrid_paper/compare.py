"""One epoch: the rules, the packets, and the report, held against each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

from ..check.numbers import RELATIVE, REPORT_ROUNDING, TIME_TOLERANCE, close, one_of, show
from ..events import PaperEpoch
from ..measure.sliding import Source
from ..model import TIME_RESOLUTION, Update
from ..zones import by_packets
from ..zones.measured import DELTA_TOLERANCE
from ..zones.sides import Sides, allows
from ..zones.verdict import EpochRow, row_of
from ..zones.windows import Windows
from . import law, trend
from .epochs import Measured
from .trend import Trend

SAMPLE_NOISE = 2 * TIME_RESOLUTION
"""s. How far one ROWD may be off."""


@dataclass(frozen=True, slots=True)
class PaperRow(EpochRow):
    """One epoch, with the trend of its delays."""

    trend: str


class Comparison(Sides[PaperEpoch, Measured]):
    """Compares; what it finds goes into `findings`."""

    def __init__(self, event: Update[PaperEpoch], measured: Measured, previous: PaperEpoch | None) -> None:
        super().__init__(event, measured, previous)
        self._p = measured.limits.parameters
        self._trends = set().union(*(trend.verdicts(x, self._p.d1, SAMPLE_NOISE) for x in measured.rowds))
        self._interrupted = self._is_interrupted()
        self._from_packets = self._by_packets()

    def run(self) -> None:
        by_packets.check_numbering(self)
        by_packets.check_timing(self)
        self._length()
        by_packets.check_counts(self)
        self._losses()
        by_packets.check_delta(self)
        self._trend()
        self._thresholds()
        by_packets.check_app_limited(self)
        self._rules()
        self._packets_by_rules()
        self._chain()
        self._window()

    def row(self) -> PaperRow:
        zones = [u.zone for u in self._from_packets]
        return PaperRow(**row_of(self, zones[0] if zones else None), trend=self.r.trend)

    # -- the report against the packets -------------------------------------------------------------------------

    def _is_interrupted(self) -> bool:
        """Whether the epoch showed persistent congestion; where rounding leaves that open, by the report."""
        verdicts = self.m.blackout
        return self.r.outcome == law.INTERRUPTED if len(verdicts) > 1 else True in verdicts

    def _length(self) -> None:
        r, lengths = self.r, self.m.lengths
        if all(abs(r.length / 1e3 - length) > TIME_TOLERANCE for length in lengths):
            self.find("length", f"L = {r.length:.3f} ms reported, smallest RTT is {lengths[0] * 1e3:.3f} ms")

    def _losses(self) -> None:
        """All losses count."""
        if self.r.lost_total != self.r.lost:
            self.find("lost_total", f"{self.r.lost_total} losses in all reported, but {self.r.lost} that count")

    def _trend(self) -> None:
        names = {t.value for t in self._trends}
        if self.r.trend not in names:
            self.find("trend", f"{self.r.trend!r} reported, {one_of(names)} from the packets")

    def _thresholds(self) -> None:
        for name in ("d0", "d1", "d2", "d3"):
            reported, expected = getattr(self.r, name), getattr(self._p, name) * 1e3
            if not abs(reported - expected) <= RELATIVE * expected + REPORT_ROUNDING:
                self.find("thresholds", f"{name} = {reported:.6f} ms reported, the parameter is {expected:.6f} ms")

    # -- the rules ----------------------------------------------------------------------------------------------

    def _updates(self, deltas: Iterable[float], lost: Iterable[bool], trends: Iterable[Trend]) -> list[law.Update]:
        """What the law makes of the epoch; several where rounding decides."""
        r = self.r
        if not r.has_length:
            return []
        return [
            law.update(
                law.Epoch(
                    delta=max(delta, 0.0),
                    lost=is_lost,
                    trend=its_trend,
                    rate=r.rate_before,
                    length=r.length / 1e3,
                    packet_bytes=self.m.max_datagram_size,
                    app_limited=r.app_limited,
                    interrupted=self._interrupted,
                ),
                self._p,
            )
            for delta, is_lost, its_trend in itertools.product(deltas, lost, trends)
        ]

    def _rules(self) -> None:
        """The rules, applied to what was reported."""
        r = self.r
        expected = law.INTERRUPTED if self._interrupted else None
        if r.outcome != expected:
            self._disagree("outcome", r.outcome, [expected])
        if r.delta is None:
            self._unchanged()
            return
        if r.trend not in {t.value for t in Trend}:
            return  # which `_trend` has found
        shifts = (0.0, -REPORT_ROUNDING, REPORT_ROUNDING)
        updates = self._updates([(r.delta + x) / 1e3 for x in shifts], [r.lost > 0], [Trend(r.trend)])
        if not updates:
            return
        if r.zone not in {u.zone for u in updates}:
            self._disagree("zone", r.zone, [u.zone for u in updates])
        updates = [u for u in updates if u.zone == r.zone] or updates
        for what in ("alpha", "beta"):
            reported, allowed = getattr(r, what), [getattr(u, what) for u in updates]
            if not allows(reported, allowed):
                self._disagree(what, reported, allowed)
        self.rate_after([u.rate for u in updates], "the rules give for what was reported")

    def _unchanged(self) -> None:
        r = self.r
        if not r.has_length:
            return
        length, size = r.length / 1e3, self.m.max_datagram_size
        done = law.without_samples(r.rate_before, length, size, interrupted=self._interrupted)
        if (r.zone, r.alpha, r.beta) != (None, None, None) or not close(r.rate_after, done.rate):
            self.find("rate", "an epoch without samples changes nothing, but a zone or another rate is reported")

    def _disagree(self, what: str, reported: object, allowed: Iterable[object]) -> None:
        r = self.r
        self.find(
            what,
            f"{show(reported)} reported, the rules give {one_of(show(a) for a in allowed)} for "
            f"delta = {r.delta} ms, lost = {r.lost}, trend = {r.trend}, R = {r.rate_before:.0f} bit/s",
        )

    # -- the packets --------------------------------------------------------------------------------------------

    def _by_packets(self) -> list[law.Update]:
        deltas = {near for d in self.m.deltas for near in self._around(max(d, 0.0))}
        return self._updates(deltas, {n > 0 for n in self.m.lost}, self._trends)

    def _around(self, delta: float) -> set[float]:
        """The ends of what rounding leaves open, and both sides of every threshold in between."""
        low, high = max(delta - DELTA_TOLERANCE, 0.0), delta + DELTA_TOLERANCE
        within = [t for t in (self._p.d0, self._p.d1, self._p.d2, self._p.d3) if low < t < high]
        return {delta, low, high, *within, *(math.nextafter(t, math.inf) for t in within)}

    def _packets_by_rules(self) -> None:
        r, updates = self.r, self._from_packets
        if not updates or r.delta is None:
            return
        zones = {u.zone for u in updates}
        if r.zone not in zones:
            self.find("zone", f"{show(r.zone)} reported, the packets lead to {one_of(map(str, zones))}")
            return
        self.rate_after([u.rate for u in updates if u.zone == r.zone], "the packets lead to")

    # -- from epoch to epoch ------------------------------------------------------------------------------------

    def _chain(self) -> None:
        m = self.m
        if self.previous is not None:
            self.rate_before([self.previous.rate_after], "the last epoch left")
        elif m.first_length is not None and m.first_length > TIME_TOLERANCE:
            starts = m.beginning.around([m.first_length], m.max_datagram_size, self._p.initial_rate)
            self.rate_before(starts, "it starts at")

    def _window(self) -> None:
        r = self.r
        if not r.has_length or r.rate_after <= 0.0:
            return
        # Only what queues on the return path is not in the report.
        tolerance = 1e-9 if self.m.source is Source.ACK else 2 * DELTA_TOLERANCE
        allowed = windows(r.rate_after, [r.length / 1e3 + self.m.return_delay], self.m, tolerance)
        if r.window not in allowed:
            self.find("window", f"{r.window} bytes reported, W = R (L + return delay) is {allowed}")


def windows(rate: float, lengths: Iterable[float], m: Measured, tolerance: float) -> Windows:
    """W with this R, `lengths` with what queues on the return path."""
    size = m.max_datagram_size
    ends = [
        law.window(rate * (1.0 + s * 1e-9), max(length + s * tolerance, 0.0), size)
        for length in lengths
        for s in (-1.0, 1.0)
    ]
    return Windows(min(ends), max(ends), size)
