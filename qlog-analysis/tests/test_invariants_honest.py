"""Honest senders break no invariant, whatever the path does; what is broken nevertheless is known, and said here."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

import lab
import tracewriter
from drawn_paths import alarms, draw
from foreign_layouts import picoquic, quic_go
from invariant_tampering import raised
from qlog_analysis.invariants.invariant import Judgement, Outcome
from qlog_analysis.invariants.run import ALL, judge
from qlog_analysis.load import load
from traces import FAST, records, trace_of
from tracewriter import Json

SPECS = ("hybrid", "cubic", "reno", "bbr2", "smallq", "vegas", "rrr", "raimd")
PATHS: dict[str, tuple[str, ...]] = {
    "plain": ("duration=3s",),
    "slow": ("link.there.rate=1Mbps", "duration=5s", "flow.main.timestamps=false"),
    "loss": ("link.there.loss=1%", "duration=3s"),
    "Wi-Fi": (
        "link.there.jitter=wifi:median=4ms,stall=50ms..100ms,every=1s",
        "link.back.aggregate=interval=8ms",
        "duration=3s",
    ),
    "reordering": ("link.there.reorder=p=3%,extra=12ms", "duration=3s"),
    "the address changes": ("flow.main.rebind=['1500ms']", "duration=3s"),
}
OUTAGE = ("link.there.outages=2s..3.2s", "duration=6s")
PAUSES = ('flow.main.traffic={ kind = "on_off", on = "150ms", off = "250ms", rate = "1Mbps" }', "duration=4s")
MARKS = ("link.there.queue=mark:q0=20p", "duration=4s")
HEAVY = ("link.there.loss=30%", "duration=6s")
ALARMED = {
    "start-up whose growth hears of a pause late": (
        "hybrid",
        (
            "link.there.rate=17066kbps",
            "link.there.delay=40.51ms",
            "link.back.delay=40.51ms",
            "link.there.buffer=20p",
            "link.back.rate=280kbps",
            "flow.main.initial_window=2",
            "flow.main.timestamps=false",
            'flow.main.traffic={ kind = "on_off", on = "686ms", off = "742ms", rate = "3746kbps" }',
            "duration=2s",
        ),
    ),
    "growth from a large initial window": (
        "hybrid",
        (
            "link.there.rate=20750kbps",
            "link.there.delay=14.11ms",
            "link.back.delay=14.11ms",
            "link.there.buffer=200ms",
            "link.back.rate=100kbps",
            "flow.main.initial_window=32",
            'flow.main.traffic={ kind = "on_off", on = "859ms", off = "449ms", rate = "2699kbps" }',
            "duration=2s",
        ),
    ),
    "a rate that short bursts use": (
        "rrr",
        (
            "link.there.rate=17593kbps",
            "link.there.delay=53.22ms",
            "link.back.delay=106.45ms",
            "link.there.buffer=4bdp",
            'flow.main.traffic={ kind = "on_off", on = "130ms", off = "529ms", rate = "3121kbps" }',
            "duration=2s",
        ),
    ),
    "a loss after a silence that is no persistent congestion": (
        "raimd",
        (
            "link.there.rate=1150kbps",
            "link.there.delay=1.28ms",
            "link.back.delay=2.57ms",
            "link.there.buffer=5p",
            "link.there.outages=2.54s..2.76s",
            "flow.main.timestamps=false",
            "duration=4s",
        ),
    ),
}


def judged(folder: FilePath, spec: str, *values: str) -> dict[str, Judgement]:
    return {j.invariant.name: j for j in judge(load(lab.written(folder, spec, *values)))}


def judgement(folder: FilePath, some: list[Json], name: str) -> Judgement:
    """On one invariant, of a trace that was changed."""
    return next(j for j in judge(trace_of(folder, some)) if j.invariant.name == name)


def broken(judgements: dict[str, Judgement]) -> dict[str, str]:
    return {n: j.judged.breaches[0].message for n, j in judgements.items() if j.outcome is Outcome.FAIL}


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_an_honest_sender_breaks_none(tmp_path: FilePath, path: tuple[str, ...], spec: str) -> None:
    judgements = judged(tmp_path, spec, *path)
    assert broken(judgements) == {}
    passed = {name for name, j in judgements.items() if j.outcome is Outcome.PASS}
    assert {"window", "in flight", "silence"} <= passed
    assert ("pacing" in passed) is (spec not in ("cubic", "reno"))  # which do not pace


@pytest.mark.parametrize("seed", range(20, 32))
def test_an_honest_sender_breaks_none_on_a_path_drawn_at_random(seed: int) -> None:
    drawn, found, names = alarms(draw(seed, ("smallq", "vegas", "hybrid")[seed % 3]), lab.program())
    assert not found, drawn
    assert {"window", "in flight"} <= set(names)


@pytest.mark.parametrize(("spec", "path"), ALARMED.values(), ids=ALARMED.keys())
def test_what_an_honest_sender_may_do_is_no_breach(tmp_path: FilePath, spec: str, path: tuple[str, ...]) -> None:
    assert broken(judged(tmp_path, spec, *path)) == {}


@pytest.mark.parametrize(
    ("spec", "path", "name"),
    [
        ("smallq", PAUSES, "application limited"),
        ("smallq", MARKS, "ecn"),
        ("smallq", OUTAGE, "persistent congestion"),
        ("vegas", OUTAGE, "persistent congestion"),
        ("hybrid", OUTAGE, "persistent congestion"),
        ("hybrid", HEAVY, "excessive loss"),
        ("raimd", PATHS["loss"], "loss"),
        ("cubic", PATHS["loss"], "loss"),
    ],
)
def test_every_invariant_is_judged_and_held_by_somebody(
    tmp_path: FilePath, spec: str, path: tuple[str, ...], name: str
) -> None:
    judgements = judged(tmp_path, spec, *path)
    assert broken(judgements) == {}
    assert judgements[name].outcome is Outcome.PASS


@pytest.mark.parametrize("spec", ["cubic", "reno", "bbr2"])
def test_quiches_own_controllers_do_not_answer_persistent_congestion(tmp_path: FilePath, spec: str) -> None:
    assert set(broken(judged(tmp_path, spec, *OUTAGE))) == {"persistent congestion"}


@pytest.mark.parametrize("frame", [{"frame_type": "max_data"}, {"frame_type": "max_stream_data", "stream_id": 3}])
def test_pacing_is_judged_beyond_the_first_limits(tmp_path: FilePath, frame: Json) -> None:
    some = lab.records("hybrid", "duration=3s")
    before = judgement(tmp_path, some, "pacing")
    raised(frame)(some)
    after = judgement(tmp_path, some, "pacing")
    assert [before.outcome, after.outcome] == [Outcome.PASS, Outcome.PASS]
    assert after.judged.cases == before.judged.cases > 1000


def test_an_ack_that_comes_together_with_the_end_of_a_stream_makes_no_silence(tmp_path: FilePath) -> None:
    """The window is full, and the ACK makes room at the moment at which the packet says that the stream ends."""
    some = lab.records("cubic", "duration=2s")
    before = judgement(tmp_path, some, "silence").judged
    came = [r["data"]["frames"] for r in some if r.get("name") == "quic:packet_received"]
    for i, frames in enumerate(came[30:]):
        frames.append({"frame_type": "stop_sending", "stream_id": 4000 + 4 * i})
    after = judgement(tmp_path, some, "silence")
    assert (after.outcome, after.judged.cases) == (Outcome.PASS, before.cases)
    assert after.judged.seconds == pytest.approx(before.seconds)


def test_what_a_trace_does_not_show_is_not_judged(tmp_path: FilePath) -> None:
    judgements = judged(tmp_path, "hybrid", "duration=0.05s")
    assert {j.outcome for j in judgements.values()} == {Outcome.NOT_JUDGED}
    assert all(j.why_not for j in judgements.values())
    without = [r for r in lab.records("cubic", "duration=2s") if r.get("name") != "quic:recovery_metrics_updated"]
    left = {j.invariant.name: j for j in judge(load(tracewriter.write(tmp_path / "x.sqlog", without)))}
    assert left["window"].why_not == "the trace does not report a congestion window"
    assert left["silence"].outcome is Outcome.PASS  # packets alone say that


@pytest.mark.parametrize("layout", [quic_go, picoquic])
def test_traces_of_other_writers_are_judged_by_what_they_have(tmp_path: FilePath, layout: object) -> None:
    assert callable(layout)
    path = tmp_path / "foreign.qlog"
    path.write_bytes(layout(tmp_path, records(FAST, 3.0)))
    outcomes = {j.invariant.name: j.outcome for j in judge(load(path))}
    assert Outcome.FAIL not in outcomes.values()
    assert Outcome.PASS in outcomes.values()
    assert len(outcomes) == len(ALL)
