"""Ways to falsify what a trace tells of queues that stand. Each changes the records in place."""

from __future__ import annotations

from tampering_additions import Choice, chosen, follow
from traces import Tamper, acks, epochs
from tracewriter import Json

MARGIN = 1.125
"""What thresholds have of a standing queue."""


def competes(e: Json, before: Json) -> bool:
    """An epoch with samples while a queue stands."""
    return bool(e["standing"] and e["delta"] is not None and before["outcome"] is None)


def grows(e: Json, before: Json) -> bool:
    return competes(e, before) and bool(e["alpha"])


def has_its_share(e: Json, before: Json) -> bool:
    return competes(e, before) and e["alpha"] == 0.0 and not e["app_limited"]


def loses(e: Json, before: Json) -> bool:
    """Losses that do not count, beside others."""
    return competes(e, before) and e["lost"] > 0 and e["zone"] == 1 and e["beta"] is None


def follows(e: Json, before: Json) -> bool:
    """A standing queue that has become shorter."""
    return bool(competes(e, before) and e["standing"] < before["standing"])


def drained(e: Json, before: Json) -> bool:
    """A standing queue that has gone."""
    return bool(before["standing"] > 0.0 and e["standing"] == 0.0)


def stands(e: Json, _: Json) -> bool:
    return bool(e["outcome"] == "stands")


def stands_known(e: Json, before: Json) -> bool:
    """A queue that stands, where that was so before."""
    return stands(e, before) and bool(e["standing"])


def stands_unknown(e: Json, _: Json) -> bool:
    """Others become known."""
    return bool(e["outcome"] == "stands" and e["standing"] == 0.0)


def is_longer(e: Json, _: Json) -> bool:
    return bool(e["outcome"] == "longer_path")


def attempts(e: Json, before: Json) -> bool:
    """A queue that should drain, and not for the first epoch."""
    return bool(e["share"] and before["share"] and e["delta"] is not None and e["phase"] == "steady")


def follow_queue(e: Json, standing: float) -> None:
    """Another queue in `e`, with the thresholds that belong to it."""
    for name in ("d0", "d1", "d2", "d3"):
        e[name] += MARGIN * (standing - e["standing"])
    e["standing"] = standing


def queue_scaled(choice: Choice, factor: float) -> Tamper:
    def tamper(some: list[Json]) -> None:
        e, _ = chosen(some, choice)
        follow_queue(e, factor * e["standing"])

    return tamper


def queue_as_before(choice: Choice) -> Tamper:
    """A standing queue that does not change with what the epoch before has shown."""

    def tamper(some: list[Json]) -> None:
        e, before = chosen(some, choice)
        follow_queue(e, before["standing"])

    return tamper


def denied(choice: Choice) -> Tamper:
    """An attempt that goes on, with the rate that it has."""

    def tamper(some: list[Json]) -> None:
        e, before = chosen(some, choice)
        e.update(outcome=None, share=before["share"])
        follow(some, e, e["rate_before"])

    return tamper


def found_early(some: list[Json]) -> None:
    e, before = chosen(some, attempts)
    e.update(outcome="stands", share=None)
    follow(some, e, max(e["rate_after"], 0.99 * before["share"]))


def named_otherwise(choice: Choice, outcome: str | None) -> Tamper:
    def tamper(some: list[Json]) -> None:
        chosen(some, choice)[0]["outcome"] = outcome

    return tamper


def back_to_more(choice: Choice) -> Tamper:
    def tamper(some: list[Json]) -> None:
        e, _ = chosen(some, choice)
        follow(some, e, 1.01 * e["rate_after"])

    return tamper


def first_flight_at_its_rate(some: list[Json]) -> None:
    """The initial window takes all of L."""
    first = next(a for a in acks(some) if a["data"]["frames"][0]["acked_ranges"])
    before = (r["data"] for r in some[: some.index(first)] if r.get("name") == "quic:recovery_metrics_updated")
    for data in before:
        if "pacing_rate" in data:
            data["pacing_rate"] //= 2


def larger_increase(some: list[Json]) -> None:
    e, _ = chosen(some, grows)
    e["alpha"] *= 1.05
    follow(some, e, e["rate_before"] + e["alpha"])


def increase_beyond_its_share(some: list[Json]) -> None:
    e, _ = chosen(some, has_its_share)
    e["alpha"] = 0.03 * e["rate_before"]
    follow(some, e, e["rate_before"] + e["alpha"])


def loss_answered(some: list[Json]) -> None:
    e, _ = chosen(some, loses)
    e.update(zone=3, alpha=None, beta=0.5, share=e["rate_before"])
    follow(some, e, 0.5 * e["rate_before"])


def round_trip_as_before(some: list[Json]) -> None:
    """The path has become longer, but L stays."""
    e, before = chosen(some, is_longer)
    e["length"] = before["length"]


def delays_as_before(some: list[Json]) -> None:
    """What was a queue before the path became longer still is one."""
    e, _ = chosen(some, is_longer)
    later = next(x for x in epochs(some)[e["epoch"] + 1 :] if x["delta"] is not None)
    later["delta"] += e["delta"]
