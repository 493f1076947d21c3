"""The table of programs, and what it is told when it is wrong."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from obtain import InstallError, archives
from table import DataError, File, Place, Program, choose, read
from trial import Run

CURL = """
[[program]]
name = "curl"
version = "8"
homepage = "https://curl.se"
source = "Debian"
role = "client"
selects = "nothing"
paces = "no"
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "programs.toml"


def test_every_archive_is_pinned_and_every_program_has_a_recipe_or_a_reason() -> None:
    programs = read()
    assert sum(bool(program.recipe) for program in programs) >= 5
    assert all(file.url.startswith("http") for program in programs for file in program.file)


def test_a_program_needs_a_recipe_or_a_reason_and_not_both(table: Path) -> None:
    for more in ("", 'recipe = "curl"\nreason = "none"\n'):
        table.write_text(CURL + more)
        with pytest.raises(DataError, match=r"programs\.toml: curl needs either a recipe or the reason"):
            read(table)


def test_an_unknown_recipe_is_named_with_those_that_there_are(table: Path) -> None:
    table.write_text(CURL + 'recipe = "wget"\n')
    with pytest.raises(DataError, match=r"no recipe wget; there are .*curl, dnsdist"):
        read(table)
    with pytest.raises(DataError, match=r"unknown recipe wget; allowed: .*curl"):
        choose(read(), ["wget"])


def test_an_unknown_field_is_named(table: Path) -> None:
    table.write_text(CURL + 'reason = "none"\ncolour = "red"\n')
    with pytest.raises(DataError, match="colour"):
        read(table)


def test_an_archive_with_other_content_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.tar"
    other.write_text("other")
    wrong = File(other.as_uri(), "0" * 64)
    program = Program("x", "1", "-", "-", "client", "-", "-", "curl", file=(wrong,))
    with pytest.raises(InstallError, match=r"other\.tar.*SHA-256 is"):
        archives(program, Place(tmp_path / "build"))
    assert not list((tmp_path / "build").rglob("*.tar"))


@pytest.mark.parametrize("name", ["curl", "dnsdist", "netty", "quiche_examples", "tokio"])
def test_the_program_is_told_which_controller_it_is_asked_for(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = importlib.import_module(f"recipes.{name}")
    monkeypatch.setattr(recipe, "archives", lambda *_: [], raising=False)
    examples = tmp_path / "quiche/examples"
    examples.mkdir(parents=True)
    for kind in ("crt", "key"):
        (examples / f"cert.{kind}").write_text("-")
    for program in read():
        if program.recipe == name:
            runs: list[Run] = list(recipe.runs(program, Place(tmp_path)))
            assert any(run.asked == "hybrid" for run in runs)
            for run in runs:
                told = " ".join([*run.command, *run.environment.values(), *run.files.values()])
                assert (run.asked == "hybrid") == ("hybrid" in told), run.name
