"""What a run does to its flow and to the flows beside it, and how much worse a controller is than the better of two.

Every harm is in octaves, of which one is twice the queue, loss or silence, or half of the share. A run's harms are
counted from what hardly matters to a user, which all have in common. A path's score is the difference to *one* rival:
the one of cubic and bbr2 whose harms on this path add up to less. The lowest queue of the one together with the lowest
loss of the other is what neither reaches, so that it is no measure of either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2

import msgspec

from .scenario import ELASTIC, POLICED
from .space import Path

REFERENCES = ("cubic", "bbr2")
HARMS = ("starvation", "stall", "queue", "loss", "unfairness")
LEAST_SHARE = 0.02
"""Of the link: a share of less matters to nobody."""
LEAST_STALL_S, LEAST_QUEUE_MS, LEAST_LOSS = 0.25, 5.0, 0.002
ENDLESS = 10.0
"""The loss of a run that was cut off, in octaves; all packets are 9."""

Scores = dict[str, float]


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of one run of one controller."""

    capacity_bps: float
    goodput_bps: float
    """Of the flow `main`, as all below but the last."""
    silence_s: float
    """The longest in which its client's application got nothing, in whole intervals."""
    queueing_ms: float
    """Mean."""
    loss: float
    neighbours_bps: float
    """Mean of the neighbours' goodput."""
    cut_off: bool = False
    """The run took more processor time than it may: somebody sends without end. Nothing else is known of it."""


@dataclass(frozen=True)
class Comparison:
    """A controller on a path, beside the rival that does better there."""

    rival: str
    """Empty if every rival was cut off."""
    scores: Scores
    """By harm: octaves more than the rival's."""

    @property
    def together(self) -> float:
        """Of all harms: below zero if the controller makes up for one harm by others."""
        return sum(self.scores.values())


def fair_bps(path: Path, capacity_bps: float) -> float:
    """What one of the flows would get if all got the same; what does not give way has its own."""
    if path.queue == "policer":
        capacity_bps *= POLICED
    if path.neighbours in ELASTIC:
        return capacity_bps / (1 + int(path.count))
    taken = path.neighbour_rate * path.neighbour_for if path.neighbours != "none" else 0.0
    return capacity_bps * max(1.0 - taken, LEAST_SHARE)


def harms(path: Path, of: Figures) -> Scores:
    """Of one run. Nobody has to get, or leave to others, more than is fair."""
    if of.cut_off:
        return dict.fromkeys(HARMS, 0.0) | {"loss": ENDLESS}
    fair = fair_bps(path, of.capacity_bps)
    floor = LEAST_SHARE * of.capacity_bps
    left = of.neighbours_bps if path.neighbours in ELASTIC else fair
    return {
        "starvation": log2((fair + floor) / (min(of.goodput_bps, fair) + floor)),
        "stall": log2(1.0 + of.silence_s / LEAST_STALL_S),
        "queue": log2(1.0 + of.queueing_ms / LEAST_QUEUE_MS),
        "loss": log2(1.0 + of.loss / LEAST_LOSS),
        "unfairness": log2((fair + floor) / (min(left, fair) + floor)),
    }


def compared(path: Path, of: Figures, others: Mapping[str, Figures]) -> Comparison:
    """With the better of the others, which are compared by the sum of their harms."""
    seen = {cc: harms(path, one) for cc, one in others.items() if not one.cut_off}
    if not seen:
        return Comparison("", dict.fromkeys(HARMS, 0.0))
    rival = min(seen, key=lambda cc: sum(seen[cc].values()))
    own = harms(path, of)
    if of.cut_off:
        return Comparison(rival, own)
    return Comparison(rival, {harm: own[harm] - seen[rival][harm] for harm in HARMS})


def worst(found: Scores) -> str:
    return max(HARMS, key=lambda harm: found[harm])
