"""Ways to falsify the trace of any controller. Each changes the records in place, in the middle of the trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qlog_analysis.events import UPDATES
from traces import Tamper, acks, named
from tracewriter import Json

Choice = Callable[[Json], bool]


def updates(some: list[Json]) -> list[Json]:
    """The updates of the trace's controller, as records."""
    return [r for r in some if r.get("name") in UPDATES]


def chosen(some: list[Json], choice: Choice) -> Json:
    """The first update that is like that, in the second half of the trace if there is one."""
    all_of_them = updates(some)
    half = len(all_of_them) // 2
    return next(r for r in (*all_of_them[half:-2], *all_of_them[:half]) if choice(r["data"]))


def any_update(_: Json) -> bool:
    return True


def told(choice: Choice = any_update, **changes: Any) -> Tamper:
    """An update tells something else."""

    def tamper(some: list[Json]) -> None:
        chosen(some, choice)["data"].update(changes)

    return tamper


def scaled(name: str, factor: float, choice: Choice = any_update) -> Tamper:
    def tamper(some: list[Json]) -> None:
        chosen(some, lambda d: choice(d) and bool(d[name]))["data"][name] *= factor

    return tamper


def shifted(name: str, by: float, choice: Choice = any_update) -> Tamper:
    def tamper(some: list[Json]) -> None:
        chosen(some, lambda d: choice(d) and d[name] is not None)["data"][name] += by

    return tamper


def dropped(choice: Choice = any_update) -> Tamper:
    """An update is missing, and those behind it are renumbered."""

    def tamper(some: list[Json]) -> None:
        some.remove(chosen(some, choice))
        for i, r in enumerate(updates(some)):
            r["data"]["update"] = i

    return tamper


def left_out(some: list[Json]) -> None:
    """An update is missing, and its number shows it."""
    some.remove(chosen(some, any_update))


def twice(some: list[Json]) -> None:
    r = chosen(some, any_update)
    some.insert(some.index(r), {**r, "data": dict(r["data"])})


def last_dropped(some: list[Json]) -> None:
    for r in updates(some)[-20:]:
        some.remove(r)


def between_feedback(some: list[Json]) -> None:
    r = chosen(some, any_update)
    some[some.index(r)] = {**r, "time": round(r["time"] + 0.05, 3)}


def _ack_of(some: list[Json], choice: Choice = any_update) -> Json:
    """The ACK that an update answers."""
    r = chosen(some, choice)
    return [a for a in acks(some) if a["time"] <= r["time"]][-1]


def ack_removed(some: list[Json]) -> None:
    some.remove(_ack_of(some))


def ack_earlier(some: list[Json]) -> None:
    """All that came at the time of an ACK came earlier."""
    at = _ack_of(some)["time"]
    before = max(r["time"] for r in some[1:] if r["time"] < at)
    for r in some[1:]:
        if r["time"] == at:
            r["time"] = round((at + before) / 2, 3)


def packet_smaller(some: list[Json]) -> None:
    sent = [r for r in named(some, "quic:packet_sent") if r["data"]["raw"]["length"] > 1000]
    sent[len(sent) // 2]["data"]["raw"]["length"] -= 600


def in_metrics(field: str, by: int) -> Tamper:
    """quiche's own event tells something else where an update was made."""

    def tamper(some: list[Json]) -> None:
        at = some.index(chosen(some, any_update))
        data = next(
            r["data"]
            for r in reversed(some[:at])
            if r.get("name") == "quic:recovery_metrics_updated" and field in r["data"]
        )
        data[field] += by

    return tamper


def false_state(some: list[Json]) -> None:
    r = chosen(some, any_update)
    extra = {"time": r["time"], "name": "quic:congestion_state_updated", "data": {"new": "zone9"}}
    some.insert(some.index(r), extra)


def losses_hidden(some: list[Json]) -> None:
    """The counter never rises."""
    for r in named(some, "quic:recovery_metrics_updated"):
        if r["data"].get("cf_lost_packets", {}).get("total", 0) > 0:
            del r["data"]["cf_lost_packets"]


def losses_invented(some: list[Json]) -> None:
    """One more packet is counted as lost at an update, and ever after."""
    r = chosen(some, lambda d: d.get("cause", d.get("reaction")) not in ("loss", "persistent_congestion"))
    at = some.index(r)

    def counters(part: list[Json]) -> list[Json]:
        return [x["data"]["cf_lost_packets"] for x in part if "cf_lost_packets" in x.get("data", {})]

    later = counters(some[at:])
    total = max((c["total"] for c in counters(some[:at])), default=0) + 1
    data = {"cf_lost_packets": {"total": total, "delta": 1}}
    some.insert(at, {"time": r["time"], "name": "quic:recovery_metrics_updated", "data": data})
    for counter in later:
        counter["total"] += 1


def parameter(name: str, value: Any, option: str = "") -> Tamper:
    """A parameter is told falsely; `option`: and the option string tells the same story."""

    def tamper(some: list[Json]) -> None:
        data = named(some, "cc:parameters_set")[0]["data"]
        data["parameters"][name] = value
        if option:
            data["spec"] += ("," if ":" in data["spec"] else ":") + option

    return tamper


def another_initial_window(some: list[Json]) -> None:
    named(some, "cc:parameters_set")[0]["data"]["initial_window"] += 1


def marks_claimed(some: list[Json]) -> None:
    """ECN marks that no ACK reported, with the window that belongs to them."""
    d = chosen(some, lambda d: d["ce"] == 0 and d["ect"] > 0 and not d["reaction"])["data"]
    d.update(ce=1, ect=d["ect"] - 1, marks=1, window_after=round(d["window_after"] - 1250.0, 6))


def marks_denied(some: list[Json]) -> None:
    d = chosen(some, lambda d: d["marks"] > 0 and not d["reaction"])["data"]
    d["window_after"] = round(d["window_after"] + 1250.0 * d["marks"], 6)
    d.update(ect=d["ect"] + d["ce"], ce=0, marks=0)


def counts_of_an_ack(some: list[Json]) -> None:
    """An ACK reports one mark more than the controller saw."""
    _ack_of(some)["data"]["frames"][0]["ce"] += 1


def receive_times_earlier(some: list[Json]) -> None:
    stamped = [r for r in some if r.get("receive_timestamps")]
    for r in stamped[len(stamped) // 2 :][:4]:
        r["receive_timestamps"] = [[n, t - 3000] for n, t in r["receive_timestamps"]]
