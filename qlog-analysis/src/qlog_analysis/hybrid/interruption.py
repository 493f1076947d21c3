"""Interrupted paths, after which start-up begins again: "Interruption" in docs/papers/hybrid-judging.md."""

from __future__ import annotations

from .beyond import LEAST_LOSSES
from .dips import STALLS
from .parameters import Parameters

GAPS = 2.0
"""In G: what comes back may be late by so much."""


def usual(back: float, ack_gap: float, max_ack_delay: float) -> float:
    """How long it takes at most until an ACK comes, s; `back` is that by `Dips.usual`."""
    return back + GAPS * ack_gap + max_ack_delay


def is_interrupted(duration: float, its_usual: float, lost: int, acked: int, p: Parameters) -> bool:
    """Whether nothing came back for much longer than as a rule, and then much of what was in flight was lost: `lost`
    are all packets, whether they count or not. Of an epoch that the application has not limited."""
    if duration <= STALLS * its_usual:
        return False
    return lost >= LEAST_LOSSES and lost > p.most_loss * (lost + acked)
