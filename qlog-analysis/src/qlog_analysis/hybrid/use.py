"""Whether start-up uses R: "Growth" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

from ..check.numbers import RELATIVE, TIME_TOLERANCE
from ..zones.limited import Limited
from .measured import Measured

FAR_BEYOND = 4.0
"""R puts so many times into L what was in flight, and an initial window, where it no longer counts as used."""


def is_far_beyond(m: Measured, limited: Limited) -> bool:
    """Whether R may have been so of its use at a feedback of the epoch, as far as rounding leaves that open."""
    window = m.limits.initial_window * m.max_datagram_size
    return any(
        (1.0 + RELATIVE) * step.rates[1] / 8.0 * (max(step.lengths) + TIME_TOLERANCE)
        >= FAR_BEYOND * limited.most_in_flight(step.feedback) + window
        for step in m.steps
        if step.rates is not None
    )
