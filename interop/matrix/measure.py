"""A download by a peer from our server that measures the controller: goodput, queueing delay, what it relied on."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sys
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import ends
import play
import tunnel
from ends import CellError, OutOfTime, Place, Server, Unsupported
from model import Case, Controllers, Data, Peer

_HEAD_START = 2.0  # seconds until TCP has left its slow start
_SOURCE = re.compile(rb'"source":"([a-z_]+)"')
_NAMES = {"ack": "ACKs", "receive_timestamps": "timestamps"}


def measured_case(name: str, settings: Controllers) -> Case:
    about = "measures a controller"
    return Case(
        short="",
        asks=about,
        files=[settings.bytes],
        client="transfer",
        server="transfer",
        path=settings.path,
        timeout=settings.timeout,
        name=name,
    )


def measure(data: Data, peer: Peer, cc: str, place: Place) -> dict[str, Any]:
    """No simulator lies between: nothing but the link delays packets."""
    settings = data.measurements["goodput"]
    cell = play.Cell(peer, "client", measured_case("goodput", settings), cc)
    played = play.Played(place.folder, "client", cell.case, alpn=ends.choose_alpn(cell.end, cell.case))
    played.files = play.prepare(cell, place)
    with ExitStack() as stack:
        (port,) = play.serve(cell, place, played.alpn, stack)
        with play.link(data.paths[settings.path], {}, ("127.0.0.1", port), place) as relay:
            entrance = int(relay.next(play.READY_TIMEOUT)["listen"].rsplit(":", 1)[1])
            began = time.monotonic()
            play.fetch(cell, place, played, entrance)
            seconds = time.monotonic() - began
            summary = relay.stop()
    if play.differing(played):
        raise CellError("the file did not arrive, or arrived otherwise")
    goodput = 8e-6 * settings.bytes / summary["down"]["active"]
    return {"alpn": played.alpn, "goodput_mbps": round(goodput, 3), **_common(place, summary, seconds)}


def _common(place: Place, summary: dict[str, Any], seconds: float) -> dict[str, Any]:
    down, up = summary["down"], summary["up"]
    return {
        "took": round(seconds, 2),
        "queue_delay_ms": down["queue_delay_ms"],
        "loss": down["loss"],
        "packets_per_ack": round(down["forwarded_packets"] / max(up["forwarded_packets"], 1), 2),
        "lateness_p95_ms": summary["lateness_ms"]["p95"],
        "source": source(place.logs("server") / "qlog"),
    }


def beside_tcp(data: Data, peer: Peer, cc: str, place: Place, own_network: bool) -> dict[str, Any]:
    """The same beside a TCP download of the kernel; both go through TUN devices and the link."""
    settings = data.measurements["crosstraffic"]
    cell = play.Cell(peer, "client", measured_case("crosstraffic", settings), cc)
    if reason := cell.end.unsupported.get("crosstraffic"):
        raise Unsupported(reason)
    if not own_network:
        raise Unsupported("needs root or user namespaces, which are not there")
    device = _device()
    played = play.Played(place.folder, "client", cell.case, alpn=ends.choose_alpn(cell.end, cell.case))
    played.files = play.prepare(cell, place)
    with ExitStack() as stack:
        near, far = (stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(2))
        for one in (near, far):
            one.bind(("127.0.0.1", 0))
        port = _far_side(cell, place, played.alpn, far, stack)
        with play.link(data.paths[settings.path], {}, far.getsockname(), place) as relay:
            entrance = int(relay.next(play.READY_TIMEOUT)["listen"].rsplit(":", 1)[1])
            tunnel.carry(device, near, ("127.0.0.1", entrance))
            tcp = tunnel.Download().start()
            time.sleep(_HEAD_START)
            before, began = tcp.bytes, time.monotonic()
            done = _fetch_or_give_up(cell, replace(place, address=tunnel.FAR), played, port)
            seconds = time.monotonic() - began
            besides = tcp.bytes - before
            tcp.stopped = True
            summary = relay.stop()
    if done and play.differing(played):
        raise CellError("the file did not arrive, or arrived otherwise")
    rates = {"goodput_mbps": settings.bytes if done else _sent(place), "tcp_mbps": besides}
    shares = {name: round(8e-6 * count / seconds, 3) for name, count in rates.items()}
    return {"alpn": played.alpn, "done": done, **shares, **_common(place, summary, seconds)}


def _device() -> int:
    try:
        return tunnel.open_device(tunnel.NEAR)
    except OSError as error:
        raise Unsupported(f"no TUN device can be made here: {error}") from error


def _fetch_or_give_up(cell: play.Cell, place: Place, played: play.Played, port: int) -> bool:
    """Whether the client was done in time. How much it gets beside TCP is what is measured, not whether it is all."""
    try:
        play.fetch(cell, place, played, port)
    except OutOfTime:
        return False
    return True


def _sent(place: Place) -> int:
    """Bytes that our server sent; it reports a connection when it ends."""
    lines = (place.logs("server") / "server.jsonl").read_text().splitlines()
    return sum(int(json.loads(line).get("bytes_sent", 0)) for line in lines)


def _far_side(cell: play.Cell, place: Place, alpn: str, far: socket.socket, stack: ExitStack) -> int:
    """Starts our server in a namespace behind the tunnel; its port."""
    environment = ends.our_environment("server", cell.case, place, alpn, cell.cc)
    environment |= {"ENDPOINT_LISTEN": f"{tunnel.FAR}:0", "SERVER_PARAMS": f"CC={cell.cc}"}
    logs = place.logs("server")
    specification = {
        "side": "far",
        "socket": far.fileno(),
        "command": [str(ends.ENDPOINT)],
        "environment": environment,
        "log": str(logs / "server.output"),
    }
    (place.folder / "far.json").write_text(json.dumps(specification))
    command = [
        str(shutil.which("unshare")),
        "--net",
        sys.executable,
        tunnel.__file__,
        str(place.folder / "far.json"),
    ]
    far.set_inheritable(True)
    return stack.enter_context(Server(command, environment, logs, keep=[far.fileno()])).ours_listens_on()[0]


def source(traces: Path) -> dict[str, int]:
    """Epochs by what their delays came from, as the controllers that have a choice wrote it."""
    found = (match for trace in traces.glob("*.sqlog") for match in _SOURCE.findall(trace.read_bytes()))
    counted = Counter(match.decode() for match in found)
    return {_NAMES.get(name, name): count for name, count in counted.items()}
