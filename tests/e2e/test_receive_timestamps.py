"""One-way delay from receive timestamps, over real sockets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import at_once
from percentiles import percentile
from testbed import Bottleneck, Outcome, Testbed

pytestmark = pytest.mark.timed

MakeTestbed = Callable[[Path | None], Testbed]

PATH = Bottleneck(rate="1Mbps", delay="50ms", buffer="400ms", extra=("--log-packets",))
# ACKs alone fill this return path: about 90 a second of 70 to 100 bytes each.
CONGESTED_RETURN = replace(PATH, extra=("--up-rate", "40kbps", "--up-buffer", "400ms"))
HEADERS = 28  # IPv4 and UDP, which the link counts
FULL = 1350


@pytest.fixture(scope="module")
def plain(testbed: MakeTestbed) -> Outcome:
    return testbed(None).download("hybrid", PATH, "/1000000", timeout=60)


def events(trace: Path, name: str) -> Iterator[dict[str, Any]]:
    for record in trace.read_bytes().split(b"\x1e"):
        if record.strip() and f'"{name}"'.encode() in record:
            event = json.loads(record)
            if event["name"] == name:
                yield event


def one_rtt(trace: Path, name: str) -> Iterator[dict[str, Any]]:
    return (event for event in events(trace, name) if event["data"]["header"]["packet_type"] == "1RTT")


def receive_times(trace: Path) -> dict[int, int]:
    """Receive time in us of every packet for which one came back."""
    return {
        number: time
        for event in one_rtt(trace, "quic:packet_received")
        for number, time in event.get("receive_timestamps", [])
    }


def test_every_acknowledged_packet_has_a_one_way_delay(plain: Outcome) -> None:
    acknowledged = {
        number
        for event in one_rtt(plain.trace, "quic:packet_received")
        for frame in event["data"]["frames"]
        if frame["frame_type"] == "ack"
        for ends in frame["acked_ranges"]
        for number in range(ends[0], ends[-1] + 1)
    }
    assert len(acknowledged) > 500
    # The first packets may arrive before the client knows that it was asked.
    missing = {number for number in acknowledged - receive_times(plain.trace).keys() if number > 10}
    assert not missing


def test_every_epoch_uses_them(plain: Outcome) -> None:
    epochs = [event["data"] for event in events(plain.trace, "cc:hybrid_epoch_updated")]
    assert len(epochs) > 30
    assert {epoch["source"] for epoch in epochs} == {"receive_timestamps"}


def test_they_agree_with_the_queue_of_the_bottleneck(plain: Outcome) -> None:
    received = receive_times(plain.trace)
    sent = list(one_rtt(plain.trace, "quic:packet_sent"))
    lines = [json.loads(line) for line in plain.link_log.read_text().splitlines()]
    passed = [line for line in lines if line["event"] == "packet" and line["direction"] == "down"]
    # Nothing was lost or reordered, and after the handshake every datagram is one packet: pair them from the end.
    pairs = list(zip(reversed(sent), reversed(passed), strict=False))[:700]
    assert all(event["data"]["raw"]["length"] + HEADERS == line["size"] for event, line in pairs)
    compared = [
        (received[number] / 1e3 - event["time"], line["queue_delay_ms"])
        for event, line in pairs
        if event["data"]["raw"]["length"] == FULL and (number := event["data"]["header"]["packet_number"]) in received
    ]
    assert len(compared) > 500
    base = min(owd for owd, _ in compared) - min(queue for _, queue in compared)
    errors = [abs(owd - base - queue) for owd, queue in compared]
    # Where the machine pauses a program, its packets are late by that; most are not, and none by much of the queue.
    queue = percentile((queue for _, queue in compared), 95)
    assert percentile(errors, 75) < 0.02 * queue, sorted(errors)
    assert percentile(errors, 95) < 0.1 * queue, sorted(errors)


def test_a_congested_return_path_does_not_slow_the_sender(testbed: MakeTestbed) -> None:
    # The packet that closes a connection is lost on such a path; nothing else is silent for so long.
    bed = replace(testbed(None), server=("--idle-timeout", "5"))
    without = replace(bed, server=(*bed.server, "--receive-timestamps", "0"))
    with_timestamps, by_ack = at_once(
        lambda: bed.download("hybrid", CONGESTED_RETURN, "/1500000", timeout=120),
        lambda: without.download("hybrid", CONGESTED_RETURN, "/1500000", timeout=120, label="by-ack"),
    )
    sources = {event["data"]["source"] for event in events(by_ack.trace, "cc:hybrid_epoch_updated")}
    assert sources == {"ack"}
    assert with_timestamps.goodput > 0.6e6  # measured 0.77 to 0.80; the claim is the ratio
    assert with_timestamps.goodput > 1.2 * by_ack.goodput
