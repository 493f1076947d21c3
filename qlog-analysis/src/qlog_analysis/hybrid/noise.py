"""What happens to packets although there is no queue: jitter J and background loss B of docs/papers/hybrid.md."""

from __future__ import annotations

MOST_JITTER = 0.05
"""s. What spreads further counts as this."""
MOST_UNCERTAIN = 0.5
MOST_BACKGROUND = 0.2
"""A larger share of losses is not made up for."""
WEIGHT = 1.0 / 8.0
"""Of an epoch, in J and in B."""
SHORTEST = 1e-6
"""s. An epoch that began with the feedback that ends it lasts as long."""


def next_jitter(jitter: float, mean: float, delta: float) -> float:
    """J after an epoch with samples, s; `mean` is that of its ROWDs."""
    return (1.0 - WEIGHT) * jitter + WEIGHT * min(max(mean - delta, 0.0), MOST_JITTER)


def next_background(background: float, lost: int, acked: int) -> float:
    """B after an epoch without a queue."""
    return background + WEIGHT * (lost / max(lost + acked, 1) - background)


def counting(lost: int, acked: int, background: float, slack: float = 0.0) -> set[bool]:
    """Whether so many losses are more than what is always lost, with B of the epoch before, which may be off by
    `slack`."""
    return {lost > 2.0 * (background + shift) * (lost + acked) for shift in (-slack, slack)} if lost > 0 else {False}


def uncertain(jitter: float, duration: float) -> float:
    """u_J: the share of what arrives in an epoch that jitter may have held back at its end."""
    return min(MOST_UNCERTAIN, 2.0 * jitter / max(duration, SHORTEST))


def made_up(arrived: float, background: float) -> float:
    """With what is lost without a queue, bit/s."""
    return arrived / (1.0 - min(background, MOST_BACKGROUND))


def reached(arrived: float, uncertain_share: float, background: float) -> float:
    """A': the rate that reached the slowest link, bit/s, where no queue was full."""
    return made_up(arrived, background) / (1.0 - uncertain_share)
