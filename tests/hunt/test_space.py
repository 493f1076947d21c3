"""Points, paths and scenarios: every path that can be drawn is one that the lab takes."""

from __future__ import annotations

import os
import random
import subprocess
from collections import Counter
from pathlib import Path as File

import pytest

from .lab import ROOT
from .scenario import text
from .space import KINDS, NUMBERS, SHAKEN, Path, draw, shaken, spread

PROGRAM = File(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build")) / "bin" / "cc-lab"


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.name)
def test_a_number_goes_from_its_least_to_its_most(number: object) -> None:
    named = next(one for one in NUMBERS if one == number)
    assert (named.at(0.0), named.at(1.0)) == (named.low, named.high)
    assert named.at(-1.0) == named.low
    assert named.at(2.0) == named.high


def test_the_plain_path_has_the_plainest_kinds() -> None:
    assert all(getattr(Path(), kind.name) == kind.values[0] for kind in KINDS)


def test_the_same_seed_draws_the_same_path() -> None:
    first, again, other = (draw(random.Random(seed)).path() for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_a_design_has_all_of_each_range_and_of_each_kind() -> None:
    count = 120
    points = spread(random.Random(3), count)
    for at in range(len(NUMBERS)):
        assert sorted(int(point.numbers[at] * count) for point in points) == list(range(count))
    for at, kind in enumerate(KINDS):
        of = Counter(point.kinds[at] for point in points)
        assert of[0] == count / 2
        others = [of[value] for value in range(1, len(kind.values))]
        assert max(others) - min(others) <= 1


def test_seeds_shake_a_path_a_little() -> None:
    path = Path(event="falls", neighbours="cubic")
    others = [shaken(path, seed) for seed in range(20)]
    assert len({text(other, "t", True) for other in others}) == 20
    assert shaken(path, 3) == others[3]
    for other in others:
        assert all(getattr(other, kind.name) == getattr(path, kind.name) for kind in KINDS)
        off = [abs(getattr(other, number.name) / getattr(path, number.name) - 1) for number in NUMBERS]
        assert 0 < max(off) < 1.1 * SHAKEN


def test_what_does_not_count_is_not_in_the_scenario() -> None:
    assert text(Path(loss_share=0.04), "t", True) == text(Path(loss_share=0.01), "t", True)
    assert text(Path(loss="random", loss_share=0.04), "t", True) != text(Path(loss="random"), "t", True)


def test_the_lab_takes_what_is_drawn(tmp_path: File) -> None:
    for seed in range(200):
        path = shaken(draw(random.Random(seed)).path(), seed)
        (tmp_path / f"{seed}.toml").write_text(text(path, f"seed {seed}", seed % 2 == 0))
    done = subprocess.run(
        [PROGRAM, "run", "--check", *sorted(tmp_path.glob("*.toml"))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
