"""Ways to falsify what a trace tells of a path that varies. Each changes the records in place."""

from __future__ import annotations

from itertools import pairwise

from tampering_additions import Choice, follow
from traces import epochs, named
from tracewriter import Json

EPOCHS = 8


def stalled(e: Json, _: Json) -> bool:
    return bool(e["stalled"]) and e["phase"] == "steady"


def moves(e: Json, _: Json) -> bool:
    """An epoch like any other."""
    return not e["stalled"] and e["phase"] == "steady" and e["arrived"] > 0.0


def varies(e: Json, _: Json) -> bool:
    return bool(e["varies"])


def head_start(e: Json, before: Json) -> bool:
    """An increase that has been given a head start by the decrease before."""
    return bool(before["alpha"] is None and e["alpha"] and e["undisturbed"] and e["varies"])


def stall_denied(some: list[Json]) -> None:
    """With the A that it would have."""
    e = next(e for e, before in ((b, a) for a, b in pairwise(epochs(some))) if stalled(e, before))
    e["arrived"] *= usual(e, epochs(some)) / e["duration"]
    e["stalled"] = False


def usual(e: Json, some: list[Json]) -> float:
    """ms"""
    delays = [x["delta"] for x in some[: e["epoch"]] if x["delta"] is not None]
    queue = delays[-1] if delays else 0.0
    return float(max(e["length"] + queue, 4 * 1250 * 8e3 / e["rate_before"]))


def at_a_dip(some: list[Json]) -> Json:
    """A decrease from more than what arrived."""
    all_epochs = epochs(some)
    for before, e in pairwise(all_epochs):
        if e["beta"] is None or before["share"] is not None or e["phase"] == "startup" or not e["share"]:
            continue
        most = max(x["arrived"] for x in all_epochs[max(e["epoch"] - EPOCHS + 1, 0) : e["epoch"] + 1])
        if e["arrived"] < 0.6 * most and e["share"] > 1.1 * e["arrived"]:
            return e
    raise LookupError("no decrease at a dip")


def dip_believed(some: list[Json]) -> None:
    """A decrease from what arrived in the bad moment."""
    e = at_a_dip(some)
    e["share"] = e["arrived"]
    follow(some, e, e["arrived"] * (1.0 - e["beta"]))


def dip_not_counted(some: list[Json]) -> None:
    e = at_a_dip(some)
    later = epochs(some)[e["epoch"] + 1]
    later["varies"] = e["varies"] * 7.0 / 8.0


def head_start_denied(some: list[Json]) -> None:
    e, _ = next((b, a) for a, b in pairwise(epochs(some)) if head_start(b, a))
    p = named(some, "cc:parameters_set")[0]["data"]["parameters"]
    e["alpha"] /= p["grow"] ** (e["undisturbed"] / max(p["period"], e["length"]))
    e["undisturbed"] = 0.0
    follow(some, e, e["rate_before"] + e["alpha"])


CHOICES: tuple[Choice, ...] = (stalled, moves, varies, head_start)
