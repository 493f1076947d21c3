"""One version wherever it is stated; what is not is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import versions
from steps import ROOT, Failure


def test_the_versions_of_this_tree_agree() -> None:
    assert versions.problems() == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What of the tree states versions."""
    files = {place.file for place in (*versions.OWN, *versions.QUICHE)} | {"SECURITY.md"}
    files |= {str(path.relative_to(ROOT)) for top in ("cc", "interop", "tests") for path in manifests(ROOT / top)}
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def manifests(folder: Path) -> list[Path]:
    return [path for depth in ("", "*/", "*/*/") for path in folder.glob(f"{depth}Cargo.toml")]


def change(tree: Path, name: str, old: str, new: str) -> None:
    text = (tree / name).read_text(encoding="utf-8")
    assert old in text
    (tree / name).write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("qlog-analysis/src/qlog_analysis/__init__.py", "0.1.0", "0.2.0", "has 0.2.0, and Cargo.toml has 0.1.0"),
        ("interop/tokio-quiche/Cargo.toml", 'version = "0.1.0"', 'version = "0.0.9"', "has 0.0.9, and Cargo.toml"),
        ("Cargo.toml", '", version = "0.1.0"', '", version = "0.1.1"', "Cargo.toml has 0.1.1"),
        ("patches/quiche/UPSTREAM", "version: 0.30.0", "version: 0.31.0", "UPSTREAM has 0.31.0"),
        ("CHANGELOG.md", "for quiche 0.30.0", "for quiche 0.29.0", "CHANGELOG.md has 0.29.0"),
        ("CHANGELOG.md", ", for quiche 0.30.0", " for quiche 0.30.0", "states no version as it should"),
        ("CHANGELOG.md", "## Unreleased (0.1.0)", "## 0.1.0", "no heading like"),
        ("SECURITY.md", "| 0.1 | 0.30.0 | yes |", "| 0.1 | 0.29.0 | yes |", "0.1 on quiche 0.30.0 is supported"),
        ("SECURITY.md", "| 0.1 | 0.30.0 | yes |", "| 0.1 | 0.30.0 | no |", "0.1 on quiche 0.30.0 is supported"),
        ("cc/Cargo.toml", "version.workspace = true", 'version = "0.1.0"', "does not take the workspace's version"),
    ],
)
def test_a_version_that_differs_is_found(tree: Path, name: str, old: str, new: str, said: str) -> None:
    assert versions.problems(tree) == []
    change(tree, name, old, new)
    try:
        found = versions.problems(tree)
    except Failure as failure:
        found = [str(failure)]
    assert [line for line in found if said in line], found


def test_the_day_of_a_release_is_the_one_of_its_heading(tree: Path) -> None:
    shutil.copy(tree / "CHANGELOG.md", tree / "before")
    (tree / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0 (2027-02-03), for quiche 0.30.0\n", encoding="utf-8")
    assert versions.problems(tree) == []
    assert versions.released_on(tree) == "2027-02-03"
    (tree / "CHANGELOG.md").write_text("## Unreleased (0.1.0), for quiche 0.30.0\n", encoding="utf-8")
    assert versions.released_on(tree) == ""
