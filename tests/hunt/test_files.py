"""What stands in the repository: faults, cases, and the page."""

from __future__ import annotations

import pytest

from . import bounds, page
from .__main__ import CASES, HERE
from .lab import HuntError
from .planted import planted
from .scenario import text
from .space import Path
from .tables import described
from .worst import read_cases


def test_every_planted_fault_is_one_of_the_catalogue() -> None:
    mutants = planted().mutants()
    assert len(mutants) == 10
    assert all("hybrid" in mutant.concerns for mutant in mutants)


def test_a_published_weakness_is_known_by_its_path() -> None:
    """`shows` names fields of a path, and values that they may have."""
    (jitter,) = planted().weak.published
    assert jitter.explains(Path(jitter="wifi"))
    assert not any(jitter.explains(path) for path in (Path(), Path(event="longer"), Path(neighbours="cubic")))


def test_scenarios_and_bounds_are_those_of_the_cases() -> None:
    cases = read_cases(CASES)
    written = {file.stem: file.read_text() for file in (HERE / bounds.SCENARIOS).glob("*.toml")}
    assert written == {
        case.name: text(case.path, f"{case.harm}: {described(case.path)}", case.timestamps) for case in cases
    }
    for file, held in ((bounds.ALL, cases), (bounds.QUICK, cases[: bounds.HELD_EVERYWHERE])):
        checks = (HERE / file).read_text()
        assert checks.count("[run.") == len(held)
        assert all(f"[run.{case.name}]" in checks for case in held)


def test_every_case_has_its_reason_and_its_picture_on_the_page() -> None:
    shown, cases = page.PAGE.read_text(), read_cases(CASES)
    assert cases
    for case in cases:
        assert case.reason, case.name
        assert f"(hunt-{case.name}.svg)" in shown
        assert page.row(case) in shown
        assert (page.RESULTS / f"hunt-{case.name}.svg").is_file()


@pytest.mark.parametrize("mark", [page.WORST, page.PLANTED])
def test_what_is_written_has_its_place_on_the_page(mark: str) -> None:
    old, new = f"a\n{mark}\nold\n<!-- end -->\nb", f"a\n{mark}\nnew\n<!-- end -->\nb"
    assert page.placed(old, mark, "new\n") == new
    assert page.placed(page.PAGE.read_text(), mark, "new\n").count("\nnew\n") == 1


def test_a_page_without_its_marks_is_named() -> None:
    with pytest.raises(HuntError, match=r"hunt\.md: expected"):
        page.placed("a", page.WORST, "new")
