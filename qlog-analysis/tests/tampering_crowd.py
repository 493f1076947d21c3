"""Ways to falsify what a trace tells of start-up that goes on, and of flows that hold a share. Each changes the records
in place."""

from __future__ import annotations

from itertools import pairwise, takewhile

from tampering_additions import chosen, follow
from traces import epochs
from tracewriter import Json


def is_early(e: Json, _: Json) -> bool:
    return bool(e["outcome"] == "early_end")


def goes_on(_: Json, before: Json) -> bool:
    """The first epoch after that."""
    return bool(before["outcome"] == "early_end")


def ended_in_time(e: Json, before: Json) -> bool:
    """The queue of start-up drains, for more was sent at its end than arrives."""
    drains = e["state"] == "draining" and e["epoch"] < 10 and e["outcome"] is None
    return bool(drains and before["delta"] is None and e["delta"] is not None and e["return_rate"])


def is_overloaded(e: Json, before: Json) -> bool:
    """Losses show that others hold as well."""
    return bool(
        e["beta"] == 0.5 and e["held_rate"] and before["held_rate"] and e["held_rate"] < 0.6 * before["held_rate"]
    )


def is_little_queue(e: Json, _: Json) -> bool:
    """A flow that was free does not hold, although there is a queue, and less than it held is left of it."""
    free = e["held_rate"] and e["state"] in ("growing", "draining") and e["delta"] is not None
    return bool(free and e["delta"] > e["d1"] / 2.0 and e["rate_after"] < e["held_rate"])


def early_end_denied(some: list[Json]) -> None:
    """The queue drains on."""
    e, _ = chosen(some, is_early)
    e.update(outcome=None, return_rate=e["rate_after"])
    follow(some, e, e["rate_before"])


def early_end_invented(some: list[Json]) -> None:
    e, _ = chosen(some, ended_in_time)
    share, e["return_rate"] = e["return_rate"], None
    e.update(outcome="early_end", alpha=None, beta=None)
    follow(some, e, share)


def early_end_with_a_decrease(some: list[Json]) -> None:
    e, _ = chosen(some, is_early)
    e["beta"] = 0.01
    follow(some, e, 0.99 * e["rate_after"])


def probe_of_two(some: list[Json]) -> None:
    """It ends after two round trips instead of three."""
    begins = next(b for b, e in pairwise(epochs(some)) if e["state"] == "probing" and b["state"] == "holding")
    least, lasted = 2.0 * (begins["length"] + begins["delta"]), 0.0
    for e in takewhile(lambda x: x["state"] == "probing", epochs(some)[begins["epoch"] + 1 :]):
        lasted += e["duration"]
        if lasted >= least and e["delta"] is not None:
            follow(some, e, e["held_rate"])
            return
    raise AssertionError("no probe of more than two round trips")


def held_again_early(some: list[Json]) -> None:
    """As soon as the queue is longer than half of d1."""
    e, _ = chosen(some, is_little_queue)
    e.update(alpha=None, beta=None, return_rate=None)
    follow(some, e, e["held_rate"])


def overload_denied(some: list[Json]) -> None:
    e, before = chosen(some, is_overloaded)
    e.update(beta=None, held_rate=before["held_rate"])
    follow(some, e, before["held_rate"])


def overload_answered_as_excessive_losses(some: list[Json]) -> None:
    e, before = chosen(some, is_overloaded)
    e.update(beta=0.3, held_rate=0.7 * before["held_rate"])
    follow(some, e, e["held_rate"])


def overload_taken_for_a_probe(some: list[Json]) -> None:
    """Half is sent for a while, and what is held stays."""
    e, before = chosen(some, is_overloaded)
    e["held_rate"] = before["held_rate"]


def overload_early(some: list[Json]) -> None:
    """An epoch before the period is over."""
    overloaded, _ = chosen(some, is_overloaded)
    before = epochs(some)[: overloaded["epoch"]]
    earlier = [x for x in before if x["state"] == "holding" and x["delta"] is not None]
    e = earlier[-2]
    e.update(beta=0.5, held_rate=0.5 * e["held_rate"])
    follow(some, e, e["held_rate"])


def back_to_the_old_share(some: list[Json]) -> None:
    """What is held grows back as after excessive losses."""
    overloaded, _ = chosen(some, is_overloaded)
    later = epochs(some)[overloaded["epoch"] + 1 :]
    e = next(x for x in later if x["delta"] is not None and x["state"] == "holding" and x["beta"] is None)
    e["held_rate"] += 8.0 * 1250.0 / (e["length"] + e["delta"]) * 1e3
    follow(some, e, e["held_rate"])
