"""Ways to falsify a trace. Each changes the records in place; SOME is an epoch in the middle of the trace."""

from __future__ import annotations

from typing import Any

from traces import Tamper, acks, epochs, named
from tracewriter import Json

SOME = 50


def in_epoch(**changes: Any) -> Tamper:
    """Other values in one epoch in zone 1 that the application did not limit."""

    def tamper(some: list[Json]) -> None:
        _one(some).update(changes)

    return tamper


def scaled(field: str, factor: float) -> Tamper:
    def tamper(some: list[Json]) -> None:
        _one(some)[field] *= factor

    return tamper


def shifted(field: str, by: float) -> Tamper:
    def tamper(some: list[Json]) -> None:
        _one(some)[field] += by

    return tamper


def _one(some: list[Json]) -> Json:
    return next(
        e for e in epochs(some)[SOME:] if e["zone"] == 1 and e["alpha"] and not e["app_limited"] and e["delta"] > 0.001
    )


def _decrease(some: list[Json]) -> Json:
    return next(e for e in epochs(some) if e["zone"] in (2, 3))


def zone_with_a_matching_story(some: list[Json]) -> None:
    """Zone 2 with the beta and the rate that belong to it, and all that follows recomputed."""
    e = _one(some)
    p = named(some, "cc:parameters_set")[0]["data"]["parameters"]
    e.update(zone=2, alpha=None, beta=(p["bmin"] + p["bmid"]) / 2, delta=(p["d1"] + p["d2"]) / 2)
    e["rate_after"] = e["rate_before"] * (1.0 - e["beta"])
    follow(some)


def delta_with_a_matching_story(some: list[Json]) -> None:
    """Less delay than there was, with everything that follows from it."""
    e = _one(some)
    e["delta"] = 0.0
    e["alpha"] = named(some, "cc:parameters_set")[0]["data"]["parameters"]["amax"]
    e["rate_after"] = e["rate_before"] + e["alpha"]
    follow(some)


def follow(some: list[Json]) -> None:
    """The chain of rates recomputed from the increases and decreases reported."""
    rate = None
    for e in epochs(some):
        if rate is not None and rate != e["rate_before"]:
            change = e["rate_after"] / e["rate_before"]
            e["rate_before"] = rate
            e["rate_after"] = rate + e["alpha"] if e["alpha"] is not None else rate * change
        rate = e["rate_after"]


def skipped_update(some: list[Json]) -> None:
    """The zone is right, but R stays: the epoch's and all later rates."""
    e = _decrease(some)
    e["rate_after"] = e["rate_before"]
    follow(some)


def gentle_decrease(some: list[Json]) -> None:
    e = _decrease(some)
    e["beta"] = round(e["beta"] - 0.02, 6)
    e["rate_after"] = e["rate_before"] * (1.0 - e["beta"])


def increase_in_spite_of_delay(some: list[Json]) -> None:
    e = _decrease(some)
    e.update(zone=1, alpha=1000.0, beta=None, rate_after=e["rate_before"] + 1000.0)


def dropped(some: list[Json]) -> None:
    some.remove(_event(some))


def _event(some: list[Json]) -> Json:
    return named(some, "cc:hybrid_epoch_updated")[SOME]


def dropped_and_renumbered(some: list[Json]) -> None:
    dropped(some)
    for i, e in enumerate(epochs(some)):
        e["epoch"] = i


def dropped_without_a_seam(some: list[Json]) -> None:
    """One epoch less, the next one as long as both, the numbers and rates mended."""
    gone = _event(some)
    some.remove(gone)
    e = named(some, "cc:hybrid_epoch_updated")[SOME]["data"]
    e["duration"] += gone["data"]["duration"]
    for i, each in enumerate(epochs(some)):
        each["epoch"] = i
    follow(some)


def last_epochs_dropped(some: list[Json]) -> None:
    for r in named(some, "cc:hybrid_epoch_updated")[-8:]:
        some.remove(r)


def all_but_the_first_epochs_dropped(some: list[Json]) -> None:
    for r in named(some, "cc:hybrid_epoch_updated")[30:]:
        some.remove(r)


def repeated(some: list[Json]) -> None:
    r = _event(some)
    some.insert(some.index(r), {**r, "data": dict(r["data"])})


def two_epochs_swapped(some: list[Json]) -> None:
    a, b = named(some, "cc:hybrid_epoch_updated")[SOME : SOME + 2]
    a["data"], b["data"] = b["data"], a["data"]


def moved_to_a_later_feedback(some: list[Json]) -> None:
    r = _event(some)
    later = next(a for a in acks(some) if a["time"] > r["time"])
    some.remove(r)
    some.insert(some.index(later) + 1, {**r, "time": later["time"]})


def moved_between_feedback(some: list[Json]) -> None:
    r = _event(some)
    some[some.index(r)] = {**r, "time": r["time"] + 0.05}


def _ack_in(some: list[Json], epoch: int = SOME) -> Json:
    """An ACK that measures a round trip, in the middle of an epoch."""
    end = named(some, "cc:hybrid_epoch_updated")[epoch]["time"]
    return [a for a in acks(some) if a["time"] < end][-4]


def ack_removed(some: list[Json]) -> None:
    some.remove(_ack_in(some))


def ack_delay_changed(some: list[Json]) -> None:
    for a in acks(some):  # of one that met no queue the delay does not count
        a["data"]["frames"][0]["ack_delay"] += 0.5  # 4 ms with an exponent of 3


def ack_earlier(some: list[Json]) -> None:
    a = _ack_in(some)
    before = some[some.index(a) - 1]
    a["time"] = round((a["time"] + before["time"]) / 2, 3)


def ack_of_less(some: list[Json]) -> None:
    last = _ack_in(some)["data"]["frames"][0]["acked_ranges"][-1]
    last[-1] -= 1


def packet_sent_earlier(some: list[Json]) -> None:
    """By half of the longest time in which nothing else was written."""
    before = {id(r): some[some.index(r) - 1]["time"] for r in named(some, "quic:packet_sent")[400:500]}
    r = max(named(some, "quic:packet_sent")[400:500], key=lambda r: r["time"] - before[id(r)])
    r["time"] = round((r["time"] + before[id(r)]) / 2, 3)


def packet_smaller(some: list[Json]) -> None:
    named(some, "quic:packet_sent")[400]["data"]["raw"]["length"] -= 600


def packet_removed(some: list[Json]) -> None:
    some.remove(named(some, "quic:packet_sent")[400])


def parameter(name: str, value: Any) -> Tamper:
    def tamper(some: list[Json]) -> None:
        named(some, "cc:parameters_set")[0]["data"]["parameters"][name] = value

    return tamper


def parameter_with_its_option(name: str, value: Any, option: str) -> Tamper:
    """The option string tells the same false story."""

    def tamper(some: list[Json]) -> None:
        data = named(some, "cc:parameters_set")[0]["data"]
        data["parameters"][name] = value
        controller, _, options = data["spec"].partition(":")
        others = [o for o in options.split(",") if o and not o.startswith(f"{name}=")]
        data["spec"] = f"{controller}:{','.join([*others, option])}"

    return tamper


def left_out(text: str) -> Tamper:
    """The parameter `without` with its option."""
    return parameter_with_its_option("without", text, f"without={text}")


def option_string(spec: str) -> Tamper:
    def tamper(some: list[Json]) -> None:
        named(some, "cc:parameters_set")[0]["data"]["spec"] = spec

    return tamper


def full_size_changed(some: list[Json]) -> None:
    named(some, "cc:parameters_set")[0]["data"]["max_datagram_size"] = 1350


def another_initial_window(some: list[Json]) -> None:
    named(some, "cc:parameters_set")[0]["data"]["initial_window"] += 1


def parameters_changed_on_the_way(some: list[Json]) -> None:
    first = named(some, "cc:parameters_set")[0]
    second = {**first, "data": {**first["data"], "parameters": {**first["data"]["parameters"], "initial_rate": 2e6}}}
    r = _event(some)
    some.insert(some.index(r), {**second, "time": r["time"]})


def in_metrics(field: str, by: int) -> Tamper:
    """quiche's own event tells something else."""

    def tamper(some: list[Json]) -> None:
        middle = len(some) // 2
        r = next(r for r in some[middle:] if r.get("name") == "quic:recovery_metrics_updated" and field in r["data"])
        r["data"][field] += by

    return tamper


def false_state(some: list[Json]) -> None:
    named(some, "quic:congestion_state_updated")[-1]["data"]["new"] = "steady"


def state_missing(some: list[Json]) -> None:
    some.remove(named(some, "quic:congestion_state_updated")[-2])


def state_out_of_thin_air(some: list[Json]) -> None:
    a = _ack_in(some)
    extra = {"time": a["time"], "name": "quic:congestion_state_updated", "data": {"new": "recovery"}}
    some.insert(some.index(a), extra)


def losses_invented(some: list[Json]) -> None:
    a = _ack_in(some)
    data = {"cf_lost_packets": {"total": 99, "delta": 99}}
    extra = {"time": a["time"], "name": "quic:recovery_metrics_updated", "data": data}
    some.insert(some.index(a) + 1, extra)


def losses_hidden(some: list[Json]) -> None:
    """The counter never rises."""
    for r in named(some, "quic:recovery_metrics_updated"):
        if r["data"].get("cf_lost_packets", {}).get("total", 0) > 0:
            del r["data"]["cf_lost_packets"]
