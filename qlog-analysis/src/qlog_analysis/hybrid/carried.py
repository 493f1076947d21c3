"""C, the rate that the path has been found to carry: losses of a higher one are not those of the path itself."""

from __future__ import annotations

from .state import State


def carried_after(before: float, state: str, outcome: str | None, rate: float, return_rate: float | None) -> float:
    """C after an epoch in which the flow did what `state` says, bit/s; `before` is C in it. `rate` is R after it, and
    `return_rate` S then, if a queue drains."""
    if return_rate is not None:
        return return_rate
    if state in (State.GROWING, State.DRAINING) and outcome is None:
        return before
    return rate
