"""Goes through the feedback of a trace with the updates that the controller wrote at each, and collects findings."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from ..measure.packets import Packets
from ..model import NEVER, Feedback, Space, Trace, Update
from .numbers import TIME_TOLERANCE, one_of, show
from .verdict import Finding, Verdict

T = TypeVar("T")


class Walk(Generic[T]):
    """The walk, and what is common to all updates: their numbers, and that they belong to a feedback."""

    def __init__(self, trace: Trace, kind: type[T], verdict: Verdict) -> None:
        self.trace = trace
        self.verdict = verdict
        self._updates = trace.updates_of(kind)
        self._next = 0
        self._limit_records = [p.record for p in trace.parameters]
        self.number = -1
        """Of the update before."""
        self._at: Update[T] | None = None
        self._packets = Packets(trace)
        self._probes = any(trace.sent.probe)
        self._settled = [0, 0]
        self.in_flight: tuple[int, int] | None = None
        """Ack-eliciting bytes after the feedback: of the application space, and of all. The keys of the others may be
        gone, and their packets with them. None where path MTU probes are lost in silence."""

    def __iter__(self) -> Iterator[tuple[Feedback, list[Update[T]]]]:
        for f in self.trace.feedback:
            self._orphans(f.record)
            self._settle(f)
            start = self._next
            while self._next < len(self._updates) and self._updates[self._next].record < f.group_end:
                self._next += 1
            yield f, self._updates[start : self._next]
        self._orphans(NEVER)
        self.verdict.findings.extend(Finding(None, m.time, "lost", str(m)) for m in self.trace.miscounted)

    def _settle(self, f: Feedback) -> None:
        gone = sum(self._packets.size(p) for p in (*self._packets.acked(f), *f.lost))
        self._settled = [self._settled[0] + gone * (f.space is Space.APPLICATION), self._settled[1] + gone]
        if not self._probes:
            sent = self._packets.bytes_before(f.record)
            own = self._packets.application_bytes_before(f.record)
            self.in_flight = (own - self._settled[0], sent - self._settled[1])

    def _orphans(self, before: int) -> None:
        while self._next < len(self._updates) and self._updates[self._next].record < before:
            u = self._updates[self._next]
            self._next += 1
            number = getattr(u.data, "update", None)
            self.verdict.findings.append(Finding(number, u.time, "timing", "no ACK or loss detection at its time"))

    def begin(self, u: Update[T], number: int, f: Feedback) -> None:
        """An update is judged from here on."""
        self._at = u
        self.verdict.updates += 1
        expected, self.number = self.number + 1, number
        if number != expected:
            self.find("numbering", f"update {number} follows, expected {expected}")
        if abs(u.time - f.time) > TIME_TOLERANCE:
            self.find("timing", f"written {(u.time - f.time) * 1e3:.3f} ms after its feedback")

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Numbers that nothing can be computed from are a disagreement, too."""
        try:
            yield
        except (ArithmeticError, ValueError) as e:
            self.find("numbers", f"nothing can be computed from what is reported: {e}")

    def find(self, law: str, message: str) -> None:
        """A disagreement of the update that is judged."""
        assert self._at is not None
        self.verdict.findings.append(Finding(self.number, self._at.time, law, message))

    def missing(self, f: Feedback, why: str) -> None:
        self.verdict.findings.append(Finding(None, f.time, "timing", f"no update where there must be one: {why}"))

    def same(self, law: str, reported: object, expected: object, why: str = "") -> None:
        if reported != expected:
            self.find(law, f"{show(reported)} reported, expected {show(expected)}{why and f': {why}'}")

    def one_of(self, law: str, reported: object, allowed: Iterable[object], why: str = "") -> None:
        allowed = list(allowed)
        if reported not in allowed:
            self.find(law, f"{show(reported)} reported, expected {one_of(map(show, allowed))}{why and f': {why}'}")

    def near(self, law: str, reported: float | None, expected: float | None, slack: float, why: str = "") -> None:
        if reported is None or expected is None:
            self.same(law, reported, expected, why)
        elif not abs(reported - expected) <= slack:
            apart = f"{abs(reported - expected):.6g} apart"
            self.find(law, f"{show(reported)} reported, {show(expected)} expected, {apart}{why and f': {why}'}")

    def between(self, law: str, reported: float | None, low: float, high: float, why: str = "") -> None:
        if reported is None or not low <= reported <= high:
            bounds = f"{show(low)} to {show(high)}"
            self.find(law, f"{show(reported)} reported, expected {bounds}{why and f': {why}'}")

    def full_size(self, f: Feedback) -> int:
        """The maximum datagram size when everything about a feedback had been written, in bytes."""
        i = max(bisect_left(self._limit_records, f.group_end) - 1, 0)
        return self.trace.parameters[i].data.max_datagram_size
