"""The README's table of results says what docs/results has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def check(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tests" / "report" / "publish.py"), "--check", "--root", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_readmes_table_is_that_of_the_published_results() -> None:
    result = check(ROOT)
    assert result.returncode == 0, result.stderr


def test_a_number_that_was_changed_by_hand_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs" / "results").mkdir(parents=True)
    for file in (ROOT / "docs" / "results").glob("headline*.json"):
        shutil.copy(file, tmp_path / "docs" / "results")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    changed = re.sub(r"(\| wired, 10 Mbit/s \|.*), \d+\.\d+ ms, ", r"\1, 0.1 ms, ", text)
    assert changed != text
    (tmp_path / "README.md").write_text(changed, encoding="utf-8")
    result = check(tmp_path)
    assert result.returncode == 1
    assert "| wired, 10 Mbit/s |" in result.stderr
