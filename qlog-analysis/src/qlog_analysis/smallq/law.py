"""The window after a feedback: "The law" and "What the trace must show" in docs/papers/smallq.md. Sizes in bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..newreno import after_loss, floor_of, thresholds_after_loss

DEFAULT: dict[str, object] = {"ect": "1", "pacing": 1.5, "ssthresh": None}
PROFILES: dict[str, dict[str, object]] = {"default": DEFAULT, "paper": {"pacing": 4.0}}

RANGES: dict[str, tuple[float, float]] = {"pacing": (1.0, 4.0), "ssthresh": (0.0, 1e6)}


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
    if s.reaction is not None:
        return after_loss(s.window, s.packet, s.reaction)
    if s.marks == 0 and s.window < s.threshold:
        return min(s.window + s.counted, s.threshold)
    return floor_of(s.window + s.counted * s.packet / s.window - s.marks * s.packet, s.packet)


def thresholds(s: Step, after: float) -> set[float]:
    """Values that ssthresh may have after it."""
    if s.reaction is not None:
        return thresholds_after_loss(s.window, s.threshold, s.packet, s.reaction)
    return {min(s.threshold, after)} if s.marks else {s.threshold}


def infinite_if_null(threshold: float | None) -> float:
    return math.inf if threshold is None else threshold
