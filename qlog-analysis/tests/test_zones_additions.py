"""The default profile: whole connections pass, and a falsified trace fails with the law that does not hold."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path as FilePath

import pytest

import lab
import tampering
import tampering_additions as t
from qlog_analysis.check.verdict import Outcome
from simulation import Path
from traces import DEFAULT, Tamper, assert_refused, epochs, records, verdict_of
from tracewriter import Json

PATH = Path(rate=8e6, delay=0.02, buffer=40_000, jitter=0.001)
LOSSY = Path(rate=8e6, delay=0.02, buffer=40_000, jitter=0.001, loss=0.01)
HEAVY = Path(rate=8e6, delay=0.02, buffer=40_000, loss=0.2)
SHORT = Path(rate=8e6, delay=0.02, buffer=3_000)

SLOWLY = DEFAULT.replace("drain=3", "drain=5")
"""A queue drains for more than one epoch."""

ALTERED: dict[str, tuple[Tamper, set[str]]] = {
    "another rate of arrival": (t.scaled(t.raises, 1.001, "arrived"), {"arrived"}),
    "another d0": (t.scaled(t.raises, 1.001, "d0"), {"thresholds"}),
    "another d1": (t.scaled(t.raises, 1.001, "d1"), {"thresholds"}),
    "another d2": (t.scaled(t.raises, 1.001, "d2"), {"thresholds"}),
    "another d3": (t.scaled(t.raises, 1.001, "d3"), {"thresholds"}),
    "d1 and what follows it 0.1 us higher": (t.shifted(t.raises, "d1", 1e-4), {"thresholds"}),
    "thresholds out of order": (t.where(t.raises, d2=0.0), {"thresholds"}),
    "overwhelmed": (t.where(t.raises, overwhelmed=True), {"overwhelmed", "zone"}),
    "less time without a decrease": (t.where(t.raises, undisturbed=0.0), {"undisturbed"}),
    "more time without a decrease": (t.time_without_a_decrease_invented, {"undisturbed", "rate"}),
    "a larger increase": (t.larger_increase, {"alpha", "rate"}),
    "a decrease skipped": (t.decrease_skipped, {"beta", "share", "rate"}),
    "a gentler decrease": (t.decrease_gentler, {"beta", "rate"}),
    "a decrease from R": (t.decrease_from_the_rate, {"share", "rate"}),
    "a decrease from an invented arrival": (t.decrease_from_an_invented_arrival, {"arrived", "rate"}),
    "another share": (t.scaled(t.drains, 1.001, "share"), {"share"}),
    "share null while a queue drains": (t.where(t.drains, share=None), {"share"}),
    "a share where no queue drains": (t.where(t.raises, share=1e6), {"share"}),
    "a share that is not learnt after start-up": (t.share_not_learnt, {"share"}),
    "more noise": (t.shifted(t.is_noisy, "noise", 0.03), {"noise"}),
    "less noise": (t.shifted(t.is_noisy, "noise", -0.03), {"noise"}),
    "no noise": (t.where(t.is_noisy, noise=0.0), {"noise"}),
    "more noise for good": (t.noise_for_good, {"noise"}),
    "another gap": (t.scaled(t.waits_for_acks, 1.001, "gap"), {"gap"}),
    "no gap": (t.where(t.waits_for_acks, gap=0.0), {"gap"}),
    "a wait skipped": (t.wait_skipped, {"timing"}),
    "a wait prolonged": (t.wait_prolonged, {"timing"}),
    "a wait cut short": (t.wait_cut_short, {"timing"}),
    "samples that count while it waits": (
        t.where(t.shows_a_decrease, samples=1, delta=0.0, zone=1),
        {"samples", "delta"},
    ),
    "a share that is not lowered": (t.share_kept, {"share"}),
    "a share that is lowered too far": (t.scaled(t.lowers_its_share, 0.99, "share"), {"share"}),
    "R raised while a queue drains": (t.raised_while_a_queue_drains, {"alpha", "rate"}),
    "a return before the queue has drained": (t.returned_before_the_queue_has_drained, {"share", "rate"}),
    "a return to the whole share": (t.returned_to_the_whole_share, {"rate"}),
    "more growth in start-up": (t.scaled(t.starts, 1.01, "rate_before", "rate_after"), {"rate"}),
    "less growth in start-up": (t.scaled(t.starts, 0.9, "rate_before", "rate_after"), {"rate"}),
    "a step at the end of an epoch of start-up": (t.scaled(t.starts, 1.5, "rate_after"), {"rate"}),
    "start-up prolonged": (t.startup_prolonged, {"beta", "share", "rate"}),
    "start-up ended without a reason": (t.startup_ended_without_a_reason, {"beta", "share", "rate"}),
    "start-up ended late": (t.startup_ended_late, {"timing"}),
    "an epoch of start-up ended early": (t.epoch_of_startup_ended_early, {"timing"}),
    "pacing ahead of the ACKs": (t.pacing_ahead_of_the_acks, {"pacing_rate"}),
    "growth in an application-limited epoch": (t.where(t.raises, app_limited=True), {"app_limited", "alpha"}),
    "a window of one packet more": (t.shifted(t.raises, "window", 1250), {"window"}),
    **{
        name: (tampering.parameter(name, value), {"parameters"})
        for name, value in (
            ("insist", 0.3),
            ("queue", 5.0),
            ("drain", 6.0),
            ("grow", 2.0),
            ("period", 10.0),
            ("full", 0.5),
            ("losscap", 0.2),
            ("startup", 1.5),
            ("capacity", 0.0),
            ("skew", False),
            ("dip", 0.5),
            ("catchup", 1.0),
            ("compete", 0.0),
            ("d1", 12.0),
        )
    },
    "queue with its option": (tampering.parameter_with_its_option("queue", 2.5, "queue=2.5"), {"thresholds", "window"}),
    "d1 with its option": (tampering.parameter_with_its_option("d1", 11.0, "d1=11ms"), {"thresholds"}),
    "bmin with its option": (tampering.parameter_with_its_option("bmin", 0.05, "bmin=0.05"), {"rate"}),
    "skew with its option": (tampering.parameter_with_its_option("skew", False, "skew=off"), {"skew"}),
    "phase": (t.where(t.raises, phase="startup"), {"phase"}),
    "queueing on the return path": (t.where(t.raises, return_delay=1.0), {"return_delay"}),
    "a time of a packet on the link": (t.where(t.raises, transmission_time=1.0), {"transmission_time"}),
    "another skew": (t.where(t.raises, skew=5.0), {"skew"}),
    "a stall": (t.where(t.raises, stalled=True), {"stalled"}),
    "another share of dips": (t.where(t.raises, varies=0.5), {"varies"}),
    "a standing queue": (t.where(t.raises, standing=1.0), {"standing"}),
    "another d_full": (t.shifted(t.raises, "full", 0.1), {"full"}),
    "drain with its option": (tampering.parameter_with_its_option("drain", 4.0, "drain=4"), {"beta", "rate"}),
    "grow with its option": (tampering.parameter_with_its_option("grow", 1.3, "grow=1.3"), {"alpha", "rate"}),
    "period with its option": (tampering.parameter_with_its_option("period", 80.0, "period=80ms"), {"alpha", "rate"}),
    "startup with its option": (tampering.parameter_with_its_option("startup", 1.8, "startup=1.8"), {"rate"}),
}


def added() -> list[Json]:
    return records(PATH, 4.0, SLOWLY)


@pytest.mark.parametrize(("tamper", "laws"), ALTERED.values(), ids=ALTERED.keys())
def test_a_falsified_trace_fails(tmp_path: FilePath, tamper: Tamper, laws: set[str]) -> None:
    assert_refused(tmp_path, added, tamper, laws)


ON_OTHER_PATHS: dict[str, tuple[Path, Tamper, set[str]]] = {
    "another d_full": (SHORT, t.scaled(t.remembers, 1.01, "full"), {"full"}),
    "full with its option": (SHORT, tampering.parameter_with_its_option("full", 0.5, "full=0.5"), {"full"}),
    "another background loss": (LOSSY, t.scaled(t.loses_elsewhere, 1.001, "background_loss"), {"background_loss"}),
    "no background loss": (LOSSY, t.where(t.loses_elsewhere, background_loss=0.0), {"background_loss"}),
    "more feedbacks that told of losses": (LOSSY, t.shifted(t.loses_elsewhere, "loss_reports", 1), {"loss_reports"}),
    "fewer feedbacks that told of losses": (LOSSY, t.shifted(t.loses_elsewhere, "loss_reports", -1), {"loss_reports"}),
    "not overwhelmed": (HEAVY, t.where(t.is_overwhelmed, overwhelmed=False), {"overwhelmed"}),
    "a burst that overwhelms": (LOSSY, t.where(t.loses_elsewhere, overwhelmed=True), {"overwhelmed"}),
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
    assert verdict_of(tmp_path, some).outcome is Outcome.PASS
    tamper(some)
    assert laws <= {f.law for f in verdict_of(tmp_path, some).findings}


def test_loss_in_a_short_queue_cannot_be_ignored(tmp_path: FilePath) -> None:
    some = records(SHORT, 4.0, SLOWLY)
    assert verdict_of(tmp_path, some).outcome is Outcome.PASS
    e, _ = t.chosen(some, t.loses_in_a_short_queue)
    e.update(zone=1, beta=None, share=None, rate_after=e["rate_before"])
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
    "slow, no receive times": ("link.there.rate=1Mbps", "duration=6s", "flow.main.timestamps=false"),
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
    "hybrid:grow=1,insist=off",
    "hybrid:full=off,capacity=off",
    "hybrid:d1=12ms,compete=off,dip=off",
    "hybrid:paper",
    "hybrid:paper,gamma=0,d1=20ms,d2=40ms,d3=80ms",
)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_traces_of_whole_connections_pass(tmp_path: FilePath, path: tuple[str, ...], spec: str) -> None:
    v = verdict_of(tmp_path, lab.records(spec, *path))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_whole_connections_visit_what_the_checker_decides_on() -> None:
    seen = [e for path in PATHS.values() for e in epochs(lab.records(DEFAULT, *path))]
    assert {e["zone"] for e in seen} == {1, 2, 3, None}
    assert {e["overwhelmed"] for e in seen} == {e["app_limited"] for e in seen} == {True, False}
    assert any(t.loses_in_a_short_queue(e, e) for e in seen)
    assert any(e["share"] for e in seen)
    assert any(e["alpha"] and e["undisturbed"] > 200.0 for e in seen)
    assert any(e["noise"] > 0.5 for e in seen)
    assert any(e["gap"] > 0.5 for e in seen)
    assert any(e["background_loss"] > 0.001 and e["share"] and e["beta"] for e in seen)
    assert any(e["lost"] and e["zone"] != 3 and e["full"] < e["delta"] for e in seen if e["delta"])
    assert any(t.shows_a_decrease(e, e) for e in seen)
    assert any(t.lowers_its_share(b, a) for a, b in pairwise(seen) if b["epoch"] == a["epoch"] + 1)
