"""When a planted fault is found, on scores that are known."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from .harms import HARMS, Scores
from .judge import CONFIRMING, SEEDS, SURE
from .planted import (
    CLEARLY,
    CONTROL,
    FIRST_PROOF,
    PROOF,
    PROVEN,
    TRIES,
    Outcome,
    Searcher,
    is_control,
    search,
    table,
)
from .space import Path

BAD = "pie"


class Fault:
    """Twice what is clear, on one kind of path, but for some seeds."""

    def __init__(self, harmless: Sequence[int] = ()) -> None:
        self.harmless = harmless

    def all(self, paths: Sequence[Path], seed: int) -> list[Scores]:
        much = 0.0 if seed in self.harmless else 2 * CLEARLY
        return [dict.fromkeys(HARMS, 0.0) | {"stall": much * (path.queue == BAD)} for path in paths]


def test_a_search_ends_with_a_proof() -> None:
    found = search(CONTROL, Fault(), 1, 2400)
    assert (found.found, found.harm, found.clear, found.path.queue) == (True, "stall", PROOF, BAD)
    assert (found.tries, found.score) == (1, 2 * CLEARLY)
    assert found.paths < 100


def test_a_path_that_is_not_sure_is_not_tried() -> None:
    for harmless, tried in (([], 1), (SURE[-1:], 1), ([CONFIRMING[0], SURE[3]], 0)):
        searcher = Searcher(Fault(harmless))
        searcher.score([Path(queue=BAD), Path()])
        assert len(searcher.proofs) == tried


def test_only_fresh_seeds_prove() -> None:
    first = range(FIRST_PROOF, FIRST_PROOF + PROOF)
    assert not set(first) & set(SEEDS + CONFIRMING + SURE)
    assert search(CONTROL, Fault(first[: PROOF - PROVEN]), 1, 200).tries == 1
    unlucky = search(CONTROL, Fault(first[: PROOF - PROVEN + 1]), 1, 200)
    assert (unlucky.found, unlucky.clear, unlucky.tries) == (True, PROOF, 2)


def test_no_more_paths_are_tried_than_luck_allows() -> None:
    found = search(CONTROL, Fault(range(FIRST_PROOF, 10 * FIRST_PROOF)), 1, 400)
    assert (found.found, found.clear, found.tries) == (False, 0, TRIES)
    ways = sum(comb(PROOF, clear) for clear in range(PROVEN, PROOF + 1))
    before = sum(comb(10, clear) for clear in (9, 10))  # Nine of ten seeds, once.
    assert TRIES * ways / 2**PROOF < before / 2**10


def test_a_search_that_is_sure_of_nothing_has_one_try() -> None:
    found = search(CONTROL, Fault(SURE[:2]), 1, 100)
    assert (found.tries, found.path.queue) == (1, BAD)
    assert found.paths >= 100


def test_the_table_counts_faults_and_controls_apart() -> None:
    outcomes = [Outcome(name, "Something.", name == "a", "loss", 0.6, 9, 1, 20, 3.0, Path()) for name in "ab"]
    outcomes.append(Outcome("control-2", "Nothing.", False, "loss", 0.0, 0, 1, 20, 4.0, Path()))
    assert [is_control(one) for one in outcomes] == [False, False, True]
    said = "Found: 1 of 2 faults, with 6 s of processor time; 0 of 1 controls, with 4 s of processor time."
    assert table(outcomes).splitlines()[-1] == said
