"""Percentiles are by nearest rank, in SQL as well. `test_percentiles_lab.py` holds the lab to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from qlog_analysis.metrics import Distribution
from qlog_analysis.percentiles import median, percentiles, rank

VECTORS = Path(__file__).resolve().parents[2] / "tests" / "vectors" / "percentiles.json"
CASES = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_percentiles_are_those_of_the_shared_vectors(case: dict[str, Any]) -> None:
    values = np.array(case["values"])
    percents, expected = zip(*case["percentiles"], strict=True)
    assert percentiles(values, percents) == list(expected)
    assert median(values) == dict(case["percentiles"])[50]


def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed() -> None:
    for count in range(1, 200):
        values = np.arange(count)
        for percent in range(101):
            (found,) = percentiles(values, (percent,))
            assert 100 * (found + 1) >= percent * count
            assert found == 0 or 100 * found < percent * count


def test_sql_has_the_same_percentiles() -> None:
    query = "SELECT quantile_disc(i, 0.05), quantile_disc(i, 0.5), quantile_disc(i, 0.95) FROM range(1, ?) t(i)"
    for count in range(1, 300):
        found = duckdb.execute(query, [count + 1]).fetchone()
        assert found == tuple(rank(percent, count) for percent in (5, 50, 95)), count


def test_a_distribution_has_values_that_were_measured() -> None:
    two = Distribution.of_values(np.array([10.0, 20.0]))
    assert (two.p50, two.p95) == (10.0, 20.0)
