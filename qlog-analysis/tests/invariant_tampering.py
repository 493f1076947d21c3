"""Ways to falsify a trace so that a sender seems to break one rule of the network's side, and no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from traces import Tamper, named
from tracewriter import Json

METRICS = "quic:recovery_metrics_updated"


def metrics(some: list[Json], field: str) -> Iterator[Json]:
    """The data of metrics that have a field, with their time."""
    return (r for r in named(some, METRICS) if field in r["data"])


def scaled(field: str, factor: float, since_ms: float = 0.0) -> Tamper:
    def tamper(some: list[Json]) -> None:
        for r in metrics(some, field):
            if r["time"] >= since_ms:
                r["data"][field] = int(r["data"][field] * factor)

    return tamper


def added(field: str, more: int, since_ms: float) -> Tamper:
    """To one report."""

    def tamper(some: list[Json]) -> None:
        next(r for r in metrics(some, field) if r["time"] >= since_ms)["data"][field] += more

    return tamper


def never_less(field: str, share: float, since_ms: float = 0.0) -> Tamper:
    """A field never falls below a share of what it was at most."""

    def tamper(some: list[Json]) -> None:
        most = 0
        for r in metrics(some, field):
            if r["time"] >= since_ms:
                r["data"][field] = max(r["data"][field], int(share * most))
            most = max(most, r["data"][field])

    return tamper


def growing(field: str, factor: float, since_ms: float) -> Tamper:
    """Larger with every report, also where it was not reported."""

    def tamper(some: list[Json]) -> None:
        now, last = 1.0, 0
        for r in named(some, METRICS):
            last = r["data"].get(field, last)
            if r["time"] >= since_ms:
                now *= factor
                r["data"][field] = int(last * now)

    return tamper


def at_least(field: str, value: int, since_ms: float) -> Tamper:
    def tamper(some: list[Json]) -> None:
        for r in metrics(some, field):
            if r["time"] >= since_ms:
                r["data"][field] = max(r["data"][field], value)

    return tamper


def both(*tampers: Tamper) -> Tamper:
    def tamper(some: list[Json]) -> None:
        for one in tampers:
            one(some)

    return tamper


def silence(since_ms: float, for_ms: float) -> Tamper:
    """Everything from a moment on happens later."""
    return _times(lambda t: t + for_ms if t >= since_ms else t)


def faster(since_ms: float, factor: float) -> Tamper:
    """From a moment on all goes so many times as fast."""
    return _times(lambda t: since_ms + (t - since_ms) / factor if t >= since_ms else t)


def _times(to: Callable[[float], float]) -> Tamper:
    def tamper(some: list[Json]) -> None:
        for r in some[1:]:
            r["time"] = round(to(r["time"]), 3)

    return tamper


def early(packets: int, since_ms: float) -> Tamper:
    """So many packets in a row, between which nothing comes back, leave with the first of them."""

    def tamper(some: list[Json]) -> None:
        row: list[Json] = []
        for r in some:
            if r.get("name") == "quic:packet_received":
                row.clear()
            elif r.get("name") == "quic:packet_sent" and r["time"] >= since_ms:
                row.append(r)
                if len(row) == packets:
                    break
        assert len(row) == packets
        first, last = some.index(row[0]), some.index(row[-1])
        for r in some[first : last + 2]:
            r["time"] = row[0]["time"]

    return tamper


def raised(frame: Json) -> Tamper:
    """The peer's first limit of flow control is small, and it raises it by this frame before it is reached."""
    limit = "initial_max_data" if frame["frame_type"] == "max_data" else "initial_max_stream_data_uni"

    def tamper(some: list[Json]) -> None:
        told = next(r["data"] for r in some if r.get("data", {}).get("initiator") == "remote")
        assert limit in told
        told[limit] = 200_000
        came = [r["data"]["frames"] for r in named(some, "quic:packet_received")]
        came[60].append({**frame, "maximum": 1 << 40})

    return tamper


def marks_counted(more: int) -> Tamper:
    """The peer counts packets that were never sent."""

    def tamper(some: list[Json]) -> None:
        for r in named(some, "quic:packet_received"):
            for f in r["data"]["frames"]:
                if f["frame_type"] == "ack" and "ce" in f:
                    f["ect0"] += more

    return tamper
