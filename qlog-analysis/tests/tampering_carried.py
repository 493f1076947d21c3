"""Ways to falsify what a trace tells of a rate that the path has not been found to carry, and of its losses. Each
changes the records in place."""

from __future__ import annotations

from tampering_additions import chosen, follow
from tracewriter import Json

WEIGHT = 1.0 / 8.0
"""Of an epoch, in B."""


def is_beyond(e: Json, _: Json) -> bool:
    return bool(e["rate_before"] > e["carried_rate"] and e["state"] != "startup")


def would_teach(e: Json, before: Json) -> bool:
    """Losses in hardly a queue, of such a rate."""
    return bool(is_beyond(e, before) and e["lost"] and e["delta"] is not None and 2.5 * e["delta"] < e["d1"])


def loses_more_than_usual(e: Json, before: Json) -> bool:
    """What would have been an increase, after one."""
    return bool(e["alpha"] == 0.0 and e["rate_tried"] and e["lost"] and before["alpha"])


def loses_beyond(e: Json, before: Json) -> bool:
    """Losses that are excessive for such a rate alone."""
    few = e["lost"] < 0.1 * (e["lost"] + e["acked"])
    return bool(is_beyond(e, before) and e["excessive_loss"] and few and e["delta"] < 0.9 * e["full"])


def taught_by_losses_beyond(some: list[Json]) -> None:
    e, before = chosen(some, would_teach)
    packets = e["lost"] + e["acked"]
    share = before["background_loss"]
    e["background_loss"] = share + WEIGHT * (e["lost"] / packets - share)
    e["background_lost"] = before["background_lost"] + e["lost"]
    e["background_packets"] = before["background_packets"] + packets


def increased_with_unusual_losses(some: list[Json]) -> None:
    e, before = chosen(some, loses_more_than_usual)
    e["alpha"] = before["alpha"]
    follow(some, e, e["rate_before"] + e["alpha"])


def losses_beyond_ignored(some: list[Json]) -> None:
    e, _ = chosen(some, loses_beyond)
    e.update(excessive_loss=False, zone=1, alpha=0.0, beta=None, return_rate=None)
    follow(some, e, e["rate_before"])
