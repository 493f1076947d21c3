"""What happens to a path in the course of a run: schedules of its link's rate and delay, and its outages.

Up to two things happen, one after the other: a link falls and recovers, a handover is an outage behind which the link
is slower or the route longer. What a first event has begun a second may end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, takewhile

from .space import Path

MOST_LONGER = 5.0
"""By the share of an event and the round trip."""


@dataclass(frozen=True)
class Event:
    """Something that happens once, or again and again."""

    kind: str
    share: float
    at_s: float


def events(path: Path) -> list[Event]:
    """In the order of their times."""
    first = path.event_at * path.duration_s
    second = first + path.then_after * (path.duration_s - first)
    found = (Event(path.event, path.event_share, first), Event(path.then, path.then_share, second))
    return [one for one in found if one.kind != "none"]


def rates(path: Path) -> list[tuple[float, float]]:
    """Times and factors of the link's rate, the first at 0."""
    return _schedule(_rate_steps(path), "rises", "falls", 1.0)


def _rate_steps(path: Path) -> Iterator[Event]:
    for one in events(path):
        if one.kind == "swings":
            # The time of the event is that between two changes, by a quarter of the run.
            times = takewhile(lambda time: time < path.duration_s, (step * one.at_s / 4 for step in count(1)))
            yield from (Event(("falls", "rises")[step % 2], one.share, time) for step, time in enumerate(times))
        else:
            yield one


def longer(path: Path) -> list[tuple[float, float]]:
    """Times, and by how much the route is longer, in round trips; the first at 0."""
    steps = _schedule(iter(events(path)), "shorter", "longer", 0.0)
    return [(at, MOST_LONGER * share) for at, share in steps]


def _schedule(steps: Iterator[Event], ends: str, begins: str, plain: float) -> list[tuple[float, float]]:
    """`begins` leads to a share, `ends` back to what is plain. What ends without having begun was so from the start."""
    found = [(0.0, plain)]
    begun = False
    for one in sorted(steps, key=lambda one: one.at_s):
        if one.kind == begins:
            found.append((one.at_s, one.share))
            begun = True
        elif one.kind == ends:
            if not begun:
                found = [(0.0, one.share)]
            found.append((one.at_s, plain))
            begun = True
    return found


def outages(path: Path) -> list[tuple[float, float]]:
    """From when to when, without an overlap."""
    begun = [one.at_s for one in events(path) if one.kind == "outage"]
    if len(begun) == 2 and begun[1] <= begun[0] + path.outage_s + 0.01:
        return [(begun[0], begun[1] + path.outage_s)]
    return [(at, at + path.outage_s) for at in begun]


def as_first(path: Path) -> dict[str, str | float]:
    """The fields of a path whose second event is the first one, of which there is none, with nothing behind it."""
    (only,) = events(path)
    at = float(f"{only.at_s / path.duration_s:.3g}")
    return {"event": only.kind, "event_share": only.share, "event_at": at, "then": "none"}
