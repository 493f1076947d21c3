"""Walks through a trace and checks every update of the rrr controller."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque

from ..check.beside import Beside
from ..check.numbers import RELATIVE, REPORT_ROUNDING, TIME_TOLERANCE
from ..check.options import check_options, refuse_nonsense
from ..check.verdict import Verdict
from ..check.walk import Walk
from ..events import RrrParameters, RrrUpdate
from ..measure.packets import Packets
from ..measure.persistent import PersistentCongestion
from ..measure.rtt import Rtt
from ..model import TIME_RESOLUTION, Feedback, Space, Trace, Update
from . import law
from .marks import MARKS_PER_SPAN, Mark, Meter, arriving

RATE_ROUNDING = 8.0
"""bit/s: quiche writes pacing rates in whole bytes/s."""


def check(trace: Trace) -> Verdict:
    """The verdict on a trace of an rrr sender."""
    refuse_nonsense(trace, law.RANGES)
    return _Check(trace).run()


class _Check:
    def __init__(self, trace: Trace) -> None:
        first = trace.parameters[0]
        assert isinstance(first.parameters, RrrParameters)
        self._p = first.parameters
        self._verdict = Verdict(str(trace.path), first.data.controller, first.data.spec, notes=list(trace.notes))
        self._trace = trace
        self._walk = Walk(trace, RrrUpdate, self._verdict)
        self._beside = Beside(trace)
        self._rtt = Rtt(trace)
        self._persistent = PersistentCongestion(trace)
        self._packets = Packets(trace)
        self._meter = Meter(trace, self._packets, self._rtt)
        self._marks: deque[Mark] = deque()
        """From the last A on; more than the controller keeps, which thins them out."""
        self._startup = self._p.startup
        self._rate: float | None = None
        self._least_before: float | None = None
        """The smallest RTT at the last feedback before the first update: R starts by it."""
        self._updates = trace.updates_of(RrrUpdate)
        self._records = [u.record for u in self._updates]

    def run(self) -> Verdict:
        self._verdict.findings.extend(check_options(self._trace, law.PROFILES))
        for f, updates in self._walk:
            self._rtt.record(f)
            mark = self._meter.feedback(f, self._walk.full_size(f))
            if self._meter.restarted:
                self._marks.clear()
            collapses = self._persistent.record(f, self._rtt)
            for i, u in enumerate(updates):
                self._walk.begin(u, u.data.update, f)
                if i:
                    self._walk.find("timing", "a second update at one feedback")
                else:
                    with self._walk.guard():
                        self._judge(f, u, mark, collapses)
            if not updates:
                self._silent(f, mark, collapses)
            if mark is not None and (not self._marks or mark.since(self._marks[-1]) > 0.0):
                self._marks.append(mark)
            if updates and updates[0].data.cause == "persistent_congestion":
                self._marks.clear()
            self._meter.end_feedback(f)
        return self._verdict

    # -- when there is an update --------------------------------------------------------------------------------

    def _least(self) -> float:
        return max(self._p.n // law.STARTUP_SHARE, 1) if self._startup else self._p.n

    def _enough(self, a: Mark, b: Mark, slack: float, least: float) -> bool:
        """With a slack above 0 for certain, below 0 perhaps."""
        span = self._p.span / 1e3
        if b.packets - a.packets < least or b.since(a) < span + slack:
            return False
        ways = list(arriving(a, b))
        return all(way.low >= span for way in ways) if slack > 0.0 else any(way.high >= span for way in ways)

    def _silent(self, f: Feedback, mark: Mark | None, collapses: set[bool]) -> None:
        if self._rate is None:
            self._least_before = self._rtt.minimum
        if collapses == {True}:
            self._walk.missing(f, "persistent congestion")
        elif (
            mark is not None
            and self._marks
            and mark.since(self._marks[-1]) > 0.0
            and self._enough(self._marks[0], mark, TIME_TOLERANCE, self._least())
        ):
            self._walk.missing(f, f"{mark.packets - self._marks[0].packets} packets were acknowledged since a mark")
        else:
            self._between_updates(f)

    def _between_updates(self, f: Feedback) -> None:
        """R stays, or is still that of the start, and the window follows the smallest RTT."""
        least = self._rtt.minimum
        if least is None or f.space is not Space.APPLICATION:
            return
        rates = (self._rate, self._rate) if self._rate is not None else self._initial_rates(least)
        packet = self._walk.full_size(f)
        shortest, longest = max(least - TIME_TOLERANCE, TIME_RESOLUTION), least + TIME_TOLERANCE
        windows = law.window(rates[0], shortest, packet, self._p)[0], law.window(rates[1], longest, packet, self._p)[1]
        self._verdict.findings.extend(self._beside.between_updates(f, windows, rates))

    def _initial_rates(self, least: float) -> tuple[float, float]:
        """R before the first update, by a smallest RTT, at both ends of what its rounding leaves open."""
        told = self._trace.parameters[0].data
        low, high = (
            law.initial_rate(told.initial_window, told.max_datagram_size, max(least + shift, TIME_RESOLUTION), self._p)
            for shift in (TIME_TOLERANCE, -TIME_TOLERANCE)
        )
        return low, high

    def _from(self, r: RrrUpdate, b: Mark) -> Mark | None:
        """The mark A that was used: the one of that send time, if the rules allow it."""
        spacing = self._p.span / 1e3 / MARKS_PER_SPAN
        least = self._least()
        fits = [
            a
            for a in self._marks
            if abs(b.since(a) - (r.sending or 0.0) / 1e3) <= TIME_TOLERANCE
            and self._enough(a, b, -TIME_TOLERANCE, least)
        ]
        for a in fits:
            later = (c for c in self._marks if c.since(a) >= spacing + TIME_TOLERANCE)
            if not any(self._enough(c, b, TIME_TOLERANCE, least) for c in later):
                return a
        return None

    # -- one update ---------------------------------------------------------------------------------------------

    def _judge(self, f: Feedback, u: Update[RrrUpdate], mark: Mark | None, collapses: set[bool]) -> None:
        if u.data.cause == "persistent_congestion":
            self._collapsed(f, u, collapses)
        else:
            self._measured(f, u, mark, collapses)

    def _measured(self, f: Feedback, u: Update[RrrUpdate], b: Mark | None, collapses: set[bool]) -> None:
        r, walk = u.data, self._walk
        walk.same("cause", r.cause, "measured" if False in collapses else "persistent_congestion", "as the losses show")
        numbers = (r.packets, r.sent, r.delivered, r.sending, r.arriving, r.input, r.output)
        if b is None or any(n is None for n in (*numbers, r.allowed_first, r.allowed_last, r.reduction, r.wanted)):
            walk.find("timing", "a measurement without a mark, or without its numbers")
            self._follow(r)
            return
        self._verdict.judged += 1
        a = self._from(r, b)
        if a is None:
            walk.find("sending", f"{r.sending:.6f} ms reported, and no mark of that age is the latest that is enough")
        else:
            self._between(a, b, r)
            while self._marks and self._marks[0] is not a:
                self._marks.popleft()
        self._rates(r)
        self._law(f, r)
        self._follow(r)
        self._common(f, r)

    def _between(self, a: Mark, b: Mark, r: RrrUpdate) -> None:
        walk = self._walk
        walk.same("packets", r.packets, b.packets - a.packets, "acknowledged from A to B")
        walk.one_of("sent", r.sent, {y - x for x in a.sent for y in b.sent}, "from A to B")
        walk.same("delivered", r.delivered, b.delivered - a.delivered, "from A to B")
        assert r.arriving is not None
        ways = list(arriving(a, b))
        if not any(r.arriving / 1e3 in way for way in ways):
            walk.near("arriving", r.arriving, ways[0].middle * 1e3, 0.0, "ms, by the one-way delays")
        for name, reported, mark in (("first", r.allowed_first, a), ("last", r.allowed_last, b)):
            low, high = self._allowed(mark)
            walk.between(f"allowed_{name}", reported, low, high, "R when that packet left")

    def _allowed(self, mark: Mark) -> tuple[float, float]:
        """R when the packet of a mark left: after the last update, or as quiche wrote it before there was one."""
        record = self._trace.sent.record[self._packets.asking(mark.sample.packet)]
        i = bisect_left(self._records, record) - 1
        if i >= 0:
            rate = self._updates[i].data.rate_after
            return rate - REPORT_ROUNDING, rate + REPORT_ROUNDING
        m = self._trace.metrics
        j = m.row_before(record)
        rate = m.pacing_rate[j] if j >= 0 else math.nan
        return (0.0, math.inf) if math.isnan(rate) else (rate - RATE_ROUNDING, rate + RATE_ROUNDING)

    def _rates(self, r: RrrUpdate) -> None:
        """X_in, X_out and p of what was counted."""
        assert r.sent is not None
        assert r.delivered is not None
        assert r.input is not None
        assert r.output is not None
        for name, reported, size, ms in (
            ("input", r.input, r.sent, r.sending),
            ("output", r.output, r.delivered, r.arriving),
        ):
            expected = 8e3 * size / ms if ms else math.inf
            walk_slack = RELATIVE * expected + REPORT_ROUNDING
            self._walk.near(name, reported, expected, walk_slack, "bit/s, of its bytes and time")
        reduction = (r.input - r.output) / r.input if r.input else math.nan
        self._walk.near("reduction", r.reduction, reduction, 2.0 * RELATIVE, "of input and output")

    def _law(self, f: Feedback, r: RrrUpdate) -> None:
        walk, p = self._walk, self._p
        assert r.input is not None
        assert r.output is not None
        assert r.allowed_first is not None
        assert r.allowed_last is not None
        m = law.Measured(r.input, r.output, r.allowed_first, r.allowed_last)
        ends = {m.reduction + s > law.STARTUP_ENDS * law.largest(p) for s in (-RELATIVE, RELATIVE)}
        phases = {"startup" if self._startup and not end else "steady" for end in ends}
        walk.one_of("phase", r.phase, phases, "as the reduction shows")
        startup = r.phase == "startup"
        wanted = law.wanted(m.output, r.xt, startup, p)
        walk.near("wanted", r.wanted, wanted, 2.0 * RELATIVE, "pT(X_out)")
        packet, min_rtt = walk.full_size(f), r.min_rtt / 1e3
        # Where the reduction is the one wanted, or X_in what was allowed, rounding decides on the line.
        rates = [
            law.bounded(law.rate(law.Measured(m.input * s, m.output * t, *allowed), wanted, p), packet, min_rtt, p)
            for s in (1.0 - RELATIVE, 1.0 + RELATIVE)
            for t in (1.0 - RELATIVE, 1.0 + RELATIVE)
            for allowed in ((m.allowed_first, m.allowed_last),)
        ]
        slack = 4.0 * RELATIVE * max(rates) + REPORT_ROUNDING
        walk.between("rate", r.rate_after, min(rates) - slack, max(rates) + slack, "the law for what was measured")
        self._startup = startup

    def _collapsed(self, f: Feedback, u: Update[RrrUpdate], collapses: set[bool]) -> None:
        r, walk = u.data, self._walk
        self._verdict.judged += 1
        self._rtt.restart_minimum()
        if True not in collapses:
            walk.find("cause", "persistent congestion reported, but the losses do not show it")
        if self._rtt.smoothed is not None:
            packet = walk.full_size(f)
            ends = [
                law.bounded(min(r.rate_before, 16.0 * packet / x), packet, r.min_rtt / 1e3, self._p)
                for x in (self._rtt.smoothed.high, self._rtt.smoothed.low)
            ]
            slack = RELATIVE * ends[1] + REPORT_ROUNDING
            walk.between("rate", r.rate_after, ends[0] - slack, ends[1] + slack, "two packets per RTT")
        self._follow(r)
        self._startup = self._p.startup
        self._common(f, r)

    def _follow(self, r: RrrUpdate) -> None:
        if self._rate is not None:
            slack = RELATIVE * self._rate + REPORT_ROUNDING
            self._walk.near("rate_before", r.rate_before, self._rate, slack, "where the last update left it")
        elif self._least_before:
            low, high = self._initial_rates(self._least_before)
            self._walk.between("rate_before", r.rate_before, low - 1e-3, high + 1e-3, "R at the start")
        self._rate = r.rate_after

    def _common(self, f: Feedback, r: RrrUpdate) -> None:
        walk, packet = self._walk, self._walk.full_size(f)
        walk.same("source", r.source, self._meter.source, "in use by the packets")
        if self._rtt.minimum is None or self._rtt.smoothed is None:
            walk.find("min_rtt", "reported before the first sample")
            return
        walk.near("min_rtt", r.min_rtt / 1e3, self._rtt.minimum, TIME_TOLERANCE, "s, the smallest RTT")
        low, high = law.window(r.rate_after, r.min_rtt / 1e3, packet, self._p)
        walk.between("window", r.window, low, high, "R (L + qmax)")
        if isinstance(self._p.xt, str):
            ends = [law.auto_xt(packet, x) for x in (self._rtt.smoothed.high, self._rtt.smoothed.low)]
            walk.between("xt", r.xt, ends[0] * (1.0 - RELATIVE), ends[1] * (1.0 + RELATIVE), "k P / T")
        else:
            walk.near("xt", r.xt, self._p.xt, RELATIVE * self._p.xt, "the parameter")
        state = "initial" if r.cause == "persistent_congestion" else r.phase
        self._beside.check(walk, f, r.window, r.rate_after, state)
