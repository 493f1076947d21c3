"""Paths in words."""

from __future__ import annotations

from .events import MOST_LONGER, Event, events
from .space import Path


def described(path: Path) -> str:
    """What is not plain, after rate, round trip and buffer."""
    said = [f"{path.rate_mbps:g} Mbit/s, {path.rtt_ms:g} ms, {path.buffer_bdp:g} bdp"]
    if path.queue != "droptail":
        said.append(path.queue)
    said += [_event(path, event) for event in events(path)]
    wire = [
        {
            "random": f"{100 * path.loss_share:.2g} % random loss",
            "bursts": f"{100 * path.loss_share:.2g} % loss in bursts",
        }.get(path.loss),
        f"{path.jitter} of {path.jitter_ms:g} ms" if path.jitter != "none" else None,
    ]
    there = " on its own wire" if path.wire == "own" else ""
    said += [one + there for one in wire if one]
    if path.back != "plain":
        said.append(f"return path: {path.back}, {path.back_ms:g} ms")
    if path.packets_per_ack != "1":
        said.append(f"an ACK for {path.packets_per_ack} packets")
    if path.source != "unlimited":
        said.append({"pauses": "a source with pauses", "cbr": "a source of 30 % of the rate"}[path.source])
    if path.neighbours != "none":
        said.append(_neighbours(path))
    if path.duration_s > Path().duration_s:
        said.append(f"for {path.duration_s:.3g} s")
    return "; ".join(said)


def _event(path: Path, event: Event) -> str:
    at = event.at_s
    share = f"{100 * event.share:.2g} %"
    longer = f"{MOST_LONGER * event.share * path.rtt_ms:.3g} ms"
    return {
        "falls": f"falls to {share} at {at:.2g} s",
        "rises": f"rises from {share} at {at:.2g} s",
        "swings": f"swings to {share} and back every {at / 4:.2g} s",
        "outage": f"outage of {path.outage_s:.2g} s at {at:.2g} s",
        "longer": f"{longer} longer from {at:.2g} s on",
        "shorter": f"{longer} longer until {at:.2g} s",
    }[event.kind]


def _neighbours(path: Path) -> str:
    begin = path.neighbour_from * path.duration_s
    end = begin + path.neighbour_for * (path.duration_s - begin)
    when = f"from {begin:.2g} s" + (f" to {end:.2g} s" if path.neighbour_for < 1.0 else "")
    if path.neighbours in ("cbr", "on_off"):
        return f"{path.count} {path.neighbours} of {100 * path.neighbour_rate:.2g} % of the rate {when}"
    return f"{path.count} {path.neighbours} of {path.neighbour_rtt * path.rtt_ms:.3g} ms {when}"
