"""What the README and other documents say of results is what docs/results has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


PUBLISH, COST = "tests/report/publish.py", "tests/cost/page.py"


def check(program: str, root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / program), "--check", "--root", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_readmes_table_is_that_of_the_published_results() -> None:
    result = check(PUBLISH, ROOT)
    assert result.returncode == 0, result.stderr


def test_a_number_that_was_changed_by_hand_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs" / "results").mkdir(parents=True)
    for file in (ROOT / "docs" / "results").glob("headline*.json"):
        shutil.copy(file, tmp_path / "docs" / "results")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    changed = re.sub(r"(\| wired, 10 Mbit/s \|.*), \d+\.\d+ ms, ", r"\1, 0.1 ms, ", text)
    assert changed != text
    (tmp_path / "README.md").write_text(changed, encoding="utf-8")
    result = check(PUBLISH, tmp_path)
    assert result.returncode == 1
    assert "| wired, 10 Mbit/s |" in result.stderr


def test_the_figures_of_cost_are_the_same_in_every_document() -> None:
    result = check(COST, ROOT)
    assert result.returncode == 0, result.stderr


def test_a_figure_of_cost_that_was_changed_by_hand_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs" / "results").mkdir(parents=True)
    for name in ("README.md", "docs/cost.md", "docs/results/cost.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    changed = re.sub(r"executes \d\.\d\d times", "executes 0.50 times", text)
    assert changed != text
    (tmp_path / "README.md").write_text(changed, encoding="utf-8")
    result = check(COST, tmp_path)
    assert result.returncode == 1
    assert "README.md differs from docs/results/cost.json" in result.stderr
