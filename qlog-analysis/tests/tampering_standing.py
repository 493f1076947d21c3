"""Ways to falsify what a trace tells of queues that stand. Each changes the records in place."""

from __future__ import annotations

from tampering_additions import Choice, chosen, follow
from traces import Tamper, acks, epochs
from tracewriter import Json


def holds(e: Json, before: Json) -> bool:
    """An epoch with samples that goes on holding a share beside others."""
    held = e["competing_queue"] and e["delta"] is not None and e["held_rate"] == before["held_rate"]
    return bool(held and e["rate_after"] == e["held_rate"] and before["outcome"] is None)


def loses(e: Json, before: Json) -> bool:
    """Losses that do not count, beside others."""
    return holds(e, before) and e["lost"] > 0 and e["beta"] is None


def probes(e: Json, before: Json) -> bool:
    """A probe begins."""
    found = before["outcome"] is not None or e["outcome"] is not None
    return bool(e["held_rate"] and not found and e["beta"] == 0.5 and not e["excessive_loss"])


def is_probed(e: Json, _: Json) -> bool:
    """A probe is under way."""
    return bool(e["state"] == "probing")


def is_gone(e: Json, before: Json) -> bool:
    """The queue of others has gone, and they are still remembered."""
    return bool(before["competing_queue"] and e["competing_queue"] == 0.0 and e["held_rate"])


def is_contended(e: Json, _: Json) -> bool:
    return bool(e["outcome"] == "contended")


def is_longer(e: Json, _: Json) -> bool:
    return bool(e["outcome"] == "longer_path")


def is_slower(e: Json, _: Json) -> bool:
    return bool(e["outcome"] == "slower_link")


def grows(e: Json, _: Json) -> bool:
    return bool(e["alpha"] and e["state"] != "startup" and not e["held_rate"])


def attempts(e: Json, before: Json) -> bool:
    """A queue that should drain, and not for the first epoch."""
    return bool(e["return_rate"] and before["return_rate"] and e["delta"] is not None and e["state"] != "startup")


def denied(choice: Choice) -> Tamper:
    """An attempt that goes on, with the rate that it has."""

    def tamper(some: list[Json]) -> None:
        e, before = chosen(some, choice)
        e.update(outcome=None, return_rate=before["return_rate"], held_rate=None)
        follow(some, e, e["rate_before"])

    return tamper


def found_early(some: list[Json]) -> None:
    e, before = chosen(some, attempts)
    held = 0.54 * max(e["rate_before"], before["return_rate"])
    e.update(outcome="contended", return_rate=None, held_rate=held)
    follow(some, e, held)


def named_otherwise(choice: Choice, outcome: str | None) -> Tamper:
    def tamper(some: list[Json]) -> None:
        chosen(some, choice)[0]["outcome"] = outcome

    return tamper


def back_to_more(choice: Choice) -> Tamper:
    def tamper(some: list[Json]) -> None:
        e, _ = chosen(some, choice)
        follow(some, e, 1.01 * e["rate_after"])

    return tamper


def held_scaled(choice: Choice, factor: float) -> Tamper:
    """More or less is held, and sent."""

    def tamper(some: list[Json]) -> None:
        e, _ = chosen(some, choice)
        e["held_rate"] *= factor
        follow(some, e, factor * e["rate_after"])

    return tamper


def probe_left_out(some: list[Json]) -> None:
    e, _ = chosen(some, probes)
    e["beta"] = None
    follow(some, e, e["held_rate"])


def probed_early(some: list[Json]) -> None:
    e, _ = chosen(some, holds)
    e["beta"] = 0.5
    follow(some, e, 0.5 * e["held_rate"])


def first_flight_at_its_rate(some: list[Json]) -> None:
    """The initial window takes all of L."""
    first = next(a for a in acks(some) if a["data"]["frames"][0]["acked_ranges"])
    before = (r["data"] for r in some[: some.index(first)] if r.get("name") == "quic:recovery_metrics_updated")
    for data in before:
        if "pacing_rate" in data:
            data["pacing_rate"] //= 2


def given_way(some: list[Json]) -> None:
    """The queue of others is answered as one of this flow."""
    e, _ = chosen(some, holds)
    e.update(beta=0.1, return_rate=e["rate_before"])
    follow(some, e, 0.9 * e["rate_before"])


def loss_answered(some: list[Json]) -> None:
    e, _ = chosen(some, loses)
    e.update(beta=0.5, return_rate=e["rate_before"])
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


def slower_link_denied(some: list[Json]) -> None:
    """The share is held on."""
    e, before = chosen(some, is_slower)
    e.update(outcome=None, beta=None, return_rate=None, held_rate=before["held_rate"])
    follow(some, e, e["rate_before"])


def slower_link_early(some: list[Json]) -> None:
    e, _ = chosen(some, holds)
    e.update(outcome="slower_link", beta=0.5, return_rate=e["rate_before"], held_rate=None)
    follow(some, e, 0.5 * e["rate_before"])
