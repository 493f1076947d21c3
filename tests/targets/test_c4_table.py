"""The table of the C4 project's tests, from claims as `cc-lab claims` writes them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from c4_table import page, seconds

ROOT = Path(__file__).parents[2]


def check(what: str, cc: str, times: list[float], paper: str | None = "4 s (C4)") -> dict[str, Any]:
    def point(timestamps: str) -> dict[str, Any]:
        return {"parameters": {"cc": cc, "timestamps": timestamps}, "bound": "≤ 5 s", "measured": times}

    return {"what": what, "paper": paper, "points": [point("false"), point("true")]}


def claim(times: list[float]) -> dict[str, Any]:
    checks = [check("hybrid", "hybrid", times), check("cubic", "cubic", [4.2] * 5), check("bbr2", "bbr2", [4.3] * 5)]
    return {"id": "K1", "title": "alone", "checks": checks}


def test_a_row_has_means_and_one_seed_beyond_the_bound_shows() -> None:
    assert "| K1 | alone | 5 | 4.00 | 4.20 | 4.30 | 4.20* | 4.20* |" in page([claim([3.9, 3.9, 3.9, 4.2, 5.1])])


def test_it_counts_bounds_that_are_kept_and_scenarios_in_which_nobody_is_faster() -> None:
    text = page([claim([3.9] * 5), claim([4.1] * 5), claim([3.9, 3.9, 3.9, 3.9, 5.1])])
    assert "keeps 2 of 3 bounds without receive timestamps and 2 with them" in text
    assert "as cubic, bbr2 and C4 in 1 and 1 of them." in text


def test_a_bound_without_a_time_is_refused() -> None:
    assert seconds("≤ 79 ms") == pytest.approx(0.079)
    with pytest.raises(ValueError, match="'30 packets' has no time"):
        seconds("30 packets")


def test_the_published_page_has_a_row_for_each_scenario() -> None:
    published = (ROOT / "docs" / "results" / "c4.md").read_text(encoding="utf-8")
    for name in ("c4.toml", "c4-media.toml"):
        text = (ROOT / "tests" / "targets" / name).read_text(encoding="utf-8")
        ids = re.findall(r'^id = "(\w+)"', text, re.MULTILINE)
        assert ids
        for claim_id in ids:
            assert f"| {claim_id} |" in published
