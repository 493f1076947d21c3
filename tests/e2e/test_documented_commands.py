"""Commands in the documents name programs, options and files that exist."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from conftest import REPOSITORY

PROGRAMS = ("cc-server", "cc-client", "cc-link", "cc-lab", "qlog-analysis")
COMMAND = re.compile(rf"^ *(?:build/bin/)?((?:{'|'.join(PROGRAMS)}) .*)$", re.MULTILINE)
BLOCK = re.compile(r"^```(?:sh)?$.*?^```$|(?:^    .*\n)+", re.MULTILINE | re.DOTALL)
# Folders whose files a command may name; others are made by the command or are the reader's.
OURS = ("tests/", "docs/", "cc/", "interop/", "patches/")


def commands(text: str) -> Iterator[list[str]]:
    """The words of each, without comments and what only a shell reads."""
    for block in BLOCK.findall(text):
        for line in COMMAND.findall(block.replace("\\\n", " ")):
            words = shlex.split(line.split(" | ")[0].split(" > ")[0], comments=True)
            yield [word for word in words if word != "&"]


def documented() -> list[tuple[str, list[str]]]:
    found = []
    for page in sorted(REPOSITORY.rglob("*.md")):
        if "build" in page.relative_to(REPOSITORY).parts:
            continue
        where = page.relative_to(REPOSITORY).as_posix()
        found += [(where, words) for words in commands(page.read_text(encoding="utf-8"))]
    return found


@cache
def helped(program: Path, *subcommand: str) -> str:
    run = subprocess.run([program, *subcommand, "--help"], capture_output=True, text=True, timeout=60, check=False)
    return run.stdout if run.returncode == 0 else ""


def wrong(programs: Path, words: list[str]) -> Iterator[str]:
    program, rest = programs / words[0], words[1:]
    told = helped(program)
    listed = set(re.findall(r"^ +([a-z][a-z-]+)\b", told, re.MULTILINE))
    subcommand = next((word for word in rest if word in listed), None)
    told += helped(program, subcommand) if subcommand else ""
    for word in rest:
        option = word.partition("=")[0]
        if option.startswith("-") and not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", told):
            yield f"{words[0]} has no option {option}"
        if word.startswith(OURS) and not list(REPOSITORY.glob(word)):
            yield f"there is no {word}"


def test_documented_commands_name_what_exists(programs: Path) -> None:
    if not (programs / "cc-lab").exists():
        pytest.fail(f"{programs} lacks cc-lab; `cmake --build build` makes it")
    found = documented()
    assert len(found) >= 20, "the commands of the documents were not found"
    faults = [f"{where}: `{shlex.join(words)}`: {fault}" for where, words in found for fault in wrong(programs, words)]
    assert not faults, "\n".join(faults)


def test_a_command_that_does_not_exist_is_found(programs: Path) -> None:
    text = "```sh\nbuild/bin/cc-server --cc hybrid --no-such-option &   # serves\n```\n"
    (words,) = commands(text)
    assert words == ["cc-server", "--cc", "hybrid", "--no-such-option"]
    assert list(wrong(programs, words)) == ["cc-server has no option --no-such-option"]
    assert list(wrong(programs, ["cc-lab", "run", "tests/none.toml"])) == ["there is no tests/none.toml"]
