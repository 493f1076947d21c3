"""A download by a peer from our server that measures the controller: goodput, queueing delay, what it relied on."""

from __future__ import annotations

import re
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import ends
import play
from ends import CellError, Place
from model import Case, Controllers, Data, Peer

_SOURCE = re.compile(rb'"source":"([a-z_]+)"')
_NAMES = {"ack_arrivals": "ACKs", "acks": "ACKs", "receive_timestamps": "timestamps"}


def measured_case(settings: Controllers) -> Case:
    about = "measures a controller"
    return Case(
        short="",
        asks=about,
        files=[settings.bytes],
        client="transfer",
        server="transfer",
        path=settings.path,
        timeout=settings.timeout,
        name="goodput",
    )


def measure(data: Data, peer: Peer, cc: str, place: Place) -> dict[str, Any]:
    """No simulator lies between: nothing but the link delays packets."""
    settings = data.controllers
    cell = play.Cell(peer, "client", measured_case(settings), cc)
    played = play.Played(place.folder, "client", cell.case, alpn=ends.choose_alpn(cell.end, cell.case))
    played.files = play.prepare(cell, place)
    with ExitStack() as stack:
        port = play.serve(cell, place, played.alpn, stack)
        with play.link(data.paths[settings.path], {}, ("127.0.0.1", port), place) as relay:
            entrance = int(relay.next(play.READY_TIMEOUT)["listen"].rsplit(":", 1)[1])
            began = time.monotonic()
            play.fetch(cell, place, played, entrance)
            seconds = time.monotonic() - began
            summary = relay.stop()
    if play.differing(played):
        raise CellError("the file did not arrive, or arrived otherwise")
    down, up = summary["down"], summary["up"]
    return {
        "alpn": played.alpn,
        "took": round(seconds, 2),
        "goodput_mbps": round(8e-6 * settings.bytes / down["active"], 3),
        "queue_delay_ms": down["queue_delay_ms"],
        "loss": down["loss"],
        "packets_per_ack": round(down["forwarded_packets"] / max(up["forwarded_packets"], 1), 2),
        "lateness_p95_ms": summary["lateness_ms"]["p95"],
        "source": source(place.logs("server") / "qlog"),
    }


def source(traces: Path) -> dict[str, int]:
    """Epochs by what their delays came from, as the controllers that have a choice wrote it."""
    found = (match for trace in traces.glob("*.sqlog") for match in _SOURCE.findall(trace.read_bytes()))
    counted = Counter(match.decode() for match in found)
    return {_NAMES.get(name, name): count for name, count in counted.items()}
