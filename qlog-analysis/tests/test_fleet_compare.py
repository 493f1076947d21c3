"""Two fleets side by side: intervals contain what is true, and nothing is called a difference that is none."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest

import fleets
from qlog_analysis.arrays import Floats
from qlog_analysis.errors import AnalysisError
from qlog_analysis.fleet.chosen import Chosen
from qlog_analysis.fleet.compare import (
    BETTER,
    FIGURES,
    NONE_SHOWN,
    TOO_FEW,
    WORSE,
    Difference,
    Figure,
    compare,
    difference,
    estimate,
)
from qlog_analysis.fleet.row import Row
from qlog_analysis.fleet.store import Store, Writer
from qlog_analysis.fleet.table import Table

DELAY = Figure("delay", "ms", "queueing_delay_p95_ms", 50)
NEAR_THE_END = Figure("delay", "ms", "queueing_delay_p95_ms", 95)
SHARE = Figure("lost", "%", "loss", None)
GOODPUT = Figure("goodput", "Mbit/s", "goodput_bps", 50, more_is_better=True)


def lognormal(seed: int, count: int, median: float) -> Floats:
    return np.sort(median * np.exp(np.random.default_rng(seed).normal(0.0, 0.8, count)))


def test_a_drawn_percentile_is_that_of_resampled_connections() -> None:
    values, other = lognormal(1, 300, 10.0), np.full(300, 0.0)
    d = difference(DELAY, values, other, 0.9, [1])
    random = np.random.default_rng(2)
    resampled = [np.sort(random.choice(values, len(values)))[149] for _ in range(20_000)]
    assert d.interval == pytest.approx(np.quantile(resampled, (0.05, 0.95)), rel=0.01)


@pytest.mark.parametrize(
    ("figure", "quantile_of_normal"), [(DELAY, 0.0), (NEAR_THE_END, 1.6449)], ids=["median", "95th percentile"]
)
def test_intervals_contain_the_known_difference_as_often_as_they_say(figure: Figure, quantile_of_normal: float) -> None:
    truth = (20.0 - 14.0) * np.exp(0.8 * quantile_of_normal)
    hits = 0
    for seed in range(300):
        a, b = lognormal(2 * seed, 400, 20.0), lognormal(2 * seed + 1, 300, 14.0)
        interval = difference(figure, a, b, 0.9, [seed]).interval
        assert interval is not None
        hits += interval[0] <= truth <= interval[1]
    assert 0.86 <= hits / 300 <= 0.97


def test_intervals_of_shares_contain_the_known_difference() -> None:
    hits = 0
    for seed in range(300):
        random = np.random.default_rng(seed)
        a, b = (np.sort(100.0 * (random.random(200) < p)) for p in (0.06, 0.03))
        interval = difference(SHARE, a, b, 0.9, [seed]).interval
        assert interval is not None
        hits += interval[0] <= 3.0 <= interval[1]
    assert 0.86 <= hits / 300 <= 0.97


def test_none_in_both_is_no_difference_and_not_known_exactly() -> None:
    d = difference(SHARE, np.zeros(50), np.zeros(60), 0.95, [1])
    assert d.word == NONE_SHOWN
    assert d.interval is not None
    assert d.interval[0] < -1.0
    assert d.interval[1] > 1.0


def test_less_delay_and_more_goodput_are_better() -> None:
    low, high = lognormal(1, 500, 10.0), lognormal(2, 500, 30.0)
    assert difference(DELAY, low, high, 0.95, [1]).word == BETTER
    assert difference(DELAY, high, low, 0.95, [1]).word == WORSE
    assert difference(GOODPUT, high, low, 0.95, [1]).word == BETTER
    assert difference(GOODPUT, low, high, 0.95, [1]).word == WORSE


def test_few_connections_say_nothing() -> None:
    many, few = lognormal(1, 1000, 10.0), lognormal(2, 19, 1000.0)
    assert difference(DELAY, many, few, 0.95, [1]).word == TOO_FEW
    assert difference(NEAR_THE_END, many, lognormal(2, 140, 1000.0), 0.95, [1]).word == TOO_FEW
    assert difference(DELAY, many, np.empty(0), 0.95, [1]).other is None
    assert estimate(DELAY, few) == few[9]


def made_up(store: FilePath, seed: int, count: int, delay: float = 20.0, **more: Any) -> Store:
    """A store whose connections were never on a network."""
    random, out = np.random.default_rng(seed), Store.made(store)
    rows = [
        Row(
            trace=f"/{store.name}/{i}.sqlog",
            size_bytes=1,
            modified="1",
            made_by="test",
            queueing_delay_p95_ms=delay * float(np.exp(random.normal(0.0, 0.8))),
            queueing_delay_mean_ms=0.5 * delay * float(np.exp(random.normal(0.0, 0.8))),
            rtt_p50_ms=40.0 + float(random.exponential(10.0)),
            goodput_bps=1e7 * float(np.exp(random.normal(0.0, 1.0))),
            packets_sent=1000,
            packets_lost=int(random.poisson(0.7)),
            loss_percent=float(random.exponential(0.2)),
            verdict="FAIL" if random.random() < 0.02 else "PASS",
            **{"controller": "hybrid", "options": "default", **more},
        )
        for i in range(count)
    ]
    Writer(out, 1).add(rows)
    return out


def compared(this: Store, other: Store, seed: int = 1) -> dict[str, Difference]:
    with Table(this) as a, Table(other) as b:
        differences = compare((a, Chosen.by([])), (b, Chosen.by([])), seed)
    assert len(differences) == len(FIGURES)
    return {d.name: d for d in differences}


def test_of_two_fleets_only_what_differs_is_called_so(tmp_path: FilePath) -> None:
    this, other = made_up(tmp_path / "a", 1, 800, delay=10.0), made_up(tmp_path / "b", 2, 600, delay=20.0)
    said = compared(this, other)
    assert said == compared(this, other)
    assert said != compared(this, other, seed=2)
    delay = said["queueing delay per packet, 95th percentile of a connection: median"]
    assert delay.word == BETTER
    assert delay.interval is not None
    assert delay.interval[0] < -10.0 < delay.interval[1]
    assert delay.connections == (800, 600)
    assert {d.word for name, d in said.items() if "queueing" not in name} == {NONE_SHOWN}


def test_of_like_fleets_all_figures_together_are_seldom_called_different(tmp_path: FilePath) -> None:
    alarms = 0
    for seed in range(20):
        this, other = (made_up(tmp_path / f"{seed}-{side}", 2 * seed + side, 200) for side in (0, 1))
        alarms += any(d.word in (BETTER, WORSE) for d in compared(this, other, seed=seed).values())
    assert alarms <= 3  # with 5 % each, 4 or more are as seldom as 1.6 %


def test_two_parts_of_one_store_are_told_apart_by_conditions(tmp_path: FilePath) -> None:
    store = made_up(tmp_path / "a", 1, 300, delay=10.0)
    other = made_up(tmp_path / "b", 2, 300, delay=30.0, controller="bbr2")
    for part in other.parts():
        part.rename(store.path / f"b-{part.name}")
    with Table(store) as table:
        hybrid, bbr2 = Chosen.by(["controller=hyb*"]), Chosen.by(["controller=bbr?", "goodput_bps>=0"])
        words = [d.word for d in compare((table, hybrid), (table, bbr2), 1)]
    assert words[:3] == [BETTER] * 3
    assert NONE_SHOWN in words


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("controler=x", "did you mean controller"),
        ("controller>=x", "is text, which has only ="),
        ("goodput_bps=fast", "is a number"),
        ("controller", "is no condition"),
        ("packets_sent>=nan", "is a number"),
        ("packets_sent<=inf", "is a number"),
        ("disagreements=delta", "disagreements is a list, for which there are no conditions"),
        ("disagreement=delta", "has no column disagreement$"),
        ("title=x\udcff", "must be UTF-8"),
        ("x; DROP TABLE newest=1", "is no condition"),
    ],
)
def test_a_wrong_condition_says_what_is_wrong(condition: str, expected: str) -> None:
    with pytest.raises(AnalysisError, match=expected):
        Chosen.by([condition])


def test_a_value_of_a_condition_is_text_whatever_it_says(tmp_path: FilePath) -> None:
    store = made_up(tmp_path / "a", 1, 3, options="x' OR '1'='1[a]\\s")
    with Table(store) as table:
        for value, count in (("x' OR '1'='1[a]\\s", 3), ("' OR '1'='1", 0), ("*[a]?s", 3), ("*[b]*", 0), ("*s", 3)):
            chosen = Chosen.by([f"options={value}"])
            ((n,),) = table.ask(f"SELECT count(*) FROM connections WHERE {chosen.where}", chosen.parameters)
            assert n == count, value
    assert fleets.names(store.path) == ["0.sqlog", "1.sqlog", "2.sqlog"]
