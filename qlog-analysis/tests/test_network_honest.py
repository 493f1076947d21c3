"""Honest senders break no invariant of the network's side, and what cannot be judged is not passed."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

import lab
import tracewriter
from qlog_analysis.invariants.invariant import Judgement, Outcome
from qlog_analysis.load import load
from qlog_analysis.network.run import ALL, judge
from records import by_a_relay, ends_early
from traces import trace_of

SPECS = ("hybrid", "hybrid:paper", "cubic", "bbr2", "smallq", "raimd")
PATHS: dict[str, tuple[str, ...]] = {
    "plain": ("duration=3s",),
    "no receive timestamps": ("link.there.rate=1Mbps", "duration=5s", "flow.main.timestamps=false"),
    "loss": ("link.there.loss=1%", "duration=3s"),
    "Wi-Fi": (
        "link.there.jitter=wifi:median=4ms,stall=50ms..100ms,every=1s",
        "link.back.aggregate=interval=8ms",
        "duration=4s",
    ),
    "reordering": ("link.there.reorder=p=3%,extra=12ms", "duration=3s"),
    "marks": ("link.there.queue=mark:q0=20p", "duration=3s"),
    "the address changes": ("flow.main.rebind=['1500ms']", "duration=3s"),
    "the clock of the client is fast": ("flow.main.clock={ drift_ppm = 50.0 }", "duration=4s"),
}
SEEDS = (1, 2, 3)


def judged(folder: FilePath, spec: str, *values: str, seed: int = 1, scenario: str = "path") -> dict[str, Judgement]:
    some, record = lab.recorded(folder, spec, *values, seed=seed, scenario=scenario)
    return {j.invariant.name: j for j in judge(trace_of(folder, some), record)}


def broken(judgements: dict[str, Judgement]) -> dict[str, str]:
    """With the first breach of each."""
    return {name: j.judged.breaches[0].message for name, j in judgements.items() if j.judged.breaches}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
@pytest.mark.parametrize("spec", SPECS)
def test_an_honest_sender_breaks_none(tmp_path: FilePath, spec: str, path: tuple[str, ...]) -> None:
    came = judged(tmp_path, spec, *path)
    assert broken(came) == {}
    assert came["arrivals"].outcome is came["deliveries"].outcome is Outcome.PASS
    assert (came["true queue"].outcome is Outcome.PASS) == (spec == "hybrid")


@pytest.mark.parametrize("seed", SEEDS)
def test_so_with_every_seed_and_beside_others(tmp_path: FilePath, seed: int) -> None:
    assert broken(judged(tmp_path, "hybrid", *PATHS["Wi-Fi"], seed=seed)) == {}
    assert broken(judged(tmp_path, "hybrid", "duration=6s", seed=seed, scenario="neighbour")) == {}


def test_every_datagram_of_the_trace_has_its_row(tmp_path: FilePath) -> None:
    some, _ = lab.recorded(tmp_path, "hybrid", *PATHS["loss"])
    came = judged(tmp_path, "hybrid", *PATHS["loss"])
    assert came["arrivals"].judged.cases == sum(r.get("name") == "quic:packet_sent" for r in some)


def test_what_a_trace_does_not_have_is_not_judged(tmp_path: FilePath) -> None:
    came = judged(tmp_path, "reno", *PATHS["plain"])
    words = {name: j.why_not for name, j in came.items() if j.outcome is Outcome.NOT_JUDGED}
    assert words["spacing"] == "the trace does not report a pacing rate"
    assert "no queueing delay" in str(words["true queue"])


def test_too_short_a_trace_is_not_judged(tmp_path: FilePath) -> None:
    some, record = lab.recorded(tmp_path, "hybrid", *PATHS["plain"])
    sent = [n for n, r in enumerate(some) if r.get("name") == "quic:packet_sent"]
    trace = load(tracewriter.write(tmp_path / "short.sqlog", some[: sent[4]]))
    assert {j.outcome for j in judge(trace, record)} == {Outcome.NOT_JUDGED}


@pytest.mark.parametrize("spec", ["hybrid", "cubic"])
def test_a_clock_of_its_own_and_packets_that_come_late_are_tolerated(tmp_path: FilePath, spec: str) -> None:
    some, record = lab.recorded(tmp_path, spec, *PATHS["loss"])
    came = {j.invariant.name: j for j in judge(trace_of(tmp_path, some), by_a_relay(record))}
    assert broken(came) == {}
    assert came["arrivals"].outcome is came["deliveries"].outcome is Outcome.PASS
    assert came["spacing"].outcome is Outcome.NOT_JUDGED


@pytest.mark.parametrize("told", [True, False])
def test_what_is_sent_when_a_relay_stops_need_not_come(tmp_path: FilePath, told: bool) -> None:
    some, record = lab.recorded(tmp_path, "hybrid", "duration=2s")
    came = {j.invariant.name: j for j in judge(trace_of(tmp_path, some), ends_early(record, told))}
    assert came["arrivals"].outcome is (Outcome.PASS if told else Outcome.FAIL)


def test_all_have_names_of_their_own() -> None:
    assert len({i.name for i in ALL}) == len(ALL)
