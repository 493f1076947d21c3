"""What a few microseconds of rounding explain is no disagreement, and nothing beyond: of the paper's controller, whose
zones and decreases have steps at thresholds."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from paper_sender import parameters
from qlog_analysis.events import PaperEpoch
from qlog_analysis.hybrid_paper import law
from qlog_analysis.hybrid_paper.compare import Comparison
from qlog_analysis.hybrid_paper.epochs import Measured
from qlog_analysis.hybrid_paper.trend import Trend
from qlog_analysis.measure.sliding import Source
from qlog_analysis.model import Update
from qlog_analysis.zones.limits import Limits
from qlog_analysis.zones.measured import Beginning

P = replace(parameters("hybrid:paper"), initial_rate=1e6)
LENGTH = 0.1
SIZE = 1250


def laws_broken(reported_ms: float, measured_ms: float, *, lost: int = 0) -> set[str]:
    """An epoch that does what is right for the reported delay, beside packets that show the measured one."""
    its = law.Epoch(reported_ms / 1e3, lost > 0, Trend.UNKNOWN, 1e6, LENGTH, SIZE, app_limited=False)
    return found(report_of(law.update(its, P), reported_ms, lost), measured_of([measured_ms / 1e3], lost))


def found(report: PaperEpoch, measured: Measured) -> set[str]:
    compared = Comparison(Update(9, 1.0 + LENGTH, report), measured, None)
    compared.run()
    return {f.law for f in compared.findings}


def report_of(done: law.Update, delta_ms: float | None, lost: int = 0) -> PaperEpoch:
    return PaperEpoch(
        epoch=0,
        duration=LENGTH * 1e3,
        length=LENGTH * 1e3,
        source="ack",
        samples=0 if delta_ms is None else 4,
        lost=lost,
        lost_total=lost,
        acked=10,
        delta=delta_ms,
        trend="unknown",
        d0=P.d0 * 1e3,
        d1=P.d1 * 1e3,
        d2=P.d2 * 1e3,
        d3=P.d3 * 1e3,
        zone=done.zone,
        app_limited=False,
        alpha=done.alpha,
        beta=done.beta,
        rate_before=1e6,
        rate_after=done.rate,
        outcome=None,
        window=law.window(done.rate, LENGTH, SIZE),
    )


def measured_of(deltas: list[float], lost: int = 0, *, blackout: bool = False) -> Measured:
    return Measured(
        start=1.0,
        end=1.0 + LENGTH,
        on_feedback=True,
        overdue=None,
        max_datagram_size=SIZE,
        lengths=(LENGTH, LENGTH),
        source=Source.ACK,
        samples=4 * len(deltas),
        deltas=deltas,
        lost=(lost, lost),
        lost_total=(lost, lost),
        acked=10,
        sent_bits=1e5,
        return_delay=0.0,
        first_length=LENGTH,
        beginning=Beginning(10, {False}),
        blackout={blackout},
        limits=Limits(P, SIZE, 10, 0.025),
        rowds=[deltas * 4] * 2,
        return_delay_before=0.0,
        steps=[],
    )


@pytest.mark.parametrize("threshold_ms", [0.0, 12.0, 24.0, 48.0])
@pytest.mark.parametrize("reported_off", [-0.004, -0.0001, 0.0, 0.0001, 0.004])
@pytest.mark.parametrize("measured_off", [-0.0008, -0.00002, 0.0, 0.00002, 0.0008])
@pytest.mark.parametrize("lost", [0, 1])
def test_either_side_of_a_threshold_will_do(
    threshold_ms: float, reported_off: float, measured_off: float, lost: int
) -> None:
    reported = max(threshold_ms + reported_off, 0.0)
    measured = max(threshold_ms + measured_off, 0.0)
    assert laws_broken(reported, measured, lost=lost) == set()


@pytest.mark.parametrize("threshold_ms", [12.0, 24.0])
def test_beyond_rounding_the_side_counts(threshold_ms: float) -> None:
    assert laws_broken(threshold_ms, threshold_ms + 0.006) >= {"delta", "zone"}
    assert laws_broken(threshold_ms + 0.001, threshold_ms - 0.006) >= {"delta", "zone"}
    assert laws_broken(threshold_ms + 1.0, threshold_ms + 1.0) == set()


def test_a_rate_that_rounding_does_not_explain_is_named_beside_its_cause() -> None:
    assert laws_broken(18.0, 18.1) == {"delta", "rate"}
    assert laws_broken(1.0, 1.1) == {"delta", "rate"}


def test_an_epoch_without_samples_changes_nothing() -> None:
    honest, nothing = report_of(law.Update(None, None, None, 1e6), None), measured_of([])
    assert found(honest, nothing) == set()
    assert found(msgspec.structs.replace(honest, zone=1), nothing) == {"rate"}
    assert found(msgspec.structs.replace(honest, beta=0.25), nothing) == {"rate"}
    assert found(report_of(law.Update(None, None, None, 1.1e6), None), nothing) == {"rate"}
    assert found(honest, measured_of([0.001])) >= {"delta", "samples"}


def test_unless_it_showed_persistent_congestion() -> None:
    left = law.without_samples(1e6, LENGTH, SIZE, interrupted=True)
    honest, gone = msgspec.structs.replace(report_of(left, None), outcome="interrupted"), measured_of([], blackout=True)
    assert found(honest, gone) == set()
    assert found(msgspec.structs.replace(honest, outcome=None), gone) == {"outcome"}
    assert found(report_of(law.Update(None, None, None, 1e6), None), gone) == {"outcome", "rate"}
