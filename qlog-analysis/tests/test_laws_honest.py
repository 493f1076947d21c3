"""Traces of whole connections pass, whatever the path does to their packets."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

import lab
from qlog_analysis.check.run import check
from qlog_analysis.check.verdict import Outcome
from qlog_analysis.errors import NoLawError
from qlog_analysis.load import load

PATHS: dict[str, tuple[str, ...]] = {
    "plain": ("duration=3s",),
    "slow, loss, no receive timestamps": (
        "link.there.rate=1Mbps",
        "duration=4s",
        "link.there.loss=1%",
        "flow.main.timestamps=false",
    ),
    "marks and loss": ("link.there.queue=mark:q0=20p", "link.there.loss=0.5%", "duration=4s"),
    "reordering, jitter, narrow way back": (
        "link.there.reorder=p=3%,extra=12ms",
        "link.there.jitter=uniform:min=0ms,max=4ms,order=free",
        "link.back.rate=150kbps",
        "duration=3s",
    ),
    "outage": ("link.there.outages=2s..3.2s", "duration=5s"),
    "tiny buffer, no ECN": ("link.there.buffer=5p", "flow.main.ecn=false", "duration=2s"),
    "a source with less to send, less capacity, an outage": (
        'flow.main.traffic={ kind = "cbr", rate = "2Mbps" }',
        "link.there.rate=6Mbps@0s,1Mbps@2500ms",
        "link.there.outages=1s..1.6s",
        "duration=5s",
    ),
    "on and off": ('flow.main.traffic={ kind = "on_off", on = "150ms", off = "250ms", rate = "4Mbps" }', "duration=5s"),
    "fast": ("link.there.rate=30Mbps", "duration=0.8s"),
}

SPECS = (
    "smallq",
    "smallq:paper,ssthresh=20,ect=0",
    "vegas",
    "vegas:paper",
    "rrr",
    "rrr:paper",
    "rrr:feedback=linear,xtlim=6Mbps,n=16",
    "raimd",
    "raimd:paper",
    "raimd:target=2Mbps,history=5,wgain=3",
)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_the_law_holds(tmp_path: FilePath, path: tuple[str, ...], spec: str) -> None:
    v = check(load(lab.written(tmp_path, spec, *path)))
    assert v.outcome is Outcome.PASS, v.to_text()
    assert v.judged == v.updates


@pytest.mark.parametrize(
    ("spec", "field", "seen"),
    [
        ("smallq", "reaction", {None, "loss", "persistent_congestion"}),
        ("smallq", "ecn", {"capable", "unavailable"}),
        ("vegas", "cause", {"round", "queue", "loss", "persistent_congestion"}),
        ("vegas", "phase", {"slow_start", "recovery", "congestion_avoidance"}),
        ("rrr", "cause", {"measured", "persistent_congestion"}),
        ("rrr", "source", {"ack", "receive_timestamps"}),
        ("rrr", "phase", {"startup", "steady"}),
        ("raimd", "cause", {"increase", "startup", "unused", "loss", "persistent_congestion"}),
    ],
)
def test_the_traces_visit_what_the_checkers_decide_on(spec: str, field: str, seen: set[str | None]) -> None:
    assert seen <= {told[field] for path in PATHS.values() for told in lab.told(spec, *path)}


@pytest.mark.parametrize("packets", [2, 4, 32])
@pytest.mark.parametrize("spec", ["hybrid", "smallq", "vegas", "rrr", "raimd"])
def test_the_law_starts_from_the_initial_window_that_was_configured(
    tmp_path: FilePath, spec: str, packets: int
) -> None:
    v = check(load(lab.written(tmp_path, spec, f"flow.main.initial_window={packets}", "duration=2s")))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_rrr_starts_by_the_smallest_rtt_before_its_first_measurement(tmp_path: FilePath) -> None:
    """The queue of a neighbour drains meanwhile, so that the feedback that measures has the smallest RTT so far."""
    beside = (
        "link.there.rate=1195kbps",
        "link.there.buffer=100ms",
        "flow.main.rtt=14.0ms",
        "flow.neighbour.rtt=27.9ms",
    )
    times = ("flow.main.start=2.00s", "flow.neighbour.start=0.00s", "flow.main.timestamps=false", "duration=12s")
    v = check(load(lab.written(tmp_path, "rrr", *beside, *times, seed=102, scenario="neighbour")))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_raimd_keeps_to_a_loss_that_comes_with_its_first_sample(tmp_path: FilePath) -> None:
    """A neighbour has filled the buffer before it comes."""
    beside = ("link.there.rate=1378kbps", "link.there.buffer=1bdp", "flow.main.rtt=8.2ms", "flow.neighbour.rtt=8.2ms")
    times = ("flow.main.start=2s", "flow.neighbour.start=0s", "duration=4s")
    v = check(load(lab.written(tmp_path, "raimd", *beside, *times, seed=153, scenario="neighbour")))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_too_short_a_trace_is_no_pass(tmp_path: FilePath) -> None:
    v = check(load(lab.written(tmp_path, "raimd", "duration=0.3s")))
    assert v.outcome is Outcome.INCONCLUSIVE, v.to_text()


def test_of_quiches_own_controllers_no_law_is_known(tmp_path: FilePath) -> None:
    with pytest.raises(NoLawError, match=r"no equations to check.*states seen: .*slow_start"):
        check(load(lab.written(tmp_path, "cubic", "duration=1s")))
