"""The maps of ARCHITECTURE.md are those of the tree."""

from __future__ import annotations

import pytest
from architecture import HYBRID, PAGE, tracked, wrong_folders, wrong_modules


@pytest.fixture(scope="module")
def text() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def files() -> list[str]:
    return tracked()


def test_every_folder_is_on_the_map_and_in_the_tree(text: str, files: list[str]) -> None:
    assert not wrong_folders(text, files)


def test_every_module_of_hybrid_is_on_the_map_and_in_the_tree(text: str, files: list[str]) -> None:
    assert not wrong_modules(text, files)


def test_a_folder_that_comes_or_goes_is_noticed(text: str, files: list[str]) -> None:
    assert wrong_folders(text, [*files, "tests/novel/test.py"]) == ["tests/novel/ has no line on the map"]
    left = [file for file in files if not file.startswith("tests/hunt/")]
    assert wrong_folders(text, left) == ["tests/hunt/ is on the map and not in the tree"]


def test_a_module_that_is_renamed_is_noticed(text: str, files: list[str]) -> None:
    renamed = [file.replace(f"{HYBRID}judge/attempt.rs", f"{HYBRID}judge/trial.rs") for file in files]
    assert wrong_modules(text, renamed) == [
        "judge/attempt is on the map and not in the tree",
        "judge/trial has no line on the map",
    ]
