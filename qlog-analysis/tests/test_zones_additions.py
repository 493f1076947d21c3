"""The default profile: whole connections pass, and a falsified trace fails with the law that does not hold."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path as FilePath

import pytest

import lab
import tampering
import tampering_additions as t
from qlog_analysis.check.verdict import Outcome
from qlog_analysis.hybrid.mechanism import Mechanism, as_text
from simulation import Path
from traces import DEFAULT, Tamper, assert_refused, epochs, records, verdict_of
from tracewriter import Json

PATH = Path(rate=8e6, delay=0.02, buffer=40_000, jitter=0.001)
LOSSY = Path(rate=8e6, delay=0.02, buffer=40_000, jitter=0.003, loss=0.01)
HEAVY = Path(rate=8e6, delay=0.02, buffer=40_000, loss=0.2)
SHORT = Path(rate=8e6, delay=0.02, buffer=3_000)
BATCHES = Path(rate=8e6, delay=0.02, buffer=40_000, ack_every=8)
"""ACKs are 10 ms apart."""

SLOWLY = DEFAULT.replace("drain_epochs=3", "drain_epochs=5")
"""A queue drains for more than one epoch."""


def with_option(name: str, value: float, unit: str = "") -> Tamper:
    return tampering.parameter_with_its_option(name, value, f"{name}={value:g}{unit}")


ALTERED: dict[str, tuple[Tamper, set[str]]] = {
    "another rate of arrival": (t.scaled(t.raises, 1.001, "delivery_rate"), {"delivery_rate"}),
    "another d0": (t.scaled(t.raises, 1.001, "d0"), {"thresholds"}),
    "another d1": (t.scaled(t.raises, 1.001, "d1"), {"thresholds"}),
    "another d2": (t.scaled(t.raises, 1.001, "d2"), {"thresholds"}),
    "another d3": (t.scaled(t.raises, 1.001, "d3"), {"thresholds"}),
    "d1 and what follows it 0.1 us higher": (t.shifted(t.raises, "d1", 1e-4), {"thresholds"}),
    "thresholds out of order": (t.where(t.raises, d2=0.0), {"thresholds"}),
    "excessive losses": (t.where(t.raises, excessive_loss=True), {"excessive_loss", "zone"}),
    "less time without a decrease": (t.where(t.raises, since_decrease=0.0), {"since_decrease"}),
    "more time without a decrease": (t.time_without_a_decrease_invented, {"since_decrease", "rate"}),
    "a larger increase": (t.larger_increase, {"alpha", "rate"}),
    "a decrease skipped": (t.decrease_skipped, {"beta", "return_rate", "rate"}),
    "a gentler decrease": (t.decrease_gentler, {"beta", "rate"}),
    "a decrease from R": (t.decrease_from_the_rate, {"return_rate", "rate"}),
    "a decrease from an invented arrival": (t.decrease_from_an_invented_arrival, {"delivery_rate", "rate"}),
    "another share": (t.scaled(t.drains, 1.001, "return_rate"), {"return_rate"}),
    "share null while a queue drains": (t.where(t.drains, return_rate=None), {"return_rate"}),
    "a share where no queue drains": (t.where(t.raises, return_rate=1e6), {"return_rate"}),
    "a share that is not learnt after start-up": (t.share_not_learnt, {"return_rate"}),
    "more jitter": (t.shifted(t.is_noisy, "jitter", 0.03), {"jitter"}),
    "less jitter": (t.shifted(t.is_noisy, "jitter", -0.03), {"jitter"}),
    "more jitter of ACKs": (t.shifted(t.is_noisy, "ack_jitter", 0.03), {"ack_jitter"}),
    "no jitter of ACKs": (t.where(t.is_noisy, ack_jitter=0.0), {"ack_jitter"}),
    "no jitter": (t.where(t.is_noisy, jitter=0.0), {"jitter"}),
    "more jitter for good": (t.jitter_for_good, {"jitter"}),
    "a wait skipped": (t.wait_skipped, {"timing"}),
    "a wait prolonged": (t.wait_prolonged, {"timing"}),
    "a wait cut short": (t.wait_cut_short, {"timing"}),
    "samples that count while it waits": (
        t.where(t.shows_a_decrease, samples=1, delta=0.0, zone=1),
        {"samples", "delta"},
    ),
    "a share that is not lowered": (t.share_kept, {"return_rate"}),
    "a share that is lowered too far": (t.scaled(t.lowers_its_share, 0.99, "return_rate"), {"return_rate"}),
    "R raised while a queue drains": (t.raised_while_a_queue_drains, {"alpha", "rate"}),
    "a return before the queue has drained": (t.returned_before_the_queue_has_drained, {"return_rate", "rate"}),
    "a return to the whole share": (t.returned_to_the_whole_share, {"rate"}),
    "more growth in start-up": (t.scaled(t.starts, 1.01, "rate_before", "rate_after"), {"rate"}),
    "less growth in start-up": (t.scaled(t.starts, 0.9, "rate_before", "rate_after"), {"rate"}),
    "a step at the end of an epoch of start-up": (t.scaled(t.starts, 1.5, "rate_after"), {"rate"}),
    "start-up prolonged": (t.startup_prolonged, {"beta", "return_rate", "rate"}),
    "start-up ended without a reason": (t.startup_ended_without_a_reason, {"beta", "return_rate", "rate"}),
    "start-up ended late": (t.startup_ended_late, {"timing"}),
    "an epoch of start-up ended early": (t.epoch_of_startup_ended_early, {"timing"}),
    "pacing ahead of the ACKs": (t.pacing_ahead_of_the_acks, {"pacing_rate"}),
    "growth in an application-limited epoch": (
        t.where(t.raises, app_limited=True, rate_tried=False),
        {"app_limited", "alpha"},
    ),
    "a window of one packet more": (t.shifted(t.raises, "window", 1250), {"window"}),
    **{
        f"{name} {value}": (tampering.parameter(name, value), {"parameters"})
        for name, value in (
            ("target_delay", 12.0),
            ("target_packets", 5.0),
            ("growth", 2.0),
            ("growth_period", 10.0),
            ("drain_epochs", 6.0),
            ("min_decrease", 0.1),
            ("startup_gain", 1.5),
            *(("without", mechanism.value) for mechanism in Mechanism),
        )
    },
    "target_packets with its option": (with_option("target_packets", 2.5), {"thresholds", "window"}),
    "target_delay with its option": (with_option("target_delay", 11.0, "ms"), {"thresholds"}),
    "min_decrease with its option": (with_option("min_decrease", 0.05), {"rate"}),
    "without clock_skew with its option": (tampering.left_out("clock_skew"), {"skew"}),
    "growing called start-up": (t.where(t.raises, state="startup"), {"state"}),
    "growing called draining": (t.where(t.raises, state="draining"), {"state"}),
    "growing called probing": (t.where(t.raises, state="probing"), {"state"}),
    "draining called growing": (t.where(t.drains_on, state="growing"), {"state"}),
    "draining called holding": (t.where(t.drains_on, state="holding"), {"state"}),
    "start-up called growing": (t.where(t.starts, state="growing"), {"state"}),
    "a state that does not exist": (t.where(t.raises, state="steady"), {"state"}),
    "growing called draining for good": (t.state_for_good, {"state"}),
    "queueing on the return path": (t.where(t.raises, return_delay=1.0), {"return_delay"}),
    "a time of a packet on the link": (t.where(t.raises, transmission_time=1.0), {"transmission_time"}),
    "another skew": (t.where(t.raises, skew=5.0), {"skew"}),
    "a stall": (t.where(t.raises, stalled=True), {"stalled"}),
    "another share of dips": (t.where(t.raises, variability=0.5), {"variability"}),
    "a queue of others": (t.where(t.raises, competing_queue=1.0), {"competing_queue"}),
    "another d_full": (t.shifted(t.raises, "full", 0.1), {"full"}),
    "drain_epochs with its option": (with_option("drain_epochs", 4.0), {"beta", "rate"}),
    "growth with its option": (with_option("growth", 1.3), {"alpha", "rate"}),
    "growth_period with its option": (with_option("growth_period", 80.0, "ms"), {"alpha", "rate"}),
    "startup_gain with its option": (with_option("startup_gain", 1.8), {"rate"}),
}


def added() -> list[Json]:
    return records(PATH, 4.0, SLOWLY)


@pytest.mark.parametrize(("tamper", "laws"), ALTERED.values(), ids=ALTERED.keys())
def test_a_falsified_trace_fails(tmp_path: FilePath, tamper: Tamper, laws: set[str]) -> None:
    assert_refused(tmp_path, added, tamper, laws)


ON_OTHER_PATHS: dict[str, tuple[Path, Tamper, set[str]]] = {
    "another gap": (BATCHES, t.scaled(t.waits_for_acks, 1.001, "ack_gap"), {"ack_gap"}),
    "no gap": (BATCHES, t.where(t.waits_for_acks, ack_gap=0.0), {"ack_gap"}),
    "another d_full": (SHORT, t.scaled(t.remembers, 1.01, "full"), {"full"}),
    "without full_buffer with its option": (SHORT, tampering.left_out("full_buffer"), {"full"}),
    "another background loss": (LOSSY, t.scaled(t.loses_elsewhere, 1.001, "background_loss"), {"background_loss"}),
    "another count of it": (LOSSY, t.shifted(t.loses_elsewhere, "background_lost", 1), {"background_lost"}),
    "no background loss": (LOSSY, t.where(t.loses_elsewhere, background_loss=0.0), {"background_loss"}),
    "more feedbacks that told of losses": (LOSSY, t.shifted(t.loses_elsewhere, "loss_reports", 1), {"loss_reports"}),
    "fewer feedbacks that told of losses": (LOSSY, t.shifted(t.loses_elsewhere, "loss_reports", -1), {"loss_reports"}),
    "excessive losses denied": (HEAVY, t.where(t.has_excessive_loss, excessive_loss=False), {"excessive_loss"}),
    "a burst called excessive": (LOSSY, t.where(t.loses_elsewhere, excessive_loss=True), {"excessive_loss"}),
    "more background loss with the share that belongs to it": (
        LOSSY,
        t.background_loss_with_a_matching_story,
        {"background_loss"},
    ),
}


@pytest.mark.parametrize(("path", "tamper", "laws"), ON_OTHER_PATHS.values(), ids=ON_OTHER_PATHS.keys())
def test_a_falsified_trace_of_another_path_fails(
    tmp_path: FilePath, path: Path, tamper: Tamper, laws: set[str]
) -> None:
    some = records(path, 4.0, SLOWLY)
    tamper(some)
    assert laws <= {f.law for f in verdict_of(tmp_path, some).findings}


@pytest.mark.parametrize("path", dict.fromkeys(path for path, _, _ in ON_OTHER_PATHS.values()), ids=repr)
def test_what_is_falsified_there_passes_untouched(tmp_path: FilePath, path: Path) -> None:
    assert verdict_of(tmp_path, records(path, 4.0, SLOWLY)).outcome is Outcome.PASS


def test_loss_in_a_short_queue_cannot_be_ignored(tmp_path: FilePath) -> None:
    some = records(SHORT, 4.0, SLOWLY)
    assert verdict_of(tmp_path, some).outcome is Outcome.PASS
    e, _ = t.chosen(some, t.loses_in_a_short_queue)
    e.update(zone=1, beta=None, return_rate=None, rate_after=e["rate_before"])
    assert {f.law for f in verdict_of(tmp_path, some).findings} >= {"zone", "rate"}


def test_an_untouched_trace_passes_and_visits_every_law(tmp_path: FilePath) -> None:
    some = added()
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()
    choices = (t.raises, t.lowers, t.drains, t.has_drained, t.learns, t.starts, t.ends_startup, t.is_noisy)
    for choice in choices:
        assert t.chosen(some, choice), choice.__name__


PATHS: dict[str, tuple[str, ...]] = {
    "plain": ("duration=4s",),
    "slow, no receive timestamps": ("link.there.rate=1Mbps", "duration=6s", "flow.main.timestamps=false"),
    "fast": ("link.there.rate=80Mbps", "duration=1s"),
    "short buffer, loss": ("link.there.buffer=2p", "link.there.loss=2%", "duration=4s"),
    "jitter, narrow way back": (
        "link.there.jitter=uniform:min=0ms,max=4ms,order=free",
        "link.back.rate=150kbps",
        "duration=4s",
    ),
    "heavy loss": ("link.there.loss=12%", "duration=4s"),
    "bursts of losses": ("link.there.loss=ge:p=2%,r=20%", "duration=4s"),
    "little to send": (
        'flow.main.traffic={ kind = "bursts", packets = 8, every = "60ms", buffer = 20 }',
        "duration=4s",
    ),
}
SPECS = (
    DEFAULT,
    "hybrid:growth=1,without=insist",
    "hybrid:without=link_rate+full_buffer",
    "hybrid:target_delay=12ms,without=dips+contention",
    f"hybrid:without={as_text(Mechanism)}",
    "hybrid:paper",
    "hybrid:paper,gamma=0,d1=20ms,d2=40ms,d3=80ms",
)
CASES = [
    (name, spec) for i, name in enumerate(PATHS) for j, spec in enumerate(SPECS) if spec == DEFAULT or (i + j) % 3 == 0
]
"""One profile on every path, and each of the others on a third of them."""


@pytest.mark.parametrize(("path", "spec"), CASES)
def test_traces_of_whole_connections_pass(tmp_path: FilePath, path: str, spec: str) -> None:
    v = verdict_of(tmp_path, lab.records(spec, *PATHS[path]))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_whole_connections_visit_what_the_checker_decides_on() -> None:
    seen = [e for path in PATHS.values() for e in epochs(lab.records(DEFAULT, *path))]
    assert {e["zone"] for e in seen} == {1, 2, 3, None}
    assert {e["excessive_loss"] for e in seen} == {e["app_limited"] for e in seen} == {True, False}
    assert any(t.loses_in_a_short_queue(e, e) for e in seen)
    assert any(e["return_rate"] for e in seen)
    assert any(e["alpha"] and e["since_decrease"] > 200.0 for e in seen)
    assert any(e["jitter"] > 0.5 for e in seen)
    assert any(e["ack_gap"] > 0.5 for e in seen)
    assert any(e["background_loss"] > 0.001 and e["return_rate"] and e["beta"] for e in seen)
    assert any(e["lost"] and e["zone"] != 3 and e["full"] < e["delta"] for e in seen if e["delta"])
    assert any(t.shows_a_decrease(e, e) for e in seen)
    assert any(t.lowers_its_share(b, a) for a, b in pairwise(seen) if b["epoch"] == a["epoch"] + 1)
