"""A trace that lies about the network, or breaks a rule there, fails by the invariant that it was falsified for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as FilePath

import pytest

import invariant_tampering as t
import lab
from qlog_analysis.network.run import judge
from records import by_a_relay, rewritten
from traces import Tamper, named, trace_of
from tracewriter import Json

PLAIN = ("duration=3s",)
LOSSY = ("link.there.loss=3%", "duration=4s")
MARKED = ("link.there.queue=mark:q0=20p", "duration=3s")
SINCE = 1500.0


def sent(some: list[Json]) -> list[Json]:
    """Packets of the application that were sent some time after the start."""
    return [
        r
        for r in named(some, "quic:packet_sent")
        if r["time"] >= SINCE and r["data"]["header"]["packet_type"] == "1RTT"
    ]


def smaller(some: list[Json]) -> None:
    for r in [r for r in sent(some) if r["data"]["raw"]["length"] > 1000][:3]:
        r["data"]["raw"]["length"] -= 200


def later(some: list[Json]) -> None:
    sent(some)[0]["time"] += 0.01


def never_sent(some: list[Json]) -> None:
    """One more at the end, with the next number."""
    last = sent(some)[-1]
    header = {**last["data"]["header"], "packet_number": last["data"]["header"]["packet_number"] + 1}
    some.append({**last, "time": some[-1]["time"], "data": {**last["data"], "header": header}})


def concealed(some: list[Json]) -> None:
    """One of the last packets that the trace has, to which no ACK refers."""
    some.remove(sent(some)[-5])


def optimistic(some: list[Json]) -> None:
    """The peer acknowledges all up to the largest, also what was lost."""
    for r in named(some, "quic:packet_received"):
        for frame in r["data"].get("frames", ()):
            if frame["frame_type"] == "ack" and r["time"] >= SINCE:
                frame["acked_ranges"] = [[0, frame["acked_ranges"][-1][-1]]]


def marked(some: list[Json]) -> None:
    """The peer counts three marks more than it got."""
    for r in named(some, "quic:packet_received"):
        for frame in r["data"].get("frames", ()):
            if frame["frame_type"] == "ack" and "ce" in frame and r["time"] >= SINCE:
                frame["ce"] += 3


def delays(change: Callable[[float], float]) -> Tamper:
    def tamper(some: list[Json]) -> None:
        for r in named(some, "cc:hybrid_epoch_updated"):
            if r["data"]["delta"] is not None:
                r["data"]["delta"] = change(r["data"]["delta"])

    return tamper


CASES: dict[str, tuple[str, str, tuple[str, ...], Tamper]] = {
    "packets are told smaller": ("arrivals", "hybrid", PLAIN, smaller),
    "so are those of cubic": ("arrivals", "cubic", PLAIN, smaller),
    "a packet is told 10 us later": ("arrivals", "hybrid", PLAIN, later),
    "a packet was never sent": ("arrivals", "bbr2", PLAIN, never_sent),
    "a packet is concealed": ("arrivals", "hybrid", PLAIN, concealed),
    "lost packets are acknowledged": ("deliveries", "hybrid", LOSSY, optimistic),
    "the rate is told smaller": ("spacing", "hybrid", PLAIN, t.scaled("pacing_rate", 0.9)),
    "more marks are counted than there were": ("codepoints", "smallq", MARKED, marked),
    "a queue is told short": ("true queue", "hybrid", PLAIN, delays(lambda d: 0.2 * d)),
    "a queue is told long": ("true queue", "hybrid", PLAIN, delays(lambda d: d + 40.0)),
    "so without receive timestamps": (
        "true queue",
        "hybrid",
        (*PLAIN, "flow.main.timestamps=false"),
        delays(lambda d: d + 40.0),
    ),
}


def failed(folder: FilePath, some: list[Json], record: FilePath) -> dict[str, str]:
    judgements = judge(trace_of(folder, some), record)
    return {j.invariant.name: j.judged.breaches[0].message for j in judgements if j.judged.breaches}


@pytest.mark.parametrize(("invariant", "spec", "path", "tamper"), CASES.values(), ids=CASES.keys())
def test_it_fails_by_that_invariant_alone(
    tmp_path: FilePath, invariant: str, spec: str, path: tuple[str, ...], tamper: Tamper
) -> None:
    some, record = lab.recorded(tmp_path, spec, *path)
    assert failed(tmp_path, some, record) == {}
    tamper(some)
    assert set(failed(tmp_path, some, record)) == {invariant}


def test_a_lie_about_all_times_is_no_other_run(tmp_path: FilePath) -> None:
    some, record = lab.recorded(tmp_path, "vegas", *PLAIN)
    for r in some[1:]:
        r["time"] = round(r["time"] + 0.01, 3)
    assert "arrivals" in failed(tmp_path, some, record)


RECORDS: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "hybrid marks what it sends": ("codepoints", "hybrid", PLAIN, "* REPLACE (2::INTEGER AS ecn_in)"),
    "smallq sends CE": ("codepoints", "smallq", PLAIN, "* REPLACE (3::INTEGER AS ecn_in)"),
    "marks are lost that the peer counts": ("codepoints", "smallq", MARKED, "* REPLACE (2::INTEGER AS ecn_out)"),
    "what was acknowledged is lost": ("deliveries", "cubic", PLAIN, "* REPLACE ('wire' AS fate)"),
}


@pytest.mark.parametrize(("invariant", "spec", "path", "columns"), RECORDS.values(), ids=RECORDS.keys())
def test_the_network_saw_what_the_trace_does_not_say(
    tmp_path: FilePath, invariant: str, spec: str, path: tuple[str, ...], columns: str
) -> None:
    some, record = lab.recorded(tmp_path, spec, *path)
    assert set(failed(tmp_path, some, rewritten(record, columns))) == {invariant}


@pytest.mark.parametrize("path", [PLAIN, (*PLAIN, "flow.main.timestamps=false")], ids=["one-way", "round trips"])
def test_so_with_the_clock_of_a_machine_by_less_than_packets_may_be_late(
    tmp_path: FilePath, path: tuple[str, ...]
) -> None:
    some, record = lab.recorded(tmp_path, "hybrid", *path)
    relayed = by_a_relay(record)
    assert failed(tmp_path, some, relayed) == {}
    delays(lambda d: d + 20.0)(some)
    assert set(failed(tmp_path, some, relayed)) == {"true queue"}


def test_receive_timestamps_that_hide_a_queue_are_found_although_the_trace_agrees_with_itself(
    tmp_path: FilePath,
) -> None:
    """Equations and invariants of the trace hold: only the network knows that its queue was twice as long."""
    some, record = lab.recorded(tmp_path, "hybrid", *PLAIN)
    longer = "* REPLACE (CASE WHEN link = 'there' THEN 2 * left_ns - arrived_ns ELSE left_ns END AS left_ns)"
    assert "true queue" in failed(tmp_path, some, rewritten(record, longer))
