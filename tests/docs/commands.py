"""The shell commands in the documents: in blocks, and in the middle of a sentence."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]

OWN = frozenset({"cc-server", "cc-client", "cc-encoder", "cc-link", "cc-lab", "qlog-analysis"})
TOOLS = frozenset({"cmake", "ctest", "cpack", "cargo", "python", "python3", "pip"})
"""What a line that holds a command begins with, where nothing else says that it is one."""
BIN = "build/bin/"

_OPERATORS = frozenset({"&&", "||", "|", ";", "&", "(", ")", ">", ">>", "<"})
_VARIABLE = re.compile(r"([A-Z_]+)=(.*)", re.DOTALL)
_SYNOPSIS = re.compile(r"\.\.\.|\[-|\|[A-Z]")


@dataclass(frozen=True)
class Line:
    """A line of a block, with those that it goes on in; or what stands in backticks in a sentence."""

    page: str
    number: int
    text: str
    in_block: bool

    @property
    def is_synopsis(self) -> bool:
        """How something is called in general, with brackets and dots, is not for a shell."""
        return bool(_SYNOPSIS.search(self.text))

    def __str__(self) -> str:
        return f"{self.page}:{self.number}: {self.text}"


@dataclass(frozen=True)
class Command:
    """One program with its arguments."""

    line: Line
    words: tuple[str, ...]
    folder: str
    """Where it runs, below the root of the repository."""

    @property
    def program(self) -> str:
        """The name of one of ours without its folder, and of any Python `python`."""
        name = Path(self.words[0]).name
        if name in OWN and self.words[0] in (name, BIN + name, f"./{BIN}{name}"):
            return name
        return "python" if re.fullmatch(r"python[\d.]*", name) else self.words[0]

    def __str__(self) -> str:
        return shlex.join(self.words)


def pages(root: Path = ROOT) -> list[Path]:
    skipped = {"build", "templates", ".git", ".pytest_cache"}
    return sorted(page for page in root.rglob("*.md") if not skipped & set(page.relative_to(root).parts))


def blocks(page: Path, root: Path = ROOT) -> list[list[Line]]:
    """The lines of every block of commands: with the language `sh`, or without a language and with a program in it."""
    name, found = page.relative_to(root).as_posix(), []
    for token in tokens(page):
        is_shell = token.type == "fence" and token.info.strip() in ("sh", "bash", "shell")
        is_plain = token.type == "code_block" or (token.type == "fence" and not token.info.strip())
        if is_shell or (is_plain and is_of_commands(token.content)):
            first = (token.map or [0])[0] + (2 if token.type == "fence" else 1)
            found.append([Line(name, first + n, text, True) for n, text in joined(token.content)])
    return found


def sentences(page: Path, root: Path = ROOT) -> list[Line]:
    """Commands in backticks within sentences and tables: a program of ours or a tool, and at least one argument."""
    name, found = page.relative_to(root).as_posix(), []
    for token in tokens(page):
        for child in token.children or []:
            if child.type == "code_inline" and " " in child.content and begins_with_program(child.content):
                found.append(Line(name, (token.map or [0])[0] + 1, child.content, False))
    return found


@cache
def tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def is_of_commands(block: str) -> bool:
    """And no drawing, in which programs are named as well."""
    return block.isascii() and any(begins_with_program(line) for line in block.split("\n"))


def begins_with_program(text: str) -> bool:
    words = [word for word in text.split() if not _VARIABLE.match(word)]
    return bool(words) and Path(words[0]).name in OWN | TOOLS


def joined(block: str) -> Iterator[tuple[int, str]]:
    """Lines that end with a backslash together with the next; without what is empty or a comment only."""
    held, begun = "", 0
    for number, line in enumerate(block.split("\n")):
        begun = begun if held else number
        held += line
        if held.endswith("\\"):
            held = held[:-1]
        else:
            if held.strip() and not held.lstrip().startswith("#"):
                yield begun, held.strip()
            held = ""


def commands(lines: list[Line]) -> Iterator[Command]:
    """What a shell would start, one program after the other; `cd` changes the folder of those that follow."""
    folder: list[str] = ["."]
    for line in lines:
        for words in simple(line):
            if words in (["("], [")"]):
                folder = [*folder, folder[-1]] if words == ["("] else folder[:-1]
            elif words[0] == "cd" and len(words) == 2:
                folder[-1] = (Path(folder[-1]) / words[1]).as_posix() if words[1] != "-" else "."
            else:
                yield Command(line, tuple(words), folder[-1])


def simple(line: Line) -> Iterator[list[str]]:
    """The words between operators, without variables that are set and files that are written."""
    if line.is_synopsis:
        fixed = re.split(r"\s*(?:\[|\.\.\.)", line.text)[0]
        yield [*fixed.split(), *re.findall(r"(?<![\w-])--[a-z-]+", line.text[len(fixed) :])]
        return
    lexer = shlex.shlex(line.text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    to_file = False
    for word in [*lexer, ";"]:
        if to_file:
            to_file = False
        elif word in (">", ">>", "<"):
            to_file = True
        elif word in _OPERATORS:
            if words:
                yield words
            if word in "()":
                yield [word]
            words = []
        elif words or not _VARIABLE.fullmatch(word):
            words.append(word)
