"""The mutants and the paths, as data."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec
import toml_file

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
CONTROLLERS = ("hybrid", "hybrid:paper", "smallq", "vegas", "rrr", "raimd")


T = TypeVar("T", bound=msgspec.Struct)


class CatalogueError(Exception):
    """What is wrong with the catalogue, for the user."""


class Mutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One change of a file's text, and what it does."""

    name: str
    file: str
    concerns: tuple[str, ...]
    find: str
    replace: str
    changes: str
    """One sentence."""
    unseen: str = ""
    """Why a trace cannot show it, where that is known."""

    def apply(self, text: str) -> str:
        """The file's text with the mutant in it. Raises CatalogueError unless `find` occurs exactly once."""
        count = text.count(self.find)
        if count != 1:
            raise CatalogueError(f"{self.name}: `find` occurs {count} times in {self.file}, expected exactly once")
        return text.replace(self.find, self.replace)


class Drive(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A path with its traffic, over which controllers are driven."""

    name: str
    scenario: str
    sets: tuple[str, ...]
    shows: str
    """Which states it exercises."""
    only: tuple[str, ...] = CONTROLLERS
    """Controllers to which it says something."""
    flows: tuple[str, ...] = ("main",)
    """Those of the controller: its fault may show in the trace of any of them."""


class _Mutants(msgspec.Struct, forbid_unknown_fields=True):
    mutant: list[Mutant]


class _Paths(msgspec.Struct, forbid_unknown_fields=True):
    path: list[Drive]


def mutants(file: Path = HERE / "mutants.toml", root: Path = ROOT) -> list[Mutant]:
    """All of them. Raises CatalogueError if one cannot be applied to the files under `root`."""
    found = _read(file, _Mutants).mutant
    _distinct(file, [mutant.name for mutant in found])
    for mutant in found:
        _known(f"{file.name}: {mutant.name}", mutant.concerns)
        if not mutant.changes.endswith("."):
            raise CatalogueError(f"{file.name}: {mutant.name}: `changes` has to be a sentence")
        source = root / mutant.file
        if not source.is_file():
            raise CatalogueError(f"{file.name}: {mutant.name}: there is no file {mutant.file}")
        if mutant.apply(source.read_text()) == source.read_text():
            raise CatalogueError(f"{file.name}: {mutant.name}: `replace` is `find`")
    return found


def paths(file: Path = HERE / "paths.toml", root: Path = ROOT) -> list[Drive]:
    """All of them. Raises CatalogueError if one names an unknown controller or no scenario."""
    found = _read(file, _Paths).path
    _distinct(file, [path.name for path in found])
    for path in found:
        _known(f"{file.name}: {path.name}", path.only)
        if not (root / path.scenario).is_file():
            raise CatalogueError(f"{file.name}: {path.name}: there is no scenario {path.scenario}")
    return found


def _known(what: str, names: tuple[str, ...]) -> None:
    unknown = [name for name in names if name not in CONTROLLERS]
    if unknown or not names:
        raise CatalogueError(f"{what}: controllers {list(names)}, expected some of {', '.join(CONTROLLERS)}")


def _distinct(file: Path, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CatalogueError(f"{file.name}: more than once: {', '.join(twice)}")


def _read(file: Path, kind: type[T]) -> T:
    try:
        return toml_file.read(file, kind)
    except toml_file.TomlFileError as error:
        raise CatalogueError(str(error)) from error
