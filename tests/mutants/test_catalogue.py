"""The catalogue applies to the tree as it is, and what is wrong with one is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from .catalogue import CONTROLLERS, CatalogueError, mutants, paths

ONE = """
[[mutant]]
name = "one"
file = "code.rs"
concerns = ["vegas"]
find = "a + b"
replace = "a - b"
changes = "It subtracts."
"""


def catalogue(folder: Path, text: str, code: str = "let c = a + b;\n") -> Path:
    (folder / "code.rs").write_text(code)
    file = folder / "mutants.toml"
    file.write_text(text)
    return file


def test_every_mutant_applies_to_the_tree_exactly_once() -> None:
    found = mutants()
    assert len(found) >= 40
    assert {spec for mutant in found for spec in mutant.concerns} == set(CONTROLLERS)


def test_every_controller_has_paths() -> None:
    for spec in CONTROLLERS:
        assert sum(spec in path.only for path in paths()) >= 5, spec


def test_a_mutant_replaces_its_text(tmp_path: Path) -> None:
    (one,) = mutants(catalogue(tmp_path, ONE), tmp_path)
    assert one.apply("let c = a + b;\n") == "let c = a - b;\n"


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (ONE, "let c = a + b + a + b;\n", "occurs 2 times in code.rs, expected exactly once"),
        (ONE, "let c = b + a;\n", "occurs 0 times"),
        (ONE + ONE, "a + b", "more than once: one"),
        (ONE.replace("code.rs", "other.rs"), "a + b", "there is no file other.rs"),
        (ONE.replace("vegas", "reno"), "a + b", "expected some of hybrid, "),
        (ONE.replace("a - b", "a + b"), "a + b", "`replace` is `find`"),
        (ONE.replace("subtracts.", "subtracts"), "a + b", "has to be a sentence"),
        (ONE.replace("changes", "alters"), "a + b", "there is no key alters; allowed: name, file, concerns"),
    ],
)
def test_what_is_wrong_with_a_catalogue_is_said(tmp_path: Path, text: str, code: str, said: str) -> None:
    with pytest.raises(CatalogueError, match=said):
        mutants(catalogue(tmp_path, text, code), tmp_path)
