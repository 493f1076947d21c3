"""The table of programs (`programs.toml`), and where things are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
TABLE = HERE / "programs.toml"

Role = Literal["client", "server", "both"]


class DataError(Exception):
    """The table is wrong; the message says where, and what is allowed."""


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An archive of a registry, by its hash."""

    url: str
    sha256: str

    @property
    def name(self) -> str:
        return self.url.rsplit("/", 1)[1]


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program that uses quiche, and why it is not tried if it has no recipe."""

    name: str
    version: str
    homepage: str
    source: str
    role: Role
    selects: str  # what it does about its congestion controller
    paces: str  # whether it sends at quiche's release times
    recipe: str = ""  # a module of `recipes`
    packages: tuple[str, ...] = ()  # of Debian, to build it
    file: tuple[File, ...] = ()
    reason: str = ""


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    program: tuple[Program, ...]


@dataclass(frozen=True)
class Place:
    """The folders of a build."""

    build: Path

    @property
    def home(self) -> Path:
        return self.build / "programs"

    @property
    def programs(self) -> Path:
        return self.build / "bin"

    @property
    def library(self) -> Path:
        """Where libquiche is installed for the programs."""
        return self.home / "quiche-cc"

    def folder(self, program: Program) -> Path:
        return self.home / program.recipe


def read(table: Path = TABLE) -> tuple[Program, ...]:
    try:
        programs = msgspec.toml.decode(table.read_bytes(), type=_Table).program
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError(f"{table}: {error}") from error
    for program in programs:
        _check(table, program)
    return programs


def choose(programs: Sequence[Program], recipes: Sequence[str]) -> list[Program]:
    known = list(dict.fromkeys(program.recipe for program in programs if program.recipe))
    unknown = [name for name in recipes if name not in known]
    if unknown:
        raise DataError(f"unknown recipe {', '.join(unknown)}; allowed: {', '.join(known)}")
    return [program for program in programs if program.recipe in (recipes or known)]


def _check(table: Path, program: Program) -> None:
    where = f"{table}: {program.name}"
    recipes = sorted(path.stem for path in (HERE / "recipes").glob("*.py"))
    if bool(program.recipe) == bool(program.reason):
        raise DataError(f"{where} needs either a recipe or the reason why it has none")
    if program.recipe and program.recipe not in recipes:
        raise DataError(f"{where}: there is no recipe {program.recipe}; there are {', '.join(recipes)}")
    for file in program.file:
        if len(file.sha256) != 64:
            raise DataError(f"{where}: {file.name} needs a SHA-256 of 64 digits")
