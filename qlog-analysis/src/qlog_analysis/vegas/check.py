"""Walks through a trace and checks every update of the vegas controller."""

from __future__ import annotations

import math

from ..check.beside import Beside
from ..check.numbers import RELATIVE, REPORT_ROUNDING, TIME_TOLERANCE
from ..check.options import check_options, refuse_nonsense
from ..check.verdict import Verdict
from ..check.walk import Walk
from ..events import VegasParameters, VegasUpdate
from ..measure.packets import Packets
from ..measure.pause import Pauses
from ..measure.rtt import Rtt
from ..model import Feedback, Space, Trace, Update
from ..newreno import (
    LOSS,
    PERSISTENT,
    Recovery,
    after_loss,
    initial_window,
    phase,
    thresholds_after_loss,
    whole_packets,
)
from . import law
from .trip import Base, Trip, gives_sample

ROUNDING = 2.0 * REPORT_ROUNDING
LOSSES = (LOSS, PERSISTENT)


def check(trace: Trace) -> Verdict:
    """The verdict on a trace of a vegas sender."""
    refuse_nonsense(trace, law.RANGES)
    return _Check(trace).run()


class _Check:
    def __init__(self, trace: Trace) -> None:
        first = trace.parameters[0]
        assert isinstance(first.parameters, VegasParameters)
        self._p = first.parameters
        self._verdict = Verdict(str(trace.path), first.data.controller, first.data.spec, notes=list(trace.notes))
        self._trace = trace
        self._walk = Walk(trace, VegasUpdate, self._verdict)
        self._beside = Beside(trace)
        self._packets = Packets(trace)
        self._rtt = Rtt(trace)
        self._recovery = Recovery(trace, self._rtt)
        self._base = Base(self._p.basewin / 1e3)
        self._trip = Trip(-math.inf, settling=False)
        self._pauses = Pauses(self._packets)
        self._growing = True
        self._window = initial_window(trace)
        self._packet = first.data.max_datagram_size
        packets = self._p.ssthresh
        self._threshold = math.inf if not packets else packets * self._packet

    def run(self) -> Verdict:
        self._verdict.findings.extend(check_options(self._trace, law.PROFILES))
        for f, updates in self._walk:
            self._measure(f)
            reactions = self._recovery.reactions(f)
            resumed = self._pauses.resumed(f)
            lost = bool(updates) and updates[0].data.cause in LOSSES
            if not lost:
                self._count(f, resumed)
            for i, u in enumerate(updates):
                self._walk.begin(u, u.data.update, f)
                if i:
                    self._walk.find("timing", "a second update at one feedback")
                else:
                    with self._walk.guard():
                        self._judge(f, u, reactions)
            if not updates:
                self._silent(f, reactions)
        return self._verdict

    # -- packets ------------------------------------------------------------------------------------------------

    def _measure(self, f: Feedback) -> None:
        packet = self._walk.full_size(f)
        if packet != self._packet:  # larger packets take longer
            self._base.clear()
            self._trip.samples.clear()
        self._packet = packet
        sample = self._rtt.record(f)
        if sample is not None and gives_sample(self._packets, f.sample, f, packet):
            self._base.add(f.time, sample)
            self._trip.samples.append(sample)

    def _count(self, f: Feedback, resumed: set[float | None]) -> None:
        self._trip.count(f.time, resumed, self._packets.acked_bytes(f))
        counts = self._recovery.counted(f).bytes
        grows = set[bool]()
        for counted in self._trip.counted:
            window = law.before(self._window, self._threshold, counted, self._growing, self._packet)
            grows |= self._recovery.used.may_grow(window, self._packet, window < self._threshold)
        self._trip.counted[0] += 0 if False in grows else counts
        self._trip.counted[1] += counts if True in grows else 0

    def _over(self, f: Feedback) -> bool:
        """Whether a packet came back that was sent after the round trip began."""
        return any(self._packets.sent_at(p) > self._trip.began for p in self._packets.acked(f))

    def _paths(self, now: float) -> list[law.Path]:
        """RTT and base as the round trip has shown them, at both ends of what rounding leaves open."""
        rtt, base = self._trip.rtt(self._p.rtt == "mean"), self._base.get(now)
        if rtt is None or base is None or self._trip.settling:
            return []
        return [law.Path(rtt.low, base.high), law.Path(rtt.high, base.low)]

    def _silent(self, f: Feedback, reactions: set[str | None]) -> None:
        if None not in reactions:
            self._walk.missing(f, "a loss that is answered")
            return
        if self._over(f):
            self._walk.missing(f, "a round trip is over")
            return
        least = law.before(self._window, self._threshold, self._trip.counted[0], self._growing, self._packet)
        queues = [p.diff(least, self._packet) > self._p.gamma for p in self._paths(f.time)]
        if least < self._threshold and len(self._trip.samples) >= law.SLOW_START_SAMPLES and queues and all(queues):
            most = law.before(self._window, self._threshold, self._trip.counted[1], self._growing, self._packet)
            if most < self._threshold:
                self._walk.missing(f, "a queue ends slow start")
                return
        self._between_updates(f)

    def _between_updates(self, f: Feedback) -> None:
        """What slow start grows by is allowed at once."""
        if self._walk.number < 0 or f.space is not Space.APPLICATION or self._rtt.smoothed is None:
            return
        low, high = (
            law.before(self._window, self._threshold, counted, self._growing, self._packet)
            for counted in self._trip.counted
        )
        smoothed = self._rtt.smoothed.wider(1e-9)
        windows = min(whole_packets(low, self._packet)), max(whole_packets(high, self._packet))
        gain = 8.0 * self._p.pacing
        rates = gain * low / smoothed.high, gain * high / smoothed.low
        self._verdict.findings.extend(self._beside.between_updates(f, windows, rates))

    # -- one update ---------------------------------------------------------------------------------------------

    def _judge(self, f: Feedback, u: Update[VegasUpdate], reactions: set[str | None]) -> None:
        r, walk = u.data, self._walk
        self._verdict.judged += 1
        reaction = r.cause if r.cause in LOSSES else None
        walk.one_of("cause", reaction, reactions, "as the losses show")
        self._recovery.follow(f, reaction)
        walk.same("samples", r.samples, len(self._trip.samples), "of the RTT since the last update")
        low, high = self._trip.counted
        walk.between("counted", r.counted, low, high, "of packets sent after the last reaction to a loss")
        walk.same("growing", r.growing, self._growing)
        before = law.before(self._window, self._threshold, r.counted, r.growing, self._packet)
        walk.near("window_before", r.window_before, before, ROUNDING, "where the last update and slow start left it")
        self._seen(f, r, reaction)
        if reaction is not None:
            after = after_loss(r.window_before, self._packet, reaction)
            walk.near("window_after", r.window_after, after, ROUNDING, "after a loss")
            self._thresholds(r, thresholds_after_loss(r.window_before, self._threshold, self._packet, reaction))
        elif r.cause == "queue":
            self._queue(f, r)
        else:
            self._round(f, r)
        self._surroundings(f, r)
        if r.cause == "round":
            self._growing = not self._growing or self._p.slowstart == "each"
        self._trip = Trip(f.time, settling=r.cause != "round")
        self._window = r.window_after
        self._threshold = math.inf if r.ssthresh is None else r.ssthresh

    def _seen(self, f: Feedback, r: VegasUpdate, reaction: str | None) -> None:
        """RTT, base and diff against the samples."""
        walk = self._walk
        paths = [] if reaction is not None else self._paths(f.time)
        if not paths or r.rtt is None or r.base_rtt is None or r.rtt <= 0.0:
            null = (None, None, None)
            if (r.rtt, r.base_rtt, r.diff) != null or paths:
                walk.find("rtt", f"{r.rtt} and {r.base_rtt} ms reported with {len(self._trip.samples)} samples")
            return
        slack = 1e-9
        walk.between("rtt", r.rtt / 1e3, paths[0].rtt - slack, paths[1].rtt + slack, "s, of the round trip")
        walk.between("base_rtt", r.base_rtt / 1e3, paths[1].base - slack, paths[0].base + slack, "s, the smallest")
        diff = law.Path(r.rtt, r.base_rtt).diff(r.window_before, self._packet)
        walk.near("diff", r.diff, diff, RELATIVE * (1.0 + abs(diff)) + REPORT_ROUNDING, "of RTT and base")

    def _thresholds(self, r: VegasUpdate, allowed: set[float]) -> None:
        reported = math.inf if r.ssthresh is None else r.ssthresh
        if not any(reported == t or abs(reported - t) <= ROUNDING for t in allowed):
            self._walk.one_of("ssthresh", reported, allowed)

    def _queue(self, f: Feedback, r: VegasUpdate) -> None:
        walk = self._walk
        if not r.window_before < self._threshold:
            walk.find("cause", "the end of slow start reported, but the window was not below ssthresh")
        if not self._over(f) and len(self._trip.samples) < law.SLOW_START_SAMPLES:
            walk.find("cause", f"slow start was judged after {len(self._trip.samples)} samples")
        if r.rtt is None or r.base_rtt is None or r.diff is None or r.rtt <= 0.0:
            walk.find("cause", "a queue reported without an RTT")
            return
        if not r.diff + REPORT_ROUNDING > self._p.gamma:
            walk.find("cause", f"a queue of {r.diff} packets reported, which is not above gamma = {self._p.gamma:g}")
        self._arrived(f, r)
        after = law.left(r.window_before, r.arrived, law.Path(r.rtt / 1e3, r.base_rtt / 1e3), self._packet)
        walk.near("window_after", r.window_after, after, ROUNDING + RELATIVE * after, "what comes back")
        self._thresholds(r, {min(self._threshold, r.window_after)})

    def _arrived(self, f: Feedback, r: VegasUpdate) -> None:
        """The rate of what came back, null where the window is not used or no time has passed."""
        used = self._recovery.used.may_grow(r.window_before, self._packet, slow_start=True)
        at_once = any(f.time - since <= TIME_TOLERANCE for since, _ in self._trip.acked)
        if r.arrived is None and (False in used or at_once):
            return
        rates = [
            8.0 * acked / max(f.time - since + shift, 1e-9)
            for since, acked in self._trip.acked
            for shift in (TIME_TOLERANCE, -TIME_TOLERANCE)
        ]
        if True not in used:
            self._walk.find("arrived", f"{r.arrived} bit/s reported, and the window is not used")
        else:
            why = "bit/s acknowledged in the round trip"
            self._walk.between("arrived", r.arrived, min(rates) - 1e-3, max(rates) + 1e-3, why)

    def _round(self, f: Feedback, r: VegasUpdate) -> None:
        walk = self._walk
        if not self._over(f):
            walk.find("timing", "no packet came back that was sent after the round trip began")
        starting = r.window_before < self._threshold
        if starting and r.diff is not None and r.diff - REPORT_ROUNDING > self._p.gamma:
            walk.find("cause", f"{r.diff} packets wait, more than gamma = {self._p.gamma:g}, and slow start goes on")
        if starting or r.diff is None:
            walk.near("window_after", r.window_after, r.window_before, ROUNDING, "nothing is changed")
            self._thresholds(r, {self._threshold})
            return
        steps = law.steps(r.diff, REPORT_ROUNDING, self._p)
        allowed = [law.avoided(r.window_before, s, r.counted, self._packet) for s in steps]
        nearest = min(allowed, key=lambda w: abs(w - r.window_after))
        walk.near("window_after", r.window_after, nearest, ROUNDING, f"for diff = {r.diff} packets")
        self._thresholds(r, {min(self._threshold, r.window_after)})

    def _surroundings(self, f: Feedback, r: VegasUpdate) -> None:
        walk = self._walk
        threshold = math.inf if r.ssthresh is None else r.ssthresh
        walk.same("phase", r.phase, phase(r.window_after, threshold, self._recovery.recovering))
        walk.one_of("window", r.window, whole_packets(r.window_after, self._packet), "whole packets of window_after")
        self._beside.check_window(walk, f, r, self._p.pacing, self._rtt.smoothed)
