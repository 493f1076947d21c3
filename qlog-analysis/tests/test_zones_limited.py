"""Epochs that are said to be limited by the application are held against what is known of its data."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path as FilePath

import pytest

import lab
from qlog_analysis.check.verdict import Outcome
from traces import epochs, named, verdict_of
from tracewriter import Json

SLOWER = ("link.there.rate=4Mbps@0s,700kbps@2s", "link.there.buffer=2s", "duration=3s")
PAUSES = (
    "link.there.rate=4Mbps",
    "duration=4s",
    'flow.main.traffic={ kind = "on_off", on = "700ms", off = "600ms", fixed = true }',
)
LONG = ("link.there.rate=20Mbps", "link.there.delay=40ms", "link.back.delay=40ms", "duration=1s")
FALLS = (
    "link.there.rate=8780kbps",
    "link.there.delay=4.46ms",
    "link.back.delay=4.46ms",
    "link.there.buffer=5p",
    "flow.main.initial_window=2",
    "duration=1s",
    'flow.main.traffic={ kind = "bursts", packets = 39, every = "368ms", buffer = 200 }',
)
ANSWERS = (
    "link.there.rate=10Mbps",
    "duration=4s",
    "link.there.jitter=wifi:median=3ms",
    "link.back.aggregate=interval=8ms",
    "flow.main.timestamps=false",
    'flow.main.traffic={ kind = "requests", objects = 1, parallel = 1, size = 60000, spread = 0.5, think = "60ms" }',
)
SOURCE = ("link.there.rate=6Mbps", "duration=3s", 'flow.main.traffic={ kind = "cbr", rate = "1500kbps" }')


def told(folder: FilePath, some: list[Json]) -> set[str]:
    return {f.message for f in verdict_of(folder, some).findings if f.law == "app_limited"}


@pytest.mark.parametrize("spec", ["hybrid", "hybrid:paper"])
def test_data_that_waits_behind_a_full_window_limits_no_epoch(tmp_path: FilePath, spec: str) -> None:
    some = lab.records(spec, *SLOWER)
    assert verdict_of(tmp_path, some).outcome is Outcome.PASS
    for e in epochs(some):
        e["app_limited"] = True
    assert "reported, but data waited all the time, and the window was full" in told(tmp_path, some)
    without = [r for r in some if r.get("name") != "quic:stream_data_moved"]
    assert not any("data waited" in message for message in told(tmp_path, without))


def test_start_up_that_is_used_limits_no_epoch(tmp_path: FilePath) -> None:
    some = lab.records("hybrid", *LONG)
    for e in epochs(some):
        e["app_limited"] = True
    assert "reported, but data waited all the time, and R was not far beyond its use" in told(tmp_path, some)


def test_an_application_without_data_may_limit_any(tmp_path: FilePath) -> None:
    some = lab.records("hybrid", *SOURCE)
    assert any(e["app_limited"] for e in epochs(some))
    for e in epochs(some):
        e["app_limited"] = True
    assert not any("data waited" in message for message in told(tmp_path, some))


def test_a_packet_without_data_shows_that_none_waited(tmp_path: FilePath) -> None:
    some = lab.records("hybrid:paper", *PAUSES)
    assert verdict_of(tmp_path, some).outcome is Outcome.PASS
    for e in epochs(some):
        e["app_limited"] = False
    message = "not reported, but little was sent, and a packet without data left when none waited"
    assert message in told(tmp_path, some)


def test_a_window_that_falls_with_the_length_of_an_epoch_was_full(tmp_path: FilePath) -> None:
    """After a pause of the source an ACK of a short packet lowers L, and the window, until R has risen again."""
    some = lab.records("hybrid:paper", *FALLS)
    assert any(e["length"] < b["length"] and e["window"] >= b["window"] for b, e in pairwise(epochs(some)))
    assert verdict_of(tmp_path, some).outcome is Outcome.PASS


@pytest.mark.parametrize("spec", ["hybrid", "hybrid:paper"])
def test_little_that_is_sent_into_a_window_with_room_shows_that_the_application_limits(
    tmp_path: FilePath, spec: str
) -> None:
    def missed(*, full: bool) -> bool:
        some = lab.records(spec, *ANSWERS)
        for e in epochs(some):
            e["app_limited"] = False
        for r in named(some, "quic:recovery_metrics_updated"):
            if full and "congestion_window" in r["data"]:
                r["data"]["congestion_window"] = 1250
        return any("the window was never full" in message for message in told(tmp_path, some))

    assert verdict_of(tmp_path, lab.records(spec, *ANSWERS)).outcome is Outcome.PASS
    assert missed(full=False)
    assert not missed(full=True)


def test_the_window_has_room_as_long_as_one_packet_fits(tmp_path: FilePath) -> None:
    """The one that was written before a feedback counts: with a packet less room at one of them it was full."""

    def missed(room: int) -> set[int | None]:
        some = lab.records("hybrid", *ANSWERS)
        for e in epochs(some):
            e["app_limited"] = False
        flight = 0
        for r in named(some, "quic:recovery_metrics_updated"):
            flight = r["data"].get("bytes_in_flight", flight)
            r["data"]["congestion_window"] = flight + room
        found = verdict_of(tmp_path, some).findings
        return {f.number for f in found if "the window was never full" in f.message}

    assert len(missed(1250)) > 10
    assert missed(1249) == set()
