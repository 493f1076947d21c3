"""What a flow is doing: `state` of an epoch, and of `quic:congestion_state_updated`, in docs/qlog.md."""

from __future__ import annotations

from enum import Enum

from .course import Course
from .standing import Standing


class State(str, Enum):
    """The values are those in traces."""

    STARTUP = "startup"
    GROWING = "growing"
    DRAINING = "draining"
    HOLDING = "holding"
    PROBING = "probing"


def state_of(course: Course, standing: Standing, *, startup: bool) -> State:
    """What epochs leave to the next one."""
    if startup:
        return State.STARTUP
    others = standing.others
    if others is not None and others.probe is not None:
        return State.PROBING
    if standing.holds:
        return State.HOLDING
    return State.GROWING if course.return_rate is None else State.DRAINING
