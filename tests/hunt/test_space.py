"""Points, paths and scenarios: every path that can be drawn is one that the lab takes."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path as File

import pytest

from .lab import ROOT
from .scenario import text
from .space import KINDS, NUMBERS, Path, draw

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


def test_what_does_not_count_is_not_in_the_scenario() -> None:
    assert text(Path(loss_share=0.04), "t", True) == text(Path(loss_share=0.01), "t", True)
    assert text(Path(loss="random", loss_share=0.04), "t", True) != text(Path(loss="random"), "t", True)


def test_the_lab_takes_what_is_drawn(tmp_path: File) -> None:
    for seed in range(200):
        (tmp_path / f"{seed}.toml").write_text(text(draw(random.Random(seed)).path(), f"seed {seed}", seed % 2 == 0))
    done = subprocess.run(
        [PROGRAM, "run", "--check", *sorted(tmp_path.glob("*.toml"))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
