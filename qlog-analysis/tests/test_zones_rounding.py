"""What a few microseconds of rounding explain is no disagreement, and nothing beyond: of the paper's controller, whose
zones and decreases have steps at thresholds."""

from __future__ import annotations

from dataclasses import replace

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

P = replace(parameters("hybrid:paper"), r0=1e6)
LENGTH = 0.1
SIZE = 1250


def laws_broken(reported_ms: float, measured_ms: float, *, lost: int = 0) -> set[str]:
    """An epoch that does what is right for the reported delay, beside packets that show the measured one."""
    its = law.Epoch(reported_ms / 1e3, lost > 0, Trend.UNKNOWN, 1e6, LENGTH, SIZE, app_limited=False)
    done = law.update(its, P)
    report = PaperEpoch(
        epoch=0,
        duration=LENGTH * 1e3,
        length=LENGTH * 1e3,
        source="ack",
        samples=4,
        lost=lost,
        lost_in_all=lost,
        acked=10,
        delta=reported_ms,
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
    measured = Measured(
        start=1.0,
        end=1.0 + LENGTH,
        on_feedback=True,
        overdue=None,
        max_datagram_size=SIZE,
        lengths=(LENGTH, LENGTH),
        source=Source.ACK,
        samples=4,
        deltas=[measured_ms / 1e3],
        lost=(lost, lost),
        lost_in_all=(lost, lost),
        acked=10,
        sent_bits=1e5,
        return_delay=0.0,
        first_length=LENGTH,
        blackout={False},
        limits=Limits(P, SIZE, 10, 0.025),
        rowds=[[measured_ms / 1e3] * 4] * 2,
        return_delay_before=0.0,
        steps=[],
    )
    compared = Comparison(Update(9, 1.0 + LENGTH, report), measured, None)
    compared.run()
    return {f.law for f in compared.findings}


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
