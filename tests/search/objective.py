"""What the search makes small.

Every term is the logarithm of a ratio to a target of the default profile, so that a miss by a factor counts alike in
all of them; `log1p` where what is better than the target hardly matters any more. `WEIGHTS` is the one place that says
what is worth how much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from .evaluator import Figures

WEIGHTS: Mapping[str, float] = {
    "unused": 2.0,
    "unused_unsteady": 2.0,
    "delay": 1.0,
    "delay_unsteady": 1.0,
    "loss": 1.0,
    "start_loss": 0.5,
    "inequality": 2.0,
    "bias": 2.0,
    "arrival": 2.0,
    "start_up": 0.5,
}

UNUSED = 0.005
"""Share of the path that may stay unused."""
DELAY = 0.25
"""95th percentile of the queueing delay in round trips: a quarter of what a full bandwidth-delay product is."""
CLOCKS_MS = 0.2
"""Delay that nobody notices: what clocks and schedulers of hosts add."""
LOSS = 1e-3
"""Share of packets that the queue may drop, at the start or later."""
INEQUALITY = 0.02
"""One less Jain's index."""
BIAS = 1.0
"""Largest share by smallest, less one, of flows with different round-trip times."""
ARRIVAL_PACKETS = 8.0
"""Packets of each flow in the queue when others come: d3 of flows with equal shares and a d1 of two packets."""
START_UP = 10.0
"""Round trips until 90 % of the path are used."""


def terms(figures: Figures) -> dict[str, float]:
    """The terms of one scenario, before their weights."""
    unused = math.log1p((1.0 - figures.utilisation) / UNUSED)
    delay = (figures.p95_ms + CLOCKS_MS) / (DELAY * figures.rtt_ms)
    found = {"loss": math.log1p(figures.loss / LOSS), "start_loss": math.log1p(figures.start_loss / LOSS)}
    if figures.kind == "disturbed":
        # Little delay on a path that stays empty is no merit.
        found |= {"unused_unsteady": unused, "delay_unsteady": math.log1p(delay)}
    else:
        found |= {"unused": unused, "delay": math.log(delay)}
    if figures.jain is not None and figures.kind == "equal":
        found["inequality"] = math.log1p((1.0 - figures.jain) / INEQUALITY)
    if figures.bias is not None and figures.kind == "mixed":
        found["bias"] = math.log1p((figures.bias - 1.0) / BIAS)
    if figures.arrival_ms is not None:
        allowed = max(ARRIVAL_PACKETS * figures.flows * figures.packet_ms, 4 * CLOCKS_MS)
        found["arrival"] = math.log1p(figures.arrival_ms / allowed)
    if figures.start_up is not None and figures.kind == "alone":
        found["start_up"] = math.log1p(figures.start_up / START_UP)
    return found


def parts(scenarios: Sequence[Figures]) -> dict[str, float]:
    """Each term's weighted mean over the scenarios that have it."""
    all_terms = [terms(figures) for figures in scenarios]
    return {
        name: weight * fmean(of[name] for of in all_terms if name in of)
        for name, weight in WEIGHTS.items()
        if any(name in of for of in all_terms)
    }


def cost(scenarios: Sequence[Figures]) -> float:
    """The objective; lower is better."""
    return sum(parts(scenarios).values())
