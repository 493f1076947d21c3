"""Ways to falsify what goes beyond the paper in a trace of `traces.DEFAULT`. Each changes the records in place."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from traces import Tamper, acks, epochs, named
from tracewriter import Json

Choice = Callable[[Json, Json], bool]
"""Chooses an epoch by itself and the one before it."""

LEAST_FULL = 0.25
"""Least d_full, in d1."""


def raises(e: Json, before: Json) -> bool:
    """An increase that has grown."""
    return bool(e["alpha"] and before["alpha"] and not e["app_limited"] and e["since_decrease"] > 2 * e["length"])


def lowers(e: Json, before: Json) -> bool:
    """A decrease where no queue drains, of a flow that sends more than arrives."""
    return (
        before["return_rate"] is None
        and e["beta"] is not None
        and e["state"] != "startup"
        and e["delivery_rate"] < e["rate_before"]
    )


def drains(e: Json, _: Json) -> bool:
    return e["beta"] is None and e["return_rate"] is not None and e["delta"] is not None


def drains_on(e: Json, before: Json) -> bool:
    """The queue of a decrease before that still drains."""
    return drains(e, before) and before["return_rate"] is not None


def has_drained(e: Json, before: Json) -> bool:
    return before["return_rate"] is not None and e["return_rate"] is None and e["rate_after"] > e["rate_before"]


def learns(e: Json, before: Json) -> bool:
    return (
        before["state"] == "startup" and before["return_rate"] is not None and e["return_rate"] != before["return_rate"]
    )


def starts(e: Json, _: Json) -> bool:
    """An epoch of start-up that does not end it, and not the first."""
    return e["state"] == "startup" and e["beta"] is None and e["epoch"] > 0


def ends_startup(e: Json, _: Json) -> bool:
    return e["state"] == "startup" and e["beta"] is not None


def remembers(e: Json, _: Json) -> bool:
    """An epoch whose d_full the longest queue decides."""
    return bool(LEAST_FULL * e["d1"] < 0.99 * e["full"] < 0.95 * e["d1"])


def is_noisy(e: Json, before: Json) -> bool:
    """An increase where there is jitter."""
    return raises(e, before) and e["jitter"] > 0.1


def waits_for_acks(e: Json, before: Json) -> bool:
    """An increase where ACKs have been apart."""
    return raises(e, before) and e["ack_gap"] > 0.05


def loses_elsewhere(e: Json, _: Json) -> bool:
    """Losses without a queue."""
    return bool(e["lost"] and e["background_loss"] > 0.001 and e["zone"] == 1 and e["state"] != "startup")


def ignores_losses(e: Json, before: Json) -> bool:
    """A decrease for another reason than its losses, from what must have reached the slowest link."""
    return lowers(e, before) and bool(e["background_loss"] > 0.001) and e["delivery_rate"] < 0.98 * e["return_rate"]


def shows_a_decrease(e: Json, _: Json) -> bool:
    """The end of the wait after a decrease."""
    return e["delta"] is None and e["duration"] < 0.9 * e["length"] and e["acked"] > 0


def lowers_its_share(e: Json, before: Json) -> bool:
    """An epoch without samples that does."""
    return bool(e["delta"] is None and before["return_rate"] and e["return_rate"] < 0.999 * before["return_rate"])


def has_excessive_loss(e: Json, _: Json) -> bool:
    return bool(e["excessive_loss"])


def loses_in_a_short_queue(e: Json, _: Json) -> bool:
    return bool(e["zone"] == 3 and e["lost"] and not e["excessive_loss"] and e["full"] < e["delta"] < e["d1"])


def chosen(some: list[Json], choice: Choice) -> tuple[Json, Json]:
    """The first such epoch, and the one before it."""
    return next((b, a) for a, b in pairwise(epochs(some)) if choice(b, a))


def where(choice: Choice, **changes: object) -> Tamper:
    def tamper(some: list[Json]) -> None:
        chosen(some, choice)[0].update(changes)

    return tamper


def scaled(choice: Choice, factor: float, *fields: str) -> Tamper:
    def tamper(some: list[Json]) -> None:
        e, _ = chosen(some, choice)
        for field in fields:
            e[field] *= factor

    return tamper


def shifted(choice: Choice, field: str, by: float) -> Tamper:
    def tamper(some: list[Json]) -> None:
        chosen(some, choice)[0][field] += by

    return tamper


def follow(some: list[Json], e: Json, rate_after: float) -> None:
    """The next epochs go on from another rate, as far as the next change."""
    old, e["rate_after"] = e["rate_after"], rate_after
    for later in epochs(some)[e["epoch"] + 1 :]:
        if later["rate_before"] != old:
            break
        later["rate_before"] = rate_after
        if later["rate_after"] != old:
            break
        later["rate_after"] = rate_after


def larger_increase(some: list[Json]) -> None:
    e, _ = chosen(some, raises)
    e["alpha"] *= 1.05
    follow(some, e, e["rate_before"] + e["alpha"])


def time_without_a_decrease_invented(some: list[Json]) -> None:
    """Twice the time, with the increase that belongs to it."""
    e, _ = chosen(some, raises)
    p = named(some, "cc:parameters_set")[0]["data"]["parameters"]
    e["alpha"] *= p["growth"] ** (e["since_decrease"] / max(p["growth_period"], e["length"]))
    e["since_decrease"] *= 2.0
    follow(some, e, e["rate_before"] + e["alpha"])


def decrease_skipped(some: list[Json]) -> None:
    e, _ = chosen(some, lowers)
    e.update(beta=None, return_rate=None)
    follow(some, e, e["rate_before"])


def decrease_gentler(some: list[Json]) -> None:
    e, _ = chosen(some, lowers)
    e["beta"] *= 0.9
    follow(some, e, e["return_rate"] * (1.0 - e["beta"]))


def decrease_from_the_rate(some: list[Json]) -> None:
    """As the paper's: not from what arrived."""
    e, _ = chosen(some, lowers)
    e["return_rate"] = e["rate_before"]
    follow(some, e, e["return_rate"] * (1.0 - e["beta"]))


def decrease_from_an_invented_arrival(some: list[Json]) -> None:
    e, _ = chosen(some, lowers)
    e["delivery_rate"] = e["return_rate"] = 0.5 * (e["delivery_rate"] + e["rate_before"])
    follow(some, e, e["return_rate"] * (1.0 - e["beta"]))


def raised_while_a_queue_drains(some: list[Json]) -> None:
    e, _ = chosen(some, drains)
    e["alpha"] = 1000.0
    follow(some, e, e["rate_before"] + 1000.0)


def returned_before_the_queue_has_drained(some: list[Json]) -> None:
    e, before = chosen(some, drains)
    e["return_rate"] = None
    follow(some, e, 0.98 * before["return_rate"])


def returned_to_the_whole_share(some: list[Json]) -> None:
    e, before = chosen(some, has_drained)
    follow(some, e, before["return_rate"])


def share_not_learnt(some: list[Json]) -> None:
    e, before = chosen(some, learns)
    e["return_rate"] = before["return_rate"]


def jitter_for_good(some: list[Json]) -> None:
    """More jitter from an epoch on, as if that did not depend on the delays."""
    e, _ = chosen(some, is_noisy)
    for later in epochs(some)[e["epoch"] :]:
        later["jitter"] += 0.05


def state_for_good(some: list[Json]) -> None:
    """What the flow does from an epoch on, but for start-up, told as another."""
    e, _ = chosen(some, raises)
    for later in epochs(some)[e["epoch"] :]:
        later["state"] = "draining"


def background_loss_with_a_matching_story(some: list[Json]) -> None:
    """More of it, with the share that belongs to it."""
    e, _ = chosen(some, ignores_losses)
    more = e["background_loss"] + 0.01
    e["return_rate"] = min(e["return_rate"] * (1.0 - e["background_loss"]) / (1.0 - more), e["rate_before"])
    e["background_loss"] = more
    follow(some, e, e["return_rate"] * (1.0 - e["beta"]))


def wait_skipped(some: list[Json]) -> None:
    """The epoch goes on where the first packet came back that was sent after the decrease."""
    e, _ = chosen(some, shows_a_decrease)
    event = next(r for r in named(some, "cc:hybrid_epoch_updated") if r["data"] is e)
    some.remove(event)
    later = epochs(some)[e["epoch"] :]
    later[0]["duration"] += e["duration"]
    later[0]["acked"] += e["acked"]
    for each in later:
        each["epoch"] -= 1


def wait_prolonged(some: list[Json]) -> None:
    _moved(some, shows_a_decrease, to=1)


def wait_cut_short(some: list[Json]) -> None:
    _moved(some, shows_a_decrease, to=-1)


def share_kept(some: list[Json]) -> None:
    e, before = chosen(some, lowers_its_share)
    e["return_rate"] = before["return_rate"]


def startup_prolonged(some: list[Json]) -> None:
    """The epoch that ended it says that it goes on."""
    e, _ = chosen(some, ends_startup)
    e.update(beta=None, return_rate=None)
    follow(some, e, e["rate_before"])


def startup_ended_without_a_reason(some: list[Json]) -> None:
    e, _ = chosen(some, starts)
    share = min(e["delivery_rate"], e["rate_before"])
    e.update(beta=0.02, return_rate=share, rate_after=0.98 * share)


def _moved(some: list[Json], choice: Choice, *, to: int) -> None:
    """The event after another ACK: `to` ACKs later or, below 0, earlier. The numbers are those of that time."""
    event = next(r for r in named(some, "cc:hybrid_epoch_updated") if r["data"] is chosen(some, choice)[0])
    its_acks, later = acks(some[: some.index(event)]), acks(some[some.index(event) :])
    at = later[to - 1] if to > 0 else its_acks[to - 1]
    event["data"]["duration"] += at["time"] - event["time"]
    some.remove(event)
    event["time"] = at["time"]
    some.insert(some.index(at) + 1, event)


def startup_ended_late(some: list[Json]) -> None:
    _moved(some, ends_startup, to=3)


def epoch_of_startup_ended_early(some: list[Json]) -> None:
    _moved(some, starts, to=-3)


def pacing_ahead_of_the_acks(some: list[Json]) -> None:
    """In start-up quiche paces faster than R."""
    e = named(some, "cc:hybrid_epoch_updated")[1]
    before = [r for r in some[: some.index(e)] if "pacing_rate" in r.get("data", {})]
    before[-4]["data"]["pacing_rate"] += 50
