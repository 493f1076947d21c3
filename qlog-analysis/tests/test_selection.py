"""Percentiles of many values are those of all of them sorted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from qlog_analysis.arrays import Floats
from qlog_analysis.metrics import distribution, selection
from qlog_analysis.metrics.distribution import Distribution

COUNT, PART = 5000, 700
RANDOM = np.random.default_rng(1)
VALUES = {
    "even": RANDOM.random(COUNT),
    "with far ones": np.append(RANDOM.random(COUNT), (1e9, -1e9)),
    "few different ones": RANDOM.integers(0, 3, COUNT).astype(np.float64),
    "all the same": np.full(COUNT, 0.1),
    "next to one another": 1.0 + RANDOM.integers(0, 50, COUNT) * 2.0**-52,
    "rising": np.arange(COUNT, dtype=np.float64),
}


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (selection, distribution):
        monkeypatch.setattr(module, "FEW", 50)
    monkeypatch.setattr(selection, "STEPS", 8)


def in_parts(values: Floats) -> Iterator[Floats]:
    yield from (values[at : at + PART] for at in range(0, len(values), PART))


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_percentiles_of_values_in_parts(values: Floats) -> None:
    found, whole = Distribution.of_parts(lambda: in_parts(values)), Distribution.of_values(values)
    assert found.samples == whole.samples
    assert (found.min, found.p50, found.p95, found.max) == pytest.approx(
        (whole.min, whole.p50, whole.p95, whole.max), rel=1e-12
    )
    assert found.mean == pytest.approx(whole.mean, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_percentiles_by_the_time_for_which_values_hold(values: Floats) -> None:
    weights = np.random.default_rng(2).random(len(values))
    found = Distribution.over_time(lambda: zip(in_parts(values), in_parts(weights), strict=True))
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    p50, p95 = (values[order][np.searchsorted(share, q)] for q in (0.5, 0.95))
    assert (found.p50, found.p95) == (p50, p95)
    assert found.mean == pytest.approx(np.average(values, weights=weights), rel=1e-9, abs=1e-6)


def test_nothing_has_no_percentiles() -> None:
    nothing = np.empty(0)
    assert Distribution.of_parts(lambda: [nothing]) == Distribution(0)
    assert Distribution.over_time(lambda: [(nothing, nothing)]) == Distribution(0)
