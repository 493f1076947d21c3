"""The search and the minimiser, on scores that are known."""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from statistics import median

import pytest

from .harms import HARMS, Scores
from .judge import CONFIRMING, FRESH, SEEDS, SUSPECT, confirmed, judged
from .minimise import KEPT, minimised, rounded
from .search import CHUNK, ROUND, hunt
from .space import Path, draw
from .worst import Case


def badness(path: Path) -> float:
    """Worst with one queue, one event and round trips that are long."""
    return (path.queue == "pie") + (path.event == "swings") + (path.neighbours == "cbr") + path.rtt_ms / 200.0


class Known:
    """A judge whose harm is `badness`, but for seeds of luck."""

    def __init__(self, lucky: Sequence[int] = ()) -> None:
        self.lucky = lucky
        self.asked: list[tuple[int, int]] = []

    def all(self, paths: Sequence[Path], seed: int) -> list[Scores]:
        self.asked.append((seed, len(paths)))
        score = 0.0 if seed in self.lucky else 1.0
        return [dict.fromkeys(HARMS, 0.0) | {"queue": score * badness(path)} for path in paths]


def hard(paths: Sequence[Path]) -> list[float]:
    """More kinds, and numbers that have to be small as well as large."""
    return [badness(path) + (path.jitter == "wifi") - path.buffer_bdp / 8 - path.rate_mbps / 30 for path in paths]


def scored(paths: Sequence[Path]) -> list[float]:
    return [badness(path) for path in paths]


def test_the_search_finds_more_than_chance_does() -> None:
    """In the median of some seeds: a single sweep may be lucky."""
    budget, seeds = 400, range(1, 10)
    found = [hunt(hard, seed, budget, "test") for seed in seeds]
    assert all(one[0].score == max(each.score for each in one) for one in found)
    chance = [max(hard([draw(rng).path() for _ in range(budget)])) for rng in map(random.Random, seeds)]
    assert median(one[0].score for one in found) > median(chance) + 0.5


def test_the_same_seed_finds_the_same() -> None:
    assert hunt(scored, 3, 60, "test") == hunt(scored, 3, 60, "test")
    assert hunt(scored, 3, 60, "test") != hunt(scored, 4, 60, "test")


def test_a_search_ends_when_it_is_enough_and_begins_anew_when_a_round_is_over() -> None:
    found = hunt(scored, 1, 2 * ROUND, "test", lambda last: max(one.score for one in last) >= 1.0)
    assert len(found) <= 2 * CHUNK
    flat = hunt(lambda paths: [0.0 for _ in paths], 1, 2 * ROUND, "test")
    assert len(flat) >= 2 * ROUND


def test_the_luck_of_one_seed_is_no_harm() -> None:
    bad = Path(queue="pie", event="swings")
    assert judged(Known(), [bad], "queue")[0].score > 2.0
    assert judged(Known(lucky=[2]), [bad], "queue")[0].score == 0.0


def test_paths_that_are_not_bad_are_run_with_one_seed_only() -> None:
    judge = Known()
    plain, bad = Path(rtt_ms=10.0), Path(queue="pie")
    assert badness(plain) < SUSPECT
    judged(judge, [plain, bad], "queue", (1, 2))
    assert judge.asked == [(1, 2), (2, 1)]


def test_what_is_not_needed_goes() -> None:
    full = Path(
        rate_mbps=17.3, rtt_ms=193.0, queue="pie", event="swings", neighbours="cubic", loss="random", jitter="wifi"
    )
    case = Case("hybrid", True, "queue", full)
    found = minimised(Known(), case)
    assert badness(found.path) >= KEPT * badness(full)
    assert (found.path.neighbours, found.path.loss, found.path.jitter) == ("none", "none", "none")
    assert (found.path.queue, found.path.event) == ("pie", "swings")
    assert found.path.rate_mbps == Path().rate_mbps
    assert found.path.duration_s < full.duration_s
    assert minimised(Known(), found) == found


def test_what_is_not_bad_is_left_as_it_is() -> None:
    case = Case("hybrid", True, "queue", Path(queue="pie", loss="random"))
    assert minimised(Known(lucky=CONFIRMING), case) == case


def test_the_path_that_other_seeds_find_worst_is_chosen() -> None:
    lucky, bad = Path(rtt_ms=20.0), Path(queue="pie")
    judge = Known()
    assert confirmed(judge, [(lucky, "queue"), (bad, "queue")]) == (bad, "queue")
    assert {seed for seed, _ in judge.asked} == set(CONFIRMING)
    assert not set(SEEDS) & set(CONFIRMING) | set(FRESH) & set(SEEDS + CONFIRMING)


@pytest.mark.parametrize("queue", ["none", "pie"])
def test_a_flat_place_is_left(queue: str) -> None:
    """Without a warning of the optimiser, which divides by the range of the middle half of the scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = hunt(lambda paths: [float(path.queue == queue) for path in paths], 1, 60, "test")
    assert len(found) >= 60


def test_round_numbers_are_those_that_people_choose() -> None:
    assert [rounded(value) for value in (0.0137, 4.4, 97.0, 7.2)] == [0.01, 4.0, 100.0, 8.0]
