"""What a score says."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from .harms import (
    ENDLESS,
    HARMS,
    LEAST_LOSS,
    LEAST_QUEUE_MS,
    LEAST_SHARE,
    LEAST_STALL_S,
    Figures,
    Scores,
    compared,
    fair_bps,
    worst,
)
from .space import Path

GOOD = Figures(capacity_bps=10e6, goodput_bps=9e6, silence_s=0.1, queueing_ms=5.0, loss=0.001, neighbours_bps=0.0)
OTHERS = {"cubic": replace(GOOD, queueing_ms=40.0, loss=0.01), "bbr2": GOOD}


def scores(path: Path, of: Figures, others: dict[str, Figures]) -> Scores:
    return compared(path, of, others).scores


def test_who_is_as_good_as_the_better_rival_scores_nothing() -> None:
    assert scores(Path(), GOOD, OTHERS) == dict.fromkeys(HARMS, 0.0)


def test_the_rival_is_one_controller_and_not_the_best_of_both() -> None:
    """A short queue with losses, a long one without: neither has both, so that nobody has to."""
    full, lossy = replace(GOOD, queueing_ms=200.0, loss=0.0), replace(GOOD, queueing_ms=2.0, loss=0.003)
    found = compared(Path(), lossy, {"cubic": full, "bbr2": lossy})
    assert found.rival == "bbr2"
    assert found.scores == dict.fromkeys(HARMS, 0.0)


def test_a_harm_that_others_make_up_for_shows_in_the_sum() -> None:
    found = compared(Path(), replace(GOOD, queueing_ms=0.0, loss=0.004), {"bbr2": replace(GOOD, queueing_ms=40.0)})
    assert found.scores["loss"] == pytest.approx(1.0)
    assert found.scores["queue"] < -3.0
    assert found.together < 0.0


@pytest.mark.parametrize(
    ("harm", "changes"),
    [
        ("starvation", {"goodput_bps": (GOOD.goodput_bps - LEAST_SHARE * GOOD.capacity_bps) / 2}),
        ("stall", {"silence_s": 2 * GOOD.silence_s + LEAST_STALL_S}),
        ("queue", {"queueing_ms": 2 * GOOD.queueing_ms + LEAST_QUEUE_MS}),
        ("loss", {"loss": 2 * GOOD.loss + LEAST_LOSS}),
    ],
)
def test_an_octave_is_twice_as_bad(harm: str, changes: dict[str, float]) -> None:
    found = scores(Path(), replace(GOOD, **changes), OTHERS)
    assert found[harm] == pytest.approx(1.0)
    assert worst(found) == harm


def test_nobody_starves_with_a_fair_share() -> None:
    beside = Path(neighbours="cubic", count="3")
    others = {"cubic": replace(GOOD, goodput_bps=8e6)}
    assert fair_bps(beside, GOOD.capacity_bps) == 2.5e6
    assert scores(beside, replace(GOOD, goodput_bps=2.5e6), others)["starvation"] == 0.0
    assert scores(beside, replace(GOOD, goodput_bps=1e6), others)["starvation"] > 1.0


def test_neighbours_that_give_way_are_harmed_by_who_takes_their_share() -> None:
    others = {"cubic": replace(GOOD, neighbours_bps=4e6)}
    beside = Path(neighbours="cubic")
    assert scores(beside, replace(GOOD, neighbours_bps=1e6), others)["unfairness"] > 1.0
    assert scores(Path(neighbours="cbr"), replace(GOOD, neighbours_bps=1e6), others)["unfairness"] == 0.0


def test_who_sends_without_end_loses_more_than_all() -> None:
    endless = replace(GOOD, cut_off=True)
    everything = scores(Path(), replace(GOOD, loss=1.0), OTHERS)
    assert scores(Path(), endless, OTHERS)["loss"] == ENDLESS > everything["loss"]
    assert compared(Path(), GOOD, {"cubic": endless, "bbr2": GOOD}).rival == "bbr2"
    assert scores(Path(), GOOD, {"cubic": endless}) == dict.fromkeys(HARMS, 0.0)
