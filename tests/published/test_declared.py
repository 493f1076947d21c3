"""The page of checks that do not hold says what the claim sets say."""

from __future__ import annotations

from pathlib import Path

from . import declared
from .names import ROOT, TESTS

CLAIM_SET = """
[claim_set]
letter = "Q"
title = "questions"

[[claim]]
id = "Q1"

[[claim.check]]
what = "delay"
bound = "<= 40ms"
deviates = \"\"\"
a queue stands,
a|b
\"\"\"
limit = { bound = "<= 50ms", points = "2 of 8" }

[[claim.check]]
what = "page"
less_than = { run = "pages", where = { cc = "reno" }, metric = "completion_time.p50", flow = "page" }
factor = 1.25
plus = "1s"
deviates = "a queue stands, a|b"
limit = { factor = 2.5 }

[[claim]]
id = "Q2"

[[claim.check]]
what = "rate"
bound = ">= 1Mbps"
"""


def test_the_published_page_is_of_the_claim_sets_that_are_there() -> None:
    said = f"write it anew: PYTHONPATH=tests build/venv/bin/python -m published declared   ({declared.PAGE})"
    assert (ROOT / declared.PAGE).read_text(encoding="utf-8") == declared.page(ROOT), said


def test_every_folder_of_claim_sets_is_looked_at() -> None:
    asks_nothing = {TESTS / "published", TESTS / "report"}
    folders = {file.parent for file in TESTS.rglob("*.toml") if "[claim_set]" in file.read_text(encoding="utf-8")}
    ours = {path for path in folders if path.name != "quick" and not asks_nothing & set(path.parents)}
    assert {path.relative_to(ROOT).as_posix() for path in ours} == set(declared.KINDS)


def test_a_check_has_its_bound_its_limit_and_why(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "papers"
    folder.mkdir(parents=True)
    (folder / "questions.toml").write_text(CLAIM_SET, encoding="utf-8")
    (folder / "other.toml").write_text("[run.some]\n", encoding="utf-8")
    (one,) = declared.claim_sets(tmp_path)
    assert (len(one.claims), one.whole, len(one.checks), one.deviating) == (2, 1, 3, 2)
    text = declared.page(tmp_path)
    assert "| [Q](../tests/papers/questions.toml) | questions | 2 | 1 | 3 | 1 | 2 |" in text
    assert "| Q1 | delay | `<= 40ms` | `<= 50ms` | 2 of 8 | a queue stands, a\\|b |" in text
    assert (
        "| Q1 | page | less than 1.25 times `completion_time.p50` of page (run `pages`, cc reno) and 1s | 2.5 times |  "
        "| the same |"
    ) in text
    assert "Q2" not in text
