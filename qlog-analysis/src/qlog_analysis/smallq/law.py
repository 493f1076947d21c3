"""The window after a feedback: "The law" and "What the trace must show" in docs/papers/smallq.md. Sizes in bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..newreno import LOSS, PERSISTENT, floor_of

DEFAULT: dict[str, object] = {"ect": "1", "pacing": 1.5, "ssthresh": None}
PROFILES: dict[str, dict[str, object]] = {"default": DEFAULT, "paper": {"pacing": 4.0}}


@dataclass(frozen=True, slots=True)
class Step:
    """One feedback."""

    window: float
    """w before it."""
    threshold: float
    """ssthresh before it, infinite for none."""
    packet: int
    """m."""
    counted: int
    """A."""
    marks: int
    """M."""
    reaction: str | None


def window(s: Step) -> float:
    """w after it."""
    if s.reaction == LOSS:
        return floor_of(s.window / 2.0, s.packet)
    if s.reaction == PERSISTENT:
        return floor_of(0.0, s.packet)
    if s.marks == 0 and s.window < s.threshold:
        return min(s.window + s.counted, s.threshold)
    return floor_of(s.window + s.counted * s.packet / s.window - s.marks * s.packet, s.packet)


def thresholds(s: Step, after: float) -> set[float]:
    """ssthresh after it; whether a collapse was a halving as well is not always known."""
    if s.reaction == LOSS:
        return {after}
    if s.reaction == PERSISTENT:
        return {floor_of(s.window / 2.0, s.packet), s.threshold}
    return {min(s.threshold, after)} if s.marks else {s.threshold}


def infinite_if_null(threshold: float | None) -> float:
    return math.inf if threshold is None else threshold
