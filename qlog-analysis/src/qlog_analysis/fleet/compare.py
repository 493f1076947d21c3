"""Two fleets side by side, with intervals for what differs.

Percentiles over connections are compared by the bootstrap. A resampled percentile is an order statistic of a sample, so
it is drawn at once, as a Beta variate (David and Nagaraja, Order Statistics, section 2.1), instead of by resampling all
connections. Shares are drawn from the posterior with the prior of Jeffreys, Beta(1/2, 1/2), which knows that none of
fifty is not never.

All intervals together are to hold with `CONFIDENCE`: each has its part of what is left (Bonferroni).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..percentiles import rank
from .chosen import Chosen
from .table import Table

CONFIDENCE = 0.95
DRAWS = 20_000
FEWEST = 20
"""Connections on either side; of percentiles near the ends so many beyond them as `FEWEST_BEYOND`."""
FEWEST_BEYOND = 7.5


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    unit: str
    column: str
    """An expression; of shares it is 0 or 1."""
    percentile: int | None
    """Over connections; None is a share."""
    more_is_better: bool = False


FIGURES = (
    Figure("queueing delay per packet, 95th percentile of a connection: median", "ms", "queueing_delay_p95_ms", 50),
    Figure(
        "queueing delay per packet, 95th percentile of a connection: 95th percentile", "ms", "queueing_delay_p95_ms", 95
    ),
    Figure("queueing delay per packet, mean of a connection: median", "ms", "queueing_delay_mean_ms", 50),
    Figure("round trip, median of a connection: median", "ms", "rtt_p50_ms", 50),
    Figure("goodput: median", "Mbit/s", "goodput_bps / 1e6", 50, more_is_better=True),
    Figure("goodput: 5th percentile", "Mbit/s", "goodput_bps / 1e6", 5, more_is_better=True),
    Figure("packets lost: median", "%", "loss_percent", 50),
    Figure("packets lost: 95th percentile", "%", "loss_percent", 95),
    Figure("connections with a packet lost", "%", "100 * (packets_lost > 0)::INT", None),
    Figure("verdict FAIL, of PASS and FAIL", "%", "CASE verdict WHEN 'FAIL' THEN 100 WHEN 'PASS' THEN 0 END", None),
)
BETTER, WORSE, NONE_SHOWN, TOO_FEW = "better", "worse", "no difference shown", "too few connections"


@dataclass(frozen=True, slots=True)
class Difference:
    """This fleet less the other."""

    name: str
    unit: str
    this: float | None
    other: float | None
    connections: tuple[int, int]
    """That have the figure."""
    interval: tuple[float, float] | None
    """Of this less other."""
    word: str


def compare(
    this: tuple[Table, Chosen], other: tuple[Table, Chosen], seed: int, figures: tuple[Figure, ...] = FIGURES
) -> list[Difference]:
    """The same for the same connections and seed."""
    columns = [(f, _sorted(this, f), _sorted(other, f)) for f in figures]
    judged = sum(enough(f, len(a)) and enough(f, len(b)) for f, a, b in columns)
    level = 1.0 - (1.0 - CONFIDENCE) / max(judged, 1)
    return [difference(f, a, b, level, [seed, number]) for number, (f, a, b) in enumerate(columns)]


def _sorted(of: tuple[Table, Chosen], figure: Figure) -> Floats:
    table, chosen = of
    values = np.ma.filled(table.column(figure.column, chosen.where, chosen.parameters), np.nan)
    return np.sort(np.asarray(values, dtype=np.float64))


def enough(figure: Figure, count: int) -> bool:
    percent = 50 if figure.percentile is None else figure.percentile
    return count >= FEWEST and count * min(percent, 100 - percent) >= 100 * FEWEST_BEYOND


def difference(figure: Figure, this: Floats, other: Floats, level: float, seed: list[int]) -> Difference:
    """Of sorted values."""
    counts = (len(this), len(other))
    a, b = estimate(figure, this), estimate(figure, other)
    if a is None or b is None or not (enough(figure, len(this)) and enough(figure, len(other))):
        return Difference(figure.name, figure.unit, a, b, counts, None, TOO_FEW)
    # Of the draws, which are as many as one likes, it makes no difference how a quantile is defined.
    draws = _drawn(figure, this, [*seed, 0]) - _drawn(figure, other, [*seed, 1])
    low, high = (float(x) for x in np.quantile(draws, ((1.0 - level) / 2.0, (1.0 + level) / 2.0)))
    return Difference(figure.name, figure.unit, a, b, counts, (low, high), _word(figure, low, high))


def _word(figure: Figure, low: float, high: float) -> str:
    if low <= 0.0 <= high:
        return NONE_SHOWN
    return BETTER if (low > 0.0) == figure.more_is_better else WORSE


def estimate(figure: Figure, values: Floats) -> float | None:
    if not len(values):
        return None
    if figure.percentile is None:
        return float(values.mean())
    return float(values[rank(figure.percentile, len(values)) - 1])


def _drawn(figure: Figure, values: Floats, seed: list[int]) -> Floats:
    random, n = np.random.default_rng(seed), len(values)
    if figure.percentile is None:
        yes = float((values > 0.0).sum())
        return 100.0 * random.beta(yes + 0.5, n - yes + 0.5, DRAWS)
    k = rank(figure.percentile, n)
    place = np.ceil(n * random.beta(k, n - k + 1, DRAWS)).astype(np.int64)
    return values[np.clip(place, 1, n) - 1]


def to_json(differences: list[Difference]) -> list[dict[str, Any]]:
    return [
        {
            "figure": d.name,
            "unit": d.unit,
            "this": d.this,
            "other": d.other,
            "connections": list(d.connections),
            "interval": None if d.interval is None else list(d.interval),
            "says": d.word,
        }
        for d in differences
    ]
