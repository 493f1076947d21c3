"""Whether start-up has ended too early, and goes on: "Start-up" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

from collections.abc import Iterator

from ..zones.rate import clamp_rate
from .constants import ALONE_SHARE
from .course import Course
from .parameters import Parameters

MORE = 1.25
"""Times what arrived when start-up last went on: from so much on it goes on again."""
RATE_SLACK = 1e-6
"""Relative. Rounding of rates in the report."""


def is_early(
    course: Course, packet_bytes: int, transmission: float, p: Parameters, *, losing: bool, slack: float = 0.0
) -> bool:
    """Whether nearly all arrived that was sent at the end of start-up: a flow that is alone has grown well beyond what
    the path carries by then. `course` has learnt what arrived in the epoch, `transmission` is T, s, 0 while unknown or
    not dispersed; `losing` says whether losses are congestion, or may be without samples. `slack`, relative, is that of
    the rates, in favour of going on."""
    if course.return_rate is None or course.startup_rate is None or losing:
        return False
    arrived = course.return_rate * (1.0 + slack)
    nearly_all = arrived * (1.0 + (p.startup_gain - 1.0) / 2.0) >= course.startup_rate
    more = arrived >= MORE * course.resumed_at
    alone = course.return_rate * (1.0 - slack) * transmission >= ALONE_SHARE * 8.0 * packet_bytes
    return nearly_all and more and not (transmission > 0.0 and alone)


def readings(
    course: Course, packet_bytes: int, transmission: float, p: Parameters, *, losing: bool, slack: float
) -> Iterator[bool]:
    """The same, several where `slack` of the times, s, leaves it open; the one without it comes first."""
    signs = (0.0, -RATE_SLACK, RATE_SLACK) if slack else (0.0,)
    found = (is_early(course, packet_bytes, transmission, p, losing=losing, slack=sign) for sign in signs)
    yield from dict.fromkeys(found)


def resumed(course: Course, packet_bytes: int, length: float) -> tuple[float, Course]:
    """R of the start-up that goes on from what arrives, bit/s, and what it leaves."""
    arrived = course.return_rate or 0.0
    return clamp_rate(arrived, packet_bytes, length), Course(dips=course.dips, resumed_at=arrived)
