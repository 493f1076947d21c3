"""Walks through a trace and checks every update of the raimd controller."""

from __future__ import annotations

import math
from typing import Any

from ..check.beside import Beside
from ..check.numbers import RELATIVE, REPORT_ROUNDING, TIME_TOLERANCE
from ..check.options import check_options, refuse_nonsense
from ..check.verdict import Verdict
from ..check.walk import Walk
from ..events import RaimdParameters, RaimdUpdate
from ..measure.packets import Packets
from ..measure.pause import Pauses
from ..measure.rtt import Bounds, Rtt
from ..measure.used import Used
from ..model import Feedback, Space, Trace, Update
from ..newreno import MIN_WINDOW_PACKETS
from . import law
from .losses import Cycle

SHORTEST = 1e-9
"""s: a nanosecond, in which the controller counts."""
MANY_ROUNDS = 1_000
"""More than any update counts."""
SLACK = 10.0 * RELATIVE
"""Relative: R is reported to a nanosecond, and the models multiply what that leaves open."""


def check(trace: Trace) -> Verdict:
    """The verdict on a trace of a raimd sender."""
    refuse_nonsense(trace, law.RANGES)
    return _Check(trace).run()


class _Check:
    def __init__(self, trace: Trace) -> None:
        first = trace.parameters[0]
        assert isinstance(first.parameters, RaimdParameters)
        self._p = first.parameters
        self._verdict = Verdict(str(trace.path), first.data.controller, first.data.spec, notes=list(trace.notes))
        self._trace = trace
        self._walk = Walk(trace, RaimdUpdate, self._verdict)
        self._beside = Beside(trace)
        self._rtt = Rtt(trace)
        self._used = Used(trace)
        self._cycle = Cycle(trace, self._rtt, int(self._p.history))
        self._packet = first.data.max_datagram_size
        self._rate: float | None = None
        self._startup = self._p.startup
        self._collapsed = False
        self._pauses = Pauses(Packets(trace))
        self._began: set[float] = set()
        """Start of the round trip: more than one where rounding of times decides, none before the first."""
        self._initial: Bounds | None = None
        """S at the start, packets/s."""
        self._initial_packets = first.data.initial_window

    def run(self) -> Verdict:
        self._verdict.findings.extend(check_options(self._trace, law.PROFILES))
        for f, updates in self._walk:
            self._rtt.record(f)
            self._used.record(f)
            causes = self._cycle.causes(f)
            if self._rtt.smoothed is None:
                causes = {None}
            elif not self._began:
                self._begin(f, self._rtt.smoothed)
                causes = set() if causes == {None} else causes
            self._leave_out_pause(f)
            if None in causes:
                causes = (causes - {None}) | self._ended(f)
            for i, u in enumerate(updates):
                self._walk.begin(u, u.data.update, f)
                if i:
                    self._walk.find("timing", "a second update at one feedback")
                else:
                    with self._walk.guard():
                        self._judge(f, u, causes)
            if not updates and causes and None not in causes:
                self._walk.missing(f, " or ".join(sorted(str(c) for c in causes)))
            elif not updates:
                self._began = {b for b in self._began if 0 in self._rounds(f, {b})} or self._began
                self._between_updates(f)
            self._cycle.acked(f)
        return self._verdict

    def _begin(self, f: Feedback, smoothed: Bounds) -> None:
        self._began = {f.time}
        packet = self._walk.full_size(f)
        ends = (max(x, SHORTEST) for x in (smoothed.high, smoothed.low))
        starts = [law.initial_rate(self._initial_packets, packet, x, self._p) for x in ends]
        self._initial = Bounds(*starts)

    def _between_updates(self, f: Feedback) -> None:
        """S stays, or is still that of the start, and the window follows the smoothed RTT."""
        smoothed, packet = self._rtt.smoothed, self._walk.full_size(f)
        if smoothed is None or f.space is not Space.APPLICATION:
            return
        shortest, longest = max(smoothed.low, SHORTEST), max(smoothed.high, SHORTEST)
        rates = self._initial if self._rate is None else self._kept(packet, shortest, longest)
        if rates is None:
            return
        windows = (
            law.window(rates.low, shortest, self._least_window(), packet, self._p)[0],
            law.window(rates.high, longest, self._least_window(), packet, self._p)[1],
        )
        bits = 8.0 * packet
        self._verdict.findings.extend(self._beside.between_updates(f, windows, (bits * rates.low, bits * rates.high)))

    def _kept(self, packet: int, shortest: float, longest: float) -> Bounds:
        """S since the last update: the bits of packets of another size stay."""
        kept = (self._rate or 0.0) * self._packet / packet
        if packet == self._packet:
            return Bounds(kept, kept)
        return Bounds(*(law.bounded(kept, packet, x, self._p) for x in (longest, shortest)))

    def _least_window(self) -> int:
        return MIN_WINDOW_PACKETS if self._collapsed else max(self._initial_packets, MIN_WINDOW_PACKETS)

    # -- round trips --------------------------------------------------------------------------------------------

    def _leave_out_pause(self, f: Feedback) -> None:
        """Round trips in which nothing was in flight are none, but for what the pacer waits."""
        resumed = self._pauses.resumed(f)
        rates = self._initial if self._rate is None else Bounds(self._rate, self._rate)
        if rates is not None and resumed != {None}:
            waits = {law.PACKETS_PER_ACK / x for x in (rates.low, rates.high)}
            self._began = {b if r is None else max(b, r - wait) for b in self._began for r in resumed for wait in waits}

    def _rounds(self, f: Feedback, began: set[float]) -> set[int]:
        """Round trips that have ended since."""
        if self._rtt.smoothed is None or not began:
            return {0}
        low = (f.time - max(began) - 2.0 * TIME_TOLERANCE) / max(self._rtt.smoothed.high, SHORTEST)
        high = (f.time - min(began) + 2.0 * TIME_TOLERANCE) / max(self._rtt.smoothed.low, SHORTEST)
        least, most = (min(max(math.floor(rounds), 0), MANY_ROUNDS) for rounds in (low, high))
        return set(range(least, most + 1))

    def _ended(self, f: Feedback) -> set[str | None]:
        """What must be reported for them; None for nothing."""
        rounds = self._rounds(f, self._began)
        none: set[str | None] = {None} if 0 in rounds else set()
        return none | ({"round"} if max(rounds) > 0 else set())

    # -- one update ---------------------------------------------------------------------------------------------

    def _judge(self, f: Feedback, u: Update[RaimdUpdate], causes: set[str | None]) -> None:
        r, walk = u.data, self._walk
        self._verdict.judged += 1
        packet, rtt = walk.full_size(f), r.rtt / 1e3
        kind = r.cause if r.cause in ("loss", "persistent_congestion") else "round"
        if kind not in causes:
            walk.find("cause", f"{r.cause!r} reported, expected {' or '.join(sorted(map(str, causes))) or 'nothing'}")
        if self._rtt.smoothed is None or rtt <= 0.0:
            walk.find("rtt", "reported before the first sample")
            return
        smoothed = self._rtt.smoothed.wider(1e-9)
        walk.between("rtt", rtt, smoothed.low, smoothed.high, "from the ACKs, in s")
        self._chain(r, packet, rtt)
        if kind == "round":
            self._round(f, r, packet, rtt)
        else:
            self._loss(f, r, packet, rtt)
        self._rate, self._packet = r.rate_after, packet
        low, high = law.window(r.rate_after, rtt, self._least_window(), packet, self._p)
        walk.between("window", r.window, low, high, "wgain S R")
        state = "initial" if not self._began else "startup" if self._startup else "steady"
        self._beside.check(walk, f, r.window, 8.0 * packet * r.rate_after, state)

    def _near(self, law_word: str, reported: float | None, expected: float | None, why: str) -> None:
        slack = SLACK * abs(expected or 0.0) + REPORT_ROUNDING
        self._walk.near(law_word, reported, expected, slack, why)

    def _chain(self, r: RaimdUpdate, packet: int, rtt: float) -> None:
        if self._rate is None:
            if self._initial is not None:
                low, high = self._initial.low * (1.0 - SLACK), self._initial.high * (1.0 + SLACK)
                self._walk.between("rate_before", r.rate_before, low, high, "S at the start")
            return
        before = self._kept(packet, rtt, rtt).low
        self._near("rate_before", r.rate_before, before, "where the last update left it")

    def _round(self, f: Feedback, r: RaimdUpdate, packet: int, rtt: float) -> None:
        walk = self._walk
        ended = {min(n, law.MOST_ROUNDS) for n in self._rounds(f, self._began)} - {0}
        walk.one_of("rounds", r.rounds, ended, "round trips that have ended")
        walk.one_of("open", r.open, self._cycle.open(), "packets of the open interval")
        walk.same("interval", r.interval, None)
        loss = self._cycle.loss_rate(r.open)
        walk.near("loss", r.loss, loss, REPORT_ROUNDING, "p of the intervals")
        wanted = law.target(self._p, packet, rtt, loss, self._cycle.any_loss)
        self._near("target", r.target, wanted, "B")
        starting = self._startup and (wanted is None or r.rate_before < wanted)
        ends = (law.held(r.rate_before, packet, rtt) * s for s in (1.0 - RELATIVE, 1.0 + RELATIVE))
        grows = {g for held in ends for g in self._used.may_grow(held, packet, starting)}
        growing = "startup" if starting else "increase"
        walk.one_of("cause", r.cause, {growing if g else "unused" for g in grows}, "by what was in flight")
        alpha: float | None = None
        if not starting or r.cause == "unused":
            alpha = 0.0 if r.cause == "unused" else law.increase(self._p, r.rate_before, wanted, rtt, loss)
        self._near("alpha", r.alpha, alpha, "the increase per round trip")
        raised = 2.0 * r.rate_before if r.cause == "startup" else r.rate_before + r.rounds * (r.alpha or 0.0)
        self._near("rate", r.rate_after, law.bounded(raised, packet, rtt, self._p), "S after the round trips")
        self._collapsed = False
        began = {b for b in self._began if r.rounds in self._rounds(f, {b})} or self._began
        silence = r.rounds == law.MOST_ROUNDS and max(self._rounds(f, began)) > law.MOST_ROUNDS
        self._began = {f.time} if silence else {b + r.rounds * rtt for b in began}

    def _loss(self, f: Feedback, r: RaimdUpdate, packet: int, rtt: float) -> None:
        walk = self._walk
        nothing: Any = (0, None, None)
        walk.same("rounds", (r.rounds, r.target, r.alpha), nothing, "with a loss")
        walk.same("open", r.open, 0, "a loss ends the interval")
        if r.cause == "loss":
            walk.one_of("interval", r.interval, self._cycle.intervals(f), "packets until the one lost")
            self._cycle.decrease(f, r.interval or 1)
            self._startup = False
            heard = f.time - rtt - law.PACKETS_PER_ACK / r.rate_before
            self._began = {max(b, heard) for b in self._began}
            used = min(r.rate_before, *(law.used_rate(u, packet, rtt) for u in self._used.most))
            after = self._p.beta * used
        else:
            walk.same("interval", r.interval, None)
            self._cycle.decrease(f, None)
            self._startup, self._collapsed = self._p.startup, True
            self._began = {f.time}
            after = min(r.rate_before, law.COLLAPSED_PACKETS / rtt)
        walk.near("loss", r.loss, self._cycle.loss_rate(r.open), REPORT_ROUNDING, "p of the intervals")
        self._near("rate", r.rate_after, law.bounded(after, packet, rtt, self._p), "S after the loss")
