"""What a few microseconds of rounding explain is no disagreement, and nothing beyond."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qlog_analysis.events import HybridEpoch
from qlog_analysis.hybrid import law
from qlog_analysis.hybrid.compare import compare
from qlog_analysis.hybrid.measured import Limits, Measured
from qlog_analysis.hybrid.parameters import PAPER
from qlog_analysis.hybrid.sides import Before
from qlog_analysis.hybrid.standing import Standing
from qlog_analysis.hybrid.thresholds import thresholds
from qlog_analysis.hybrid.trend import Trend
from qlog_analysis.measure.sliding import Source
from qlog_analysis.model import Update

P = replace(PAPER, trend=False, r0=1e6)
LENGTH = 0.1
SIZE = 1250
BOUNDS = thresholds(1e6, SIZE, P)


def laws_broken(reported_ms: float, measured_ms: float, *, lost: int = 0) -> set[str]:
    """An epoch that does what is right for the reported delay, beside packets that show the measured one."""
    done = law.update(
        law.Epoch(
            delta=reported_ms / 1e3,
            lost=lost > 0,
            overwhelmed=False,
            trend=Trend.OFF,
            rate=1e6,
            length=LENGTH,
            packet_bytes=SIZE,
            app_limited=False,
            startup=False,
            queues=False,
            arrived=1e6,
            uncertain=0.0,
            background=0.0,
            thresholds=BOUNDS,
            full=BOUNDS.d1,
        ),
        P,
        law.Course(),
    )
    report = HybridEpoch(
        epoch=0,
        duration=LENGTH * 1e3,
        length=LENGTH * 1e3,
        source="ack",
        samples=4,
        lost=lost,
        loss_reports=min(lost, 1),
        lost_in_all=lost,
        acked=10,
        arrived=1e6,
        delta=reported_ms,
        skew=None,
        transmission_time=0.0,
        trend="off",
        noise=0.0,
        gap=0.0,
        background_loss=0.0,
        d0=BOUNDS.d0 * 1e3,
        d1=BOUNDS.d1 * 1e3,
        d2=BOUNDS.d2 * 1e3,
        d3=BOUNDS.d3 * 1e3,
        full=BOUNDS.d1 * 1e3,
        overwhelmed=False,
        stalled=False,
        varies=0.0,
        zone=done.zone,
        phase="steady",
        app_limited=False,
        undisturbed=0.0,
        alpha=done.alpha,
        beta=done.beta,
        rate_before=1e6,
        rate_after=done.rate,
        share=None,
        standing=0.0,
        outcome=None,
        return_delay=0.0,
        window=law.window(done.rate, LENGTH, SIZE, P),
    )
    measured = Measured(
        start=1.0,
        end=1.0 + LENGTH,
        end_record=9,
        on_feedback=True,
        overdue=None,
        limits=Limits(P, SIZE, 10, 0.025),
        lengths=(LENGTH, LENGTH),
        source=Source.ACK,
        rowds=[[measured_ms / 1e3] * 4] * 2,
        means=[measured_ms / 1e3],
        deltas=[measured_ms / 1e3],
        lost=(lost, lost),
        loss_reports=(min(lost, 1), min(lost, 1)),
        lost_in_all=(lost, lost),
        acked=10,
        acked_bits=1e5,
        sent_bits=1e5,
        skews=[None],
        transmission=0.0,
        believed=0.0,
        believed_next=0.0,
        return_delay=0.0,
        first_length=LENGTH,
        longest=[measured_ms / 1e3] * 2,
    )
    before = Before(None, False, law.Course(), False, [0.0], (0.0, 0.0), None, Standing(), frozenset({0.0}))
    compared = compare(Update(9, 1.0 + LENGTH, report), measured, before)
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
