"""An honest sender passes, whatever the path does to its packets."""

from __future__ import annotations

import random
from pathlib import Path as FilePath

import pytest

from qlog_analysis.check.verdict import Outcome
from simulation import Path
from traces import DEFAULT, FAST, LONG, PAPER, SLOW, epochs, records, verdict_of
from tracewriter import Json

PATHS = {
    "plain": FAST,
    "slow": SLOW,
    "jitter": Path(jitter=0.003),
    "loss": Path(loss=0.02),
    "reordering": Path(reorder=0.05),
    "small packets": Path(app_rate=2e6),
    "delayed acks": Path(ack_every=2),
    "tiny buffer": Path(buffer=6_000),
    "fast": Path(rate=2e7, delay=0.01, buffer=60_000),
    "everything": Path(jitter=0.004, loss=0.01, reorder=0.02, ack_every=2, app_rate=4.5e6),
    "clock drift": Path(drift=200e-6),
}
SPECS = (
    "hybrid",
    "hybrid:paper,initial_rate=26Mbps",
    "hybrid:startup_gain=4,without=clock_skew",
    "hybrid:target_delay=10ms,base_delay_window=1234ms",
    "hybrid:growth=1,without=insist+contention+dips+catch_up",
    "hybrid:paper,gamma=0.5,base_delay_window=1234ms,d0=2ms",
    PAPER,
    DEFAULT,
)


CASES = [
    (name, spec)
    for i, name in enumerate(PATHS)
    for j, spec in enumerate(SPECS)
    if spec in (PAPER, DEFAULT) or (i + j) % 4 == 1
]
"""Two profiles on every path, and each of the others on a quarter of them."""

SEED = 3


def honest(path: Path, spec: str) -> list[Json]:
    """Long enough for epochs with samples."""
    return records(path, 5.0 if path is SLOW else 2.5, spec, SEED)


@pytest.mark.parametrize(("path", "spec"), CASES)
def test_an_honest_trace_passes(tmp_path: FilePath, path: str, spec: str) -> None:
    v = verdict_of(tmp_path, honest(PATHS[path], spec))
    assert v.outcome is Outcome.PASS, f"seed {SEED}\n{v.to_text()}"
    assert v.worst_delta_error_us is not None
    assert v.worst_delta_error_us < 2.5


def test_a_sender_with_a_window_alone_passes(tmp_path: FilePath) -> None:
    v = verdict_of(tmp_path, records(FAST, 4.0, "hybrid:paper,gamma=0"))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_the_simulated_traces_visit_what_the_checker_decides_on() -> None:
    seen = [e for path, spec in CASES for e in epochs(honest(PATHS[path], spec))]
    assert {e["zone"] for e in seen} == {1, 2, 3, None}
    assert {e["state"] for e in seen if "state" in e} == {"startup", "growing", "draining"}
    assert {e["trend"] for e in seen if "trend" in e} == {"increasing", "non_increasing", "unknown"}
    assert {e["app_limited"] for e in seen} == {True, False}
    assert any(e["lost"] for e in seen)
    assert any(e["alpha"] == 0.0 for e in seen)


def test_long_epochs_are_condensed_as_the_controller_does(tmp_path: FilePath) -> None:
    some = records(LONG, 3.0, "hybrid:paper,amin=10kbps,amax=500kbps,initial_rate=36Mbps,d1=40ms,d2=80ms,d3=160ms")
    long = [e for e in epochs(some) if e["samples"] > 128]
    assert len(long) > 5
    assert {e["trend"] for e in long} == {"increasing", "non_increasing"}
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()


@pytest.mark.parametrize("spec", [PAPER, DEFAULT])
def test_the_clock_of_the_trace_may_be_off_by_its_resolution(tmp_path: FilePath, spec: str) -> None:
    """Truncation to 1 us is all that is known about times; another rounding must not matter."""
    seed = 9
    rng = random.Random(seed)
    some = records(FAST, 4.0, spec)
    shift: dict[float, float] = {}
    last = 0.0
    for r in some[1:]:
        if r["time"] not in shift:
            last = max(last, round(r["time"] + rng.choice((0.0, 0.001)), 3))
            shift[r["time"]] = last
        r["time"] = shift[r["time"]]
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, f"seed {seed}\n{v.to_text()}"


@pytest.mark.parametrize("spec", [PAPER, DEFAULT])
def test_summary_counts_what_was_there(tmp_path: FilePath, spec: str) -> None:
    some = records(FAST, 4.0, spec)
    v = verdict_of(tmp_path, some)
    data = v.to_json()
    assert data["verdict"] == "PASS"
    assert data["epochs"] == len(epochs(some))
    if spec is DEFAULT:
        assert data["epochs_in_startup"] == sum(e["state"] == "startup" for e in epochs(some))
    else:
        assert "epochs_in_startup" not in data
    decided = [e for e in epochs(some) if e["zone"] is not None]
    assert data["zone_share"]["2"] == pytest.approx(sum(e["zone"] == 2 for e in decided) / len(decided))
    assert sum(data["zone_share"].values()) == pytest.approx(1.0)


def test_too_few_epochs_are_no_pass(tmp_path: FilePath) -> None:
    v = verdict_of(tmp_path, records(SLOW, 1.0))
    assert 0 < len(v.epochs) < 10
    assert v.outcome is Outcome.INCONCLUSIVE
    assert "too few epochs" in v.to_text()
