"""What sources are told, `cc:estimate_updated`: "Of `hybrid`" in docs/estimate.md.

All that it is made of stands in the reports of epochs, but for R and T while an epoch lasts: of an event that does not
come with the end of one, `target` and `most` have only bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..check.numbers import RELATIVE, REPORT_ROUNDING, TIME_TOLERANCE, one_of, show
from ..check.verdict import Finding
from ..events import SMALLEST, Estimate, HybridEpoch
from ..model import NEVER, Trace, Update
from .law import queueing
from .standing import Outcome
from .state import State

WORTH_TELLING = 0.05
"""Of the target that was told: by more it has to move until it is told again."""
UNPROVEN = 2.0
"""Times what arrives: the largest target of a rate that was not tried."""
STATES = {
    State.STARTUP: "startup",
    State.GROWING: "steady",
    State.DRAINING: "steady",
    State.HOLDING: "contended",
    State.PROBING: "contended",
}
COMPETES = (State.HOLDING, State.PROBING)


class Ended(NamedTuple):
    """An epoch that has ended, and what follows from it."""

    event: Update[HybridEpoch]
    group_end: int
    """Record before which all stands that was written of the feedback with which it ended."""
    state: State
    """Of the flow from then on."""
    interrupted: bool
    meets_path: bool
    """Whether no epoch with samples has ended since the path was interrupted."""
    arrived: float
    """The largest A of the last 8 epochs, bit/s."""
    return_rate: float | None
    """S before it, bit/s."""
    links: frozenset[float]
    """What the slowest link may carry, bit/s; infinite where dispersion has not shown it."""
    last: bool
    """Whether no report follows: J, which decides whether T counts, is not known then."""


class Known(NamedTuple):
    """What epochs have shown: rates in bit/s, times in s."""

    state: str = "startup"
    rate: float = math.inf
    """R, or h while that is held; infinite where it may have grown since."""
    arrived: float = 0.0
    reached: float = 0.0
    """The largest of what arrived at the end of an epoch in which R was tried, or of a train in one."""
    met: float | None = None
    """The rate that last met a queue."""
    tried: float | None = None
    """When the last epoch with samples ended in which R was."""
    queue: float | None = None
    links: frozenset[float] = frozenset({math.inf})
    window: float = math.inf
    """For so long a queue that was met is remembered."""
    slack: float = RELATIVE
    """Of a rate: an A over L, and P / T where L bounds T, are made of times that are truncated to 1 us."""

    def after(self, e: Ended, window: float) -> Known:
        r = e.event.data
        tried = r.delta is not None and r.rate_tried and not e.interrupted
        reached = max(self.reached, e.arrived, r.by_trains) if tried else self.reached
        queue = self.queue if r.delta is None else queueing(r.delta / 1e3, r.jitter / 1e3)
        held = r.held_rate if e.state in COMPETES else None
        return Known(
            state="interrupted" if e.state is State.STARTUP and e.meets_path else STATES[e.state],
            rate=r.rate_after if held is None else held,
            arrived=e.arrived,
            reached=0.0 if e.interrupted else reached,
            met=self._met(e, tried=tried),
            tried=e.event.time if tried else self.tried,
            queue=None if e.interrupted else queue,
            links=e.links,
            window=window,
            slack=max(self.slack, RELATIVE + TIME_TOLERANCE / max(r.length / 1e3, SMALLEST)),
        )

    def _met(self, e: Ended, *, tried: bool) -> float | None:
        """A queue beside others is theirs, and on another path none."""
        r = e.event.data
        competes = r.state in COMPETES or e.state in COMPETES
        if competes or r.outcome not in (None, Outcome.SLOWER_LINK.value):
            return None
        if r.beta is not None:
            return max(r.rate_before, e.return_rate or 0.0)
        passed = self.met is not None and tried and r.rate_before > self.met
        return None if passed else self.met

    def while_it_lasts(self) -> Known:
        """In an epoch: start-up raises R with every ACK, and T may become known."""
        rate = math.inf if self.state in ("startup", "interrupted") else self.rate
        return self._replace(rate=rate, links=frozenset({0.0, math.inf}))

    @property
    def targets(self) -> Sequence[float | None]:
        """Values of the target; of the epoch under way the least and the most."""
        if self.arrived == 0.0:
            return [None]
        most = min(self.rate, max(self.reached, UNPROVEN * self.arrived))
        return sorted({min(most, link) for link in self.links})

    def is_news(self, told: Estimate) -> bool:
        """Whether it surely has to be told after this one, which may be of long ago."""
        return self.state != told.state or all(_has_moved(told.target, x, self.slack) for x in self.targets)

    def bounds(self, target: float, age: float | None) -> set[float | None]:
        """Values of `most`; a queue is forgotten where R was not tried for long."""
        recent = {age is not None and age + x <= self.window for x in (-TIME_TOLERANCE, TIME_TOLERANCE)}
        met = [self.met if x and self.met is not None else math.inf for x in recent]
        found = {min(x, link) for x in met for link in self.links}
        return {None if x == math.inf else max(x, target) for x in found}


class Estimates:
    """Asked epoch by epoch, in their order."""

    def __init__(self, trace: Trace, window: float) -> None:
        """`window` is `base_delay_window`, s."""
        self._trace, self._window = trace, window
        self._events, self._next = trace.estimates, 0
        self._known = Known()
        self._told: Estimate | None = Estimate(None, None, None, None, None, None)
        """None if it does not hold: what has to be told after it is not known then."""

    def follow(self, e: Ended) -> Iterator[Finding]:
        """What was told in the epoch, and with its end."""
        number = e.event.data.epoch
        for event in self._until(e.event.record):
            yield from self._follow(event, number, exactly=False)
        self._known = self._known.after(e, self._window)
        for event in self._until(e.group_end):
            yield from self._follow(event, number, exactly=not e.last)
        if self._told is not None and not e.last and self._known.is_news(self._told):
            message = f"not told: {_news(self._known.state, self._known.targets)}, after {_told(self._told)}"
            yield Finding(number, e.event.time, "estimate", message)
            self._told = None

    def rest(self, number: int) -> Iterator[Finding]:
        """What was told after the last epoch."""
        for event in self._until(NEVER):
            yield from self._follow(event, number, exactly=False)

    def _until(self, record: int) -> Iterator[Update[Estimate]]:
        while self._next < len(self._events) and self._events[self._next].record < record:
            self._next += 1
            yield self._events[self._next - 1]

    def _age(self, event: Update[Estimate]) -> float | None:
        """By the time of the feedback with which it was told, s."""
        i = self._trace.feedback.record.left(event.record) - 1
        return None if self._known.tried is None or i < 0 else self._trace.feedback.time[i] - self._known.tried

    def _follow(self, event: Update[Estimate], number: int, *, exactly: bool) -> Iterator[Finding]:
        """Holds it against what is known, and against what was told before."""
        told, before = event.data, self._told
        found = list(self._judge(event, number, exactly=exactly))
        if before is not None and told.state == before.state and not _has_moved(before.target, told.target, -RELATIVE):
            message = f"told although it is no news: {_told(told)}, after {_told(before)}"
            found.append(Finding(number, event.time, "estimate", message))
        self._told = None if found else told
        yield from found

    def _judge(self, event: Update[Estimate], number: int, *, exactly: bool) -> Iterator[Finding]:
        told, age = event.data, self._age(event)
        known = self._known if exactly else self._known.while_it_lasts()

        def find(field: str, value: object, expected: str) -> Finding:
            return Finding(number, event.time, "estimate", f"{field} {show(value)} told, expected {expected}")

        if told.state != known.state:
            yield find("state", told.state, known.state)
        for field, value, seconds, slack in (
            ("queueing_delay", told.queueing_delay, known.queue, REPORT_ROUNDING),  # of delta and J
            ("evidence_age", told.evidence_age, age, 1e3 * TIME_TOLERANCE),
        ):
            ms = None if seconds is None else seconds * 1e3
            if not _near(value, ms, 0.0, slack):
                yield find(field, value, f"{show(ms)} ms")
        if not _within(told.target, known.targets, known.slack, exactly=exactly):
            yield find("target", told.target, f"{_shown(known.targets)} bit/s")
        least = None if told.target is None else min(known.arrived, told.target)
        if not _near(told.least, least, known.slack):
            yield find("least", told.least, f"{show(least)} bit/s")
        if told.target is not None and told.most is not None and told.most < told.target - REPORT_ROUNDING:
            yield find("most", told.most, f"at least the target, {show(told.target)} bit/s")
        elif exactly:
            most = {None} if told.target is None else known.bounds(told.target, age)
            if not any(_near(told.most, x, known.slack) for x in most):
                yield find("most", told.most, f"{_shown(most)} bit/s")


def _has_moved(told: float | None, now: float | None, slack: float) -> bool:
    """Whether a target has, by so much that it is told: has come, gone, or moved; `slack` is that of both, relative."""
    if told is None or now is None:
        return told is not now
    return abs(now - told) > WORTH_TELLING * told + slack * max(told, now) + math.copysign(REPORT_ROUNDING, slack)


def _near(value: float | None, expected: float | None, share: float, slack: float = 0.0) -> bool:
    if value is None or expected is None:
        return value is expected
    return abs(value - expected) <= share * max(value, expected) + slack + REPORT_ROUNDING


def _within(value: float | None, expected: Sequence[float | None], share: float, *, exactly: bool) -> bool:
    """Whether it is one of these, or else between the first and the last."""
    low, high = expected[0], expected[-1]
    if exactly or value is None or low is None or high is None:
        return any(_near(value, x, share) for x in expected)
    return low <= value <= high * (1.0 + share) + REPORT_ROUNDING


def _told(e: Estimate) -> str:
    return _news(e.state, [e.target])


def _news(state: str | None, targets: Iterable[float | None]) -> str:
    return f"state {show(state)} and target {_shown(targets)} bit/s"


def _shown(values: Iterable[float | None]) -> str:
    return one_of(map(show, values))
