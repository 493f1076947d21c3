"""Ways to falsify what a trace tells of a path that varies. Each changes the records in place."""

from __future__ import annotations

from itertools import pairwise

from tampering_additions import Choice, follow
from traces import epochs, named
from tracewriter import Json

EPOCHS = 8


def stalled(e: Json, _: Json) -> bool:
    return bool(e["stalled"]) and e["state"] != "startup"


def moves(e: Json, _: Json) -> bool:
    """An epoch like any other."""
    return not e["stalled"] and e["state"] != "startup" and e["delivery_rate"] > 0.0


def varies(e: Json, _: Json) -> bool:
    return bool(e["variability"])


def head_start(e: Json, before: Json) -> bool:
    """An increase that has been given a head start by the decrease before."""
    return bool(before["alpha"] is None and e["alpha"] and e["since_decrease"] and e["variability"])


def stall_denied(some: list[Json]) -> None:
    """With the A that it would have."""
    e = next(e for e, before in ((b, a) for a, b in pairwise(epochs(some))) if stalled(e, before))
    e["delivery_rate"] *= usual(e, epochs(some)) / e["duration"]
    e["stalled"] = False


def usual(e: Json, some: list[Json]) -> float:
    """ms"""
    delays = [x["delta"] for x in some[: e["epoch"]] if x["delta"] is not None]
    queue = delays[-1] if delays else 0.0
    return float(max(e["length"] + queue, 4 * 1250 * 8e3 / e["rate_before"], e["ack_gap"]))


def at_a_dip(some: list[Json]) -> Json:
    """A decrease from more than what arrived."""
    all_epochs = epochs(some)
    for before, e in pairwise(all_epochs):
        if e["beta"] is None or before["return_rate"] is not None or e["state"] == "startup" or not e["return_rate"]:
            continue
        most = max(x["delivery_rate"] for x in all_epochs[max(e["epoch"] - EPOCHS + 1, 0) : e["epoch"] + 1])
        if e["delivery_rate"] < 0.6 * most and e["return_rate"] > 1.1 * e["delivery_rate"]:
            return e
    raise LookupError("no decrease at a dip")


def dip_believed(some: list[Json]) -> None:
    """A decrease from what arrived in the bad moment."""
    e = at_a_dip(some)
    e["return_rate"] = e["delivery_rate"]
    follow(some, e, e["delivery_rate"] * (1.0 - e["beta"]))


def dip_not_counted(some: list[Json]) -> None:
    e = at_a_dip(some)
    later = epochs(some)[e["epoch"] + 1]
    later["variability"] = e["variability"] * 7.0 / 8.0


def head_start_denied(some: list[Json]) -> None:
    e, _ = next((b, a) for a, b in pairwise(epochs(some)) if head_start(b, a))
    p = named(some, "cc:parameters_set")[0]["data"]["parameters"]
    e["alpha"] /= p["growth"] ** (e["since_decrease"] / max(p["growth_period"], e["length"]))
    e["since_decrease"] = 0.0
    follow(some, e, e["rate_before"] + e["alpha"])


CHOICES: tuple[Choice, ...] = (stalled, moves, varies, head_start)
