"""A falsified trace fails by the invariant that it was falsified for, and by no other."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

import invariant_tampering as t
import lab
from qlog_analysis.invariants.invariant import Outcome
from qlog_analysis.invariants.run import judge
from traces import Tamper, trace_of
from tracewriter import Json

PLAIN = ("duration=4s",)
HELD_ACKS = ("link.back.aggregate=interval=40ms", "duration=3s")
LOSSY = ("link.there.loss=1%", "duration=4s")
HEAVY = ("link.there.loss=30%", "duration=6s")
MARKED = ("link.there.queue=mark:q0=20p", "duration=4s")
OUTAGE = ("link.there.outages=2s..3.2s", "duration=6s")
PAUSES = ('flow.main.traffic={ kind = "on_off", on = "150ms", off = "250ms", rate = "4Mbps" }', "duration=5s")

CASES: dict[str, tuple[str, str, tuple[str, ...], Tamper]] = {
    "the window is told smaller": ("window", "vegas", PLAIN, t.scaled("congestion_window", 0.8)),
    "the window of reno is told smaller": ("window", "reno", PLAIN, t.scaled("congestion_window", 0.8)),
    "the window of cubic is told smaller": ("window", "cubic", PLAIN, t.scaled("congestion_window", 0.8)),
    "bytes in flight are told less": ("in flight", "hybrid", PLAIN, t.added("bytes_in_flight", -1, 2000.0)),
    "bytes in flight are told more": ("in flight", "cubic", PLAIN, t.added("bytes_in_flight", 1250, 2000.0)),
    "packets leave early": ("pacing", "hybrid", HELD_ACKS, t.early(5, 1500.0)),
    "two packets leave together on a slow link": ("pacing", "vegas", HELD_ACKS, t.early(2, 1500.0)),
    "two packets of hybrid do": ("pacing", "hybrid", HELD_ACKS, t.early(2, 1500.0)),
    "the rate is told smaller": ("pacing", "hybrid", PLAIN, t.scaled("pacing_rate", 0.9)),
    "the rate of bbr2 is told smaller": ("pacing", "bbr2", PLAIN, t.scaled("pacing_rate", 0.8)),
    "the rate of raimd is told smaller": ("pacing", "raimd", PLAIN, t.scaled("pacing_rate", 0.9)),
    "it is beyond the first limit of flow control": (
        "pacing",
        "hybrid",
        PLAIN,
        t.both(t.raised({"frame_type": "max_data"}), t.scaled("pacing_rate", 0.9, 2000.0)),
    ),
    "five packets leave early there": (
        "pacing",
        "raimd",
        HELD_ACKS,
        t.both(t.raised({"frame_type": "max_stream_data", "stream_id": 3}), t.early(5, 1500.0)),
    ),
    "losses are not answered": ("loss", "vegas", LOSSY, t.never_less("congestion_window", 1.0)),
    "losses of reno are not answered": ("loss", "reno", LOSSY, t.never_less("congestion_window", 1.0)),
    "losses of raimd are not answered": ("loss", "raimd", LOSSY, t.never_less("pacing_rate", 1.0)),
    "faster while a third is lost": (
        "excessive loss",
        "hybrid",
        HEAVY,
        t.both(t.scaled("pacing_rate", 4.0, 3500.0), t.faster(4000.0, 4.0)),
    ),
    "four packets are left after persistent congestion": (
        "persistent congestion",
        "smallq",
        OUTAGE,
        t.both(t.at_least("congestion_window", 5000, 3000.0), t.at_least("pacing_rate", 200_000, 3000.0)),
    ),
    "an unused window grows": (
        "application limited",
        "smallq",
        PAUSES,
        t.both(t.growing("congestion_window", 1.005, 3000.0), t.growing("pacing_rate", 1.005, 3000.0)),
    ),
    "more marks than packets": ("ecn", "smallq", MARKED, t.marks_counted(100_000)),
    "marks are not answered": ("ce marks", "smallq", MARKED, t.never_less("congestion_window", 1.0)),
    "a silence of hybrid": ("silence", "hybrid", PLAIN, t.silence(2000.0, 1000.0)),
    "a silence of cubic": ("silence", "cubic", PLAIN, t.silence(2000.0, 2000.0)),
    "a silence of bbr2": ("silence", "bbr2", PLAIN, t.silence(2000.0, 1000.0)),
}


def failed(folder: FilePath, some: list[Json]) -> dict[str, str]:
    """The first breach of each invariant that does not hold."""
    judgements = judge(trace_of(folder, some))
    return {j.invariant.name: j.judged.breaches[0].message for j in judgements if j.outcome is Outcome.FAIL}


@pytest.mark.parametrize(("invariant", "spec", "path", "tamper"), CASES.values(), ids=CASES.keys())
def test_it_fails_by_that_invariant_alone(
    tmp_path: FilePath, invariant: str, spec: str, path: tuple[str, ...], tamper: Tamper
) -> None:
    some = lab.records(spec, *path)
    assert failed(tmp_path, some) == {}
    tamper(some)
    assert set(failed(tmp_path, some)) == {invariant}
