"""Walks through a trace and checks every feedback of the smallq controller."""

from __future__ import annotations

from ..check.beside import Beside
from ..check.numbers import RELATIVE, REPORT_ROUNDING
from ..check.options import check_options, refuse_nonsense
from ..check.verdict import Verdict
from ..check.walk import Walk
from ..events import SmallqParameters, SmallqUpdate
from ..measure.ecn import Counts, EcnWatch
from ..measure.packets import Packets
from ..measure.rtt import Rtt
from ..model import Feedback, Trace, Update
from ..newreno import Recovery, floor_of, initial_window, phase, whole_packets
from . import law

ROUNDING = 2.0 * REPORT_ROUNDING
"""Bytes: of the window before and of the one after."""


def check(trace: Trace) -> Verdict:
    """The verdict on a trace of a smallq sender."""
    refuse_nonsense(trace, law.RANGES)
    return _Check(trace).run()


class _Check:
    def __init__(self, trace: Trace) -> None:
        first = trace.parameters[0]
        assert isinstance(first.parameters, SmallqParameters)
        self._parameters = first.parameters
        self._verdict = Verdict(str(trace.path), first.data.controller, first.data.spec, notes=list(trace.notes))
        self._trace = trace
        self._walk = Walk(trace, SmallqUpdate, self._verdict)
        self._beside = Beside(trace)
        self._packets = Packets(trace)
        self._rtt = Rtt(trace)
        self._recovery = Recovery(trace, self._rtt)
        self._counts = Counts(trace)
        self._ecn = EcnWatch(trace)
        self._window = initial_window(trace)
        packets = self._parameters.ssthresh
        self._threshold = law.infinite_if_null(packets and packets * first.data.max_datagram_size)

    def run(self) -> Verdict:
        self._verdict.findings.extend(check_options(self._trace, law.PROFILES))
        for f, updates in self._walk:
            self._rtt.record(f)
            reactions = self._recovery.reactions(f)
            rises = self._counts.increases(f)
            if not updates:
                self._walk.missing(f, "every feedback has one")
            for i, u in enumerate(updates):
                if i == 0:
                    with self._walk.guard():
                        self._judge(f, u, reactions, rises)
                else:
                    self._walk.begin(u, u.data.update, f)
                    self._walk.find("timing", "a second update at one feedback")
        return self._verdict

    def _judge(
        self, f: Feedback, u: Update[SmallqUpdate], reactions: set[str | None], rises: set[tuple[int, int]]
    ) -> None:
        r, walk = u.data, self._walk
        walk.begin(u, r.update, f)
        self._verdict.judged += 1
        packet = walk.full_size(f)
        walk.one_of("reaction", r.reaction, reactions, "as the losses show")
        self._recovery.follow(f, r.reaction)
        self._from_packets(f, r, rises)
        self._counted(f, r, packet)
        self._rules(r, packet)
        expected = phase(r.window_after, law.infinite_if_null(r.ssthresh), self._recovery.recovering)
        walk.same("phase", r.phase, expected)
        walk.one_of("window", r.window, whole_packets(r.window_after, packet), "whole packets of window_after")
        self._beside.check_window(walk, f, r, self._parameters.pacing, self._rtt.smoothed)
        self._window, self._threshold = r.window_after, law.infinite_if_null(r.ssthresh)

    def _from_packets(self, f: Feedback, r: SmallqUpdate, rises: set[tuple[int, int]]) -> None:
        walk = self._walk
        walk.same("acked", r.acked, self._packets.acked_bytes(f), "bytes newly acknowledged")
        low, high = self._packets.lost(f)
        walk.between("lost", r.lost, low, high, "packets declared lost")
        walk.one_of("ecn_counts", (r.ect, r.ce), rises, "as the ACK frames count")
        counted = self._recovery.counted(f)
        none = r.reaction is not None
        walk.same("marks", r.marks, 0 if none else min(r.ce, counted.packets), "one per packet at most")
        self._counts.follow(f, (r.ect, r.ce))
        self._ecn.record(f, (r.ect, r.ce))
        walk.same("ecn", r.ecn, self._ecn.state)

    def _counted(self, f: Feedback, r: SmallqUpdate, packet: int) -> None:
        """What lets the window grow: nothing unless it is used."""
        walk, used = self._walk, self._recovery.used
        low, high = used.most
        walk.between("used", r.used, low, high, "the most in flight of this round trip and the one before")
        grows = used.may_grow(r.window_before, packet, r.window_before < self._threshold)
        counts = 0 if r.reaction is not None else self._recovery.counted(f).bytes
        allowed = {counts if g else 0 for g in grows}
        walk.one_of("counted", r.counted, allowed, "of packets sent after the last reaction")

    def _rules(self, r: SmallqUpdate, packet: int) -> None:
        walk = self._walk
        before = floor_of(self._window, packet)
        walk.near("window_before", r.window_before, before, ROUNDING, "where the last update left it")
        step = law.Step(r.window_before, self._threshold, packet, r.counted, r.marks, r.reaction)
        after = law.window(step)
        walk.near("window_after", r.window_after, after, ROUNDING + RELATIVE * packet, "the law for what was counted")
        thresholds = law.thresholds(step, r.window_after)
        if not any(abs(t - law.infinite_if_null(r.ssthresh)) <= ROUNDING or t == r.ssthresh for t in thresholds):
            walk.one_of("ssthresh", law.infinite_if_null(r.ssthresh), thresholds)
