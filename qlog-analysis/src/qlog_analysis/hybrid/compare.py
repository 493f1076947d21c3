"""One epoch: the paper's rules, the packets, and the report, held against each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..check.numbers import RELATIVE, REPORT_ROUNDING, TIME_TOLERANCE, close, one_of, show
from ..check.verdict import Finding
from ..events import HybridEpoch
from ..model import TIME_RESOLUTION, Update
from . import law, trend
from .epochs import DELTA_TOLERANCE, Measured
from .parameters import STARTUP_SAMPLES
from .transmission import believed
from .trend import Trend
from .verdict import EpochRow

SAMPLE_NOISE = 2 * TIME_RESOLUTION
"""s. How far one ROWD may be off."""


@dataclass(frozen=True, slots=True)
class Compared:
    row: EpochRow
    findings: list[Finding]
    measured_decrease: bool | None
    """Whether the packets, by the paper's rules, lead to a decrease; None if rounding leaves that open."""


class Comparison:
    """Holds one reported epoch against one measured."""

    def __init__(
        self, event: Update[HybridEpoch], measured: Measured, previous: HybridEpoch | None, startup: bool
    ) -> None:
        self.event = event
        self.r = event.data
        self.m = measured
        self.p = measured.limits.parameters
        self.previous = previous
        self.startup = startup
        self.duration = measured.end - measured.start
        self.deltas = [sum(x) / len(x) if x else None for x in measured.rowds]
        self.trends = self._trends()
        self.findings: list[Finding] = []

    def run(self) -> Compared:
        self._timing()
        self._measurements()
        self._rules()
        self._chain()
        measured = list(self._updates_from_packets())
        self._packets_by_rules(measured)
        decreases = {u.decreased for u in measured}
        return Compared(self._row(measured), self.findings, decreases.pop() if len(decreases) == 1 else None)

    def _find(self, law_word: str, message: str) -> None:
        self.findings.append(Finding(self.r.epoch, self.event.time, law_word, message))

    # -- packets <-> report -------------------------------------------------------------------------------------

    def _timing(self) -> None:
        r, m = self.r, self.m
        expected = 0 if self.previous is None else self.previous.epoch + 1
        if r.epoch != expected:
            self._find("numbering", f"epoch {r.epoch} follows, expected {expected}")
        if not m.on_feedback:
            self._find("timing", "no ACK or loss detection at the time of the event that ended the epoch")
        if abs(r.duration / 1e3 - self.duration) > TIME_TOLERANCE:
            self._find(
                "timing", f"duration {r.duration:.3f} ms reported, {self.duration * 1e3:.3f} ms since the epoch before"
            )
        rounds = 2 if self.startup else 1
        if self.duration < rounds * (r.length / 1e3 - TIME_TOLERANCE) and not self._ends_early():
            length = f"{rounds} L = {rounds * r.length:.3f} ms"
            self._find("timing", f"ended after {self.duration * 1e3:.3f} ms, before {length} had passed")
        if m.overdue is not None:
            self._find(
                "timing",
                f"ended after {self.duration * 1e3:.3f} ms, but the feedback at {m.overdue:.6f} s, "
                f"{(m.overdue - m.start) * 1e3:.3f} ms after its start, was past L",
            )

    def _ends_early(self) -> bool:
        """In start-up, queueing ends the epoch before 2 L have passed."""
        return (
            self.startup
            and len(self.m.rowds[0]) >= STARTUP_SAMPLES
            and any(
                d is not None and law.ends_startup(self._queueing(d + DELTA_TOLERANCE), self.p) for d in self.deltas
            )
        )

    def _queueing(self, delta: float) -> float:
        return law.queueing(delta, self.m.believed, self.p)

    def _reported_transmission(self) -> float:
        r = self.r
        return believed(r.transmission_time / 1e3, r.length / 1e3, self.m.source)

    def _measurements(self) -> None:
        r, m = self.r, self.m
        if all(abs(r.length / 1e3 - length) > TIME_TOLERANCE for length in m.lengths):
            self._find("length", f"L = {r.length:.3f} ms reported, smallest RTT is {m.lengths[0] * 1e3:.3f} ms")
        if r.source != m.source.value:
            self._find("source", f"{r.source!r} reported, {m.source.value!r} is in use by the packets")
        if r.acked != m.acked:
            self._find("acked", f"{r.acked} packets reported, {m.acked} in the ACKs")
        if abs(r.return_delay / 1e3 - m.return_delay) > 2 * DELTA_TOLERANCE:
            self._find(
                "return_delay", f"{r.return_delay:.4f} ms reported, {m.return_delay * 1e3:.4f} ms from the packets"
            )
        if abs(r.transmission_time - m.transmission * 1e3) > REPORT_ROUNDING:
            self._find(
                "transmission_time",
                f"{r.transmission_time:.6f} ms reported, {m.transmission * 1e3:.6f} ms from the receive times",
            )
        samples = len(m.rowds[0])
        if r.samples != samples:
            self._find("samples", f"{r.samples} reported, {samples} in the packets")
        if not m.lost[0] <= r.lost <= m.lost[1]:
            self._find("lost", f"{r.lost} losses reported, {m.lost[1]} in the packets")
        self._compare_delta()
        self._compare_trend()
        rate_bits = 0.8 * r.rate_before * (self.duration + TIME_TOLERANCE)
        if r.app_limited and m.sent_bits >= rate_bits:
            self._find(
                "app_limited",
                f"reported, but {m.sent_bits:.0f} bits were sent, which is not below 0.8 R t = {rate_bits:.0f}",
            )

    def _compare_delta(self) -> None:
        reported, measured = self.r.delta, self.deltas
        if reported is None or measured[0] is None:
            if (reported is None) != (measured[0] is None):
                shown = "null" if reported is None else f"{reported:.4f} ms"
                has = "no samples" if measured[0] is None else f"{len(self.m.rowds[0])} samples"
                self._find("delta", f"{shown} reported with {has} in the packets")
            return
        error = min(abs(reported / 1e3 - d) for d in measured if d is not None)
        if error > DELTA_TOLERANCE:
            self._find(
                "delta",
                f"{reported:.4f} ms reported, {measured[0] * 1e3:.4f} ms from the packets, {error * 1e6:.1f} us apart",
            )

    def _trends(self) -> set[Trend]:
        if not self.p.trend:
            return {Trend.OFF}
        return set().union(*(trend.verdicts(x, self.p.d1, SAMPLE_NOISE) for x in self.m.rowds))

    def _compare_trend(self) -> None:
        names = {t.value for t in self.trends}
        if self.r.trend not in names:
            self._find("trend", f"{self.r.trend!r} reported, {one_of(names)} from the packets")

    # -- rules <-> report ---------------------------------------------------------------------------------------

    def _rules(self) -> None:
        r = self.r
        if (r.phase == "startup") != self.startup or r.phase not in ("startup", "steady"):
            self._find("phase", f"{r.phase!r} reported, expected {'startup' if self.startup else 'steady'!r}")
        if r.delta is None:
            self._unchanged()
            return
        candidates = list(self._updates_from_report())
        if not candidates:
            return
        if r.zone not in {c.zone for c in candidates}:
            self._disagree("zone", r.zone, [c.zone for c in candidates])
        same_zone = [c for c in candidates if c.zone == r.zone] or candidates
        self._hold("alpha", r.alpha, [c.alpha for c in same_zone])
        self._hold("beta", r.beta, [c.beta for c in same_zone])
        self._within("rate", r.rate_after, [c.rate for c in same_zone], "the rules give for what was reported")

    def _unchanged(self) -> None:
        r = self.r
        if (r.zone, r.alpha, r.beta) != (None, None, None) or not close(r.rate_after, r.rate_before):
            self._find("rate", "an epoch without samples changes nothing, but a zone or another rate is reported")

    def _hold(self, what: str, reported: float | None, allowed: list[float | None]) -> None:
        """`allowed` are values at both ends and in the middle of what rounding leaves open; any between will do."""
        numbers = [a for a in allowed if a is not None]
        if reported is None and None in allowed:
            return
        if reported is not None and numbers:
            low, high = min(numbers), max(numbers)
            if low <= reported <= high or close(reported, low) or close(reported, high):
                return
        self._disagree(what, reported, allowed)

    def _disagree(self, what: str, reported: float | None, allowed: Iterable[float | None]) -> None:
        r = self.r
        self._find(
            what,
            f"{show(reported)} reported, the rules give {one_of(show(a) for a in allowed)} for "
            f"delta = {r.delta} ms, lost = {r.lost}, trend = {r.trend}, R = {r.rate_before:.0f} bit/s",
        )

    def _updates_from_report(self) -> Iterator[law.Update]:
        r = self.r
        if r.delta is None or r.length <= 0.0:
            return
        try:
            reported_trend = Trend(r.trend)
        except ValueError:
            self._find("trend", f"{r.trend!r} is none of {', '.join(t.value for t in Trend)}")
            return
        for shift in (0.0, -REPORT_ROUNDING, REPORT_ROUNDING):
            counts = law.queueing((r.delta + shift) / 1e3, self._reported_transmission(), self.p)
            yield from self._updates(counts, r.lost, reported_trend)

    def _updates(self, delta: float, lost: int, its_trend: Trend) -> Iterator[law.Update]:
        r = self.r
        # The acknowledged rate matters only where the start-up ends; elsewhere one variant would do.
        for duration in (self.duration - TIME_TOLERANCE, self.duration + TIME_TOLERANCE):
            yield law.update(
                law.Epoch(
                    delta=delta,
                    lost=lost > 0,
                    overwhelmed=law.is_overwhelmed(lost, self.m.acked, self.p),
                    trend=its_trend,
                    rate=r.rate_before,
                    length=r.length / 1e3,
                    packet_bytes=self.m.limits.max_datagram_size,
                    app_limited=r.app_limited,
                    startup=self.startup,
                    acked_rate=self.m.acked_bits / max(duration, TIME_RESOLUTION),
                ),
                self.p,
            )

    def _within(self, what: str, reported: float, rates: list[float], source: str) -> None:
        low, high = min(rates), max(rates)
        slack = RELATIVE * high + REPORT_ROUNDING
        if not low - slack <= reported <= high + slack:
            nearest = low if reported < low else high
            self._find(
                what,
                f"R after is {reported:.1f} bit/s, {source} {nearest:.1f} bit/s, {reported - nearest:+.1f} apart",
            )

    def _chain(self) -> None:
        r, m = self.r, self.m
        size = m.limits.max_datagram_size
        if self.previous is not None:
            if not close(r.rate_before, self.previous.rate_after):
                self._find(
                    "rate",
                    f"R before is {r.rate_before:.1f} bit/s, the last epoch left {self.previous.rate_after:.1f}",
                )
        elif m.first_length is not None and m.first_length > TIME_TOLERANCE:
            ends = (m.first_length - TIME_TOLERANCE, m.first_length + TIME_TOLERANCE)
            rates = [law.initial_rate(m.limits.initial_window, size, x, self.p) for x in ends]
            slack = RELATIVE * max(rates) + REPORT_ROUNDING
            if not min(rates) - slack <= r.rate_before <= max(rates) + slack:
                self._find("rate", f"R starts at {r.rate_before:.1f} bit/s, the rules give {rates[0]:.1f}")
        if r.length > 0.0:
            allowed = windows(r.rate_after, [(r.length + r.return_delay) / 1e3], self._reported_transmission(), 1e-9, m)
            if r.window not in allowed:
                self._find("window", f"{r.window} bytes reported, W = R (L + wextra + packet T) is {allowed}")

    # -- rules <-> packets --------------------------------------------------------------------------------------

    def _updates_from_packets(self) -> Iterator[law.Update]:
        if self.r.length <= 0.0:
            return
        for delta in self.deltas:
            if delta is None:
                continue
            for near in self._around(self._queueing(delta)):
                for lost in set(self.m.lost):
                    for its_trend in self.trends:
                        yield from self._updates(near, lost, its_trend)

    def _around(self, delta: float) -> set[float]:
        """The ends of what rounding leaves open, and both sides of every threshold in between."""
        low, high = delta - DELTA_TOLERANCE, delta + DELTA_TOLERANCE
        thresholds = (self.p.d0, 0.5 * self.p.d1, self.p.d1, self.p.d2, self.p.d3)
        within = [t for t in thresholds if low < t < high]
        return {delta, low, high, *within, *(math.nextafter(t, math.inf) for t in within)}

    def _packets_by_rules(self, updates: list[law.Update]) -> None:
        r = self.r
        if not updates or r.delta is None:
            return
        zones = {u.zone for u in updates}
        if r.zone not in zones:
            self._find("zone", f"{show(r.zone)} reported, the packets lead to {one_of(map(str, zones))}")
            return
        rates = [u.rate for u in updates if u.zone == r.zone]
        self._within("rate", r.rate_after, rates, "the packets lead to")

    def _row(self, updates: list[law.Update]) -> EpochRow:
        r = self.r
        reported = r.delta or 0.0
        known = (d for d in self.deltas if d is not None)
        delta = min(known, key=lambda d: abs(d * 1e3 - reported), default=None)
        return EpochRow(
            epoch=r.epoch,
            time_s=self.event.time,
            duration_ms=r.duration,
            length_ms=r.length,
            phase=r.phase,
            samples=r.samples,
            lost=r.lost,
            delta_ms=r.delta,
            measured_delta_ms=None if delta is None else delta * 1e3,
            trend=r.trend,
            zone=r.zone,
            measured_zone=updates[0].zone if updates else None,
            alpha_bps=r.alpha,
            beta=r.beta,
            rate_before_bps=r.rate_before,
            rate_after_bps=r.rate_after,
            app_limited=r.app_limited,
        )


@dataclass(frozen=True, slots=True)
class Windows:
    """W: whole packets between the ends of what the tolerance of L leaves open."""

    low: int
    high: int
    packet: int

    def __contains__(self, window: float) -> bool:
        return self.low <= window <= self.high and window % self.packet == 0

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


def windows(rate: float, lengths: Iterable[float], transmission: float, tolerance: float, m: Measured) -> Windows:
    size, p = m.limits.max_datagram_size, m.limits.parameters
    ends = [
        law.window(rate * (1.0 + s * 1e-9), max(length + s * tolerance, 0.0), size, p, transmission)
        for length in lengths
        for s in (-1.0, 1.0)
    ]
    return Windows(min(ends), max(ends), size)
