"""T, the time that a full packet takes on the slowest link: measured, used, and checked."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

import lab
from qlog_analysis.check.verdict import Outcome
from qlog_analysis.hybrid.transmission import TransmissionTime
from qlog_analysis.measure.sliding import CLASSES
from traces import epochs, verdict_of

SLOW = ("link.there.rate=1Mbps", "duration=8s")
"""A full packet takes 10 ms."""
SPEC = "hybrid"


def smallest(*received_ms: float, in_class: int = CLASSES) -> float:
    time = TransmissionTime()
    for r in received_ms:
        time.add(r, in_class, sent=r)
    return time.smallest


def test_it_is_half_the_smallest_spacing_of_three_full_packets() -> None:
    assert smallest(0, 10) == 0.0
    assert smallest(0, 10, 30) == 15.0
    assert smallest(0, 10, 30, 31, 60, 95) == 10.5
    assert smallest(0, 10, 20, in_class=CLASSES - 1) == 0.0


def test_a_small_packet_a_late_one_and_a_clock_that_is_set_begin_a_new_row() -> None:
    time = TransmissionTime()
    for r in (0.0, 10.0):
        time.add(r, CLASSES, 0.0)
    time.add(20.0, 1, 0.0)
    time.add(30.0, CLASSES, 0.0)
    time.add(29.0, CLASSES, 0.0)  # in no row, as the small one
    time.add(40.0, CLASSES, 0.0)
    time.add(-900.0, CLASSES, 0.0, restarts=True)  # the first of its row
    time.add(-880.0, CLASSES, 0.0)
    assert time.smallest == 0.0
    time.add(-860.0, CLASSES, 0.0)
    assert time.smallest == 20.0


def dispersed(rows: list[tuple[float, float]]) -> set[bool]:
    """Of rows of three that leave and arrive in so many ms."""
    time = TransmissionTime()
    for at, (left, arrived) in enumerate(rows):
        time.add(at * 1000.0, 1, 0.0)  # a small one, so that rows do not overlap
        for n in range(3):
            time.add(at * 1000.0 + n * arrived / 2.0 + 1.0, CLASSES, at * 1000.0 + n * left / 2.0)
    return time.is_dispersed


@pytest.mark.parametrize(
    ("left", "verdicts"),
    [
        (9.9, {True}),
        (10.1, {False}),
        (10.0, {True, False}),  # as far as times truncated to 1 us tell
    ],
)
def test_packets_that_arrive_further_apart_than_they_left_show_the_link(left: float, verdicts: set[bool]) -> None:
    assert dispersed([(left, 20.0)] * 3) == verdicts
    assert dispersed([(left, 20.0)] * 3 + [(0.0, 20.0)] * 3) == {True}


def test_a_link_spaces_packets_alike_and_jitter_does_not() -> None:
    def arriving(*times: float) -> set[bool]:
        return dispersed([(0.0, t) for t in times])

    assert arriving(16) == {False}
    assert arriving(16, 17) == {True}
    assert arriving(16, 17.1) == {False}
    assert arriving(16, 40, 24, 16) == {True}
    assert arriving(18, 16) == {False}
    assert arriving(17, 16) == {True}


@pytest.mark.parametrize("spec", ["hybrid", "hybrid:paper", "hybrid:without=link_rate+catch_up"])
@pytest.mark.parametrize(
    "path",
    [
        SLOW,
        (*SLOW, "flow.main.timestamps=false"),
        (*SLOW, "link.there.loss=1%", "link.there.reorder=p=5%,extra=25ms"),
        ("duration=8s", "link.back.rate=100kbps", "link.there.jitter=uniform:min=0ms,max=5ms,order=free"),
        ("link.there.rate=30Mbps", "duration=2s"),
    ],
    ids=["slow", "without receive timestamps", "loss and reordering", "narrow way back and jitter", "fast"],
)
def test_traces_of_whole_connections_pass(tmp_path: FilePath, path: tuple[str, ...], spec: str) -> None:
    v = verdict_of(tmp_path, lab.records(spec, *path))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_the_trace_shows_what_a_packet_takes_on_the_link() -> None:
    last = epochs(lab.records(SPEC, *SLOW))[-1]
    assert last["source"] == "receive_timestamps"
    assert last["transmission_time"] == pytest.approx(10.0, rel=0.05)
    by_ack = epochs(lab.records(SPEC, *SLOW, "flow.main.timestamps=false"))
    assert {e["transmission_time"] for e in by_ack} == {0.0}


def test_a_false_time_is_found(tmp_path: FilePath) -> None:
    def laws(factor: float) -> set[str]:
        some = lab.records(SPEC, *SLOW)
        e = next(e for e in epochs(some)[20:] if e["zone"] == 1)
        e["transmission_time"] *= factor
        return {f.law for f in verdict_of(tmp_path, some).findings}

    assert laws(1.0) == set()
    assert laws(1.0001) >= {"transmission_time"}
    assert laws(0.0) >= {"transmission_time"}


def test_a_receive_time_that_is_changed_is_found(tmp_path: FilePath) -> None:
    some = lab.records(SPEC, *SLOW)
    acks = [r for r in some if len(r.get("receive_timestamps") or []) >= 1]
    for ack in acks[150:154]:
        ack["receive_timestamps"] = [[n, t - 4000] for n, t in ack["receive_timestamps"]]
    assert {f.law for f in verdict_of(tmp_path, some).findings} >= {"delta", "transmission_time"}
