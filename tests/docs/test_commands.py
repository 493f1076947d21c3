"""Every command in the documents names presets, targets, packages, scripts, options and files that exist."""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from pathlib import Path

import pytest
from checks import BUILT, ctests, problems
from commands import ROOT, Command, Line, blocks, commands, pages, sentences
from not_run import NOT_RUN
from sandbox import by_line, runnable, script, why_not_run


@cache
def in_documents() -> list[Command]:
    in_blocks = [command for page in pages() for block in blocks(page) for command in commands(block)]
    return in_blocks + [command for page in pages() for line in sentences(page) for command in commands([line])]


def wrong(command: Command) -> list[str]:
    """In a sentence of a README a path may also be one below its own folder."""
    found = problems(command)
    own = command.line.page.rpartition("/")[0]
    return problems(dataclasses.replace(command, folder=own)) if found and own and not command.line.in_block else found


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_command_names_what_exists(page: Path) -> None:
    found = [c for c in in_documents() if ROOT / c.line.page == page and c.program not in BUILT]
    bad = [f"{c.line}\n    {problem}" for c in found for problem in wrong(c)]
    assert not bad, "\n".join(bad)


def test_the_documents_have_commands() -> None:
    programs = {command.program for command in in_documents()}
    assert programs >= {
        "cmake",
        "ctest",
        "cargo",
        "python",
        "cc-lab",
        "cc-server",
        "cc-client",
        "cc-encoder",
        "cc-link",
        "qlog-analysis",
    }
    assert len(in_documents()) > 120


def test_every_why_not_run_a_command_is_needed() -> None:
    needed = {why_not_run(command) for page in pages() for block in blocks(page) for command in commands(block)}
    stale = sorted(set(NOT_RUN) - needed)
    assert not stale, f"no command of the documents needs {stale} (tests/docs/not_run.py)"


def test_what_a_test_of_ctest_runs_instead_exists() -> None:
    named = {name for reason in NOT_RUN.values() for name in re.findall(r"ctest: ([\w-]+)", reason)}
    assert named
    assert named <= set(ctests())


def block(text: str) -> list[Line]:
    return [Line("page.md", number, line, True) for number, line in enumerate(text.split("\n"))]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("cmake --workflow --preset tset", "no preset tset"),
        ("cmake --build build --target nothing", "no target nothing"),
        ("cmake --install build --component lib", "no component lib"),
        ("cmake --preset default -D QUICHE_CC_NONE=ON", "no option QUICHE_CC_NONE"),
        ("ctest --test-dir build -L labb", "no test has the label labb"),
        ("ctest --test-dir build -R no-such", "no test is called no-such"),
        ("cargo test -p quiche-cc-none", "no package quiche-cc-none"),
        ("cargo test -p quiche-cc --features nothing", "no feature nothing"),
        ("cargo run -p quiche-cc --example nothing", "no nothing in examples"),
        ("cargo test -p quiche-cc --no-defaults", "no option --no-defaults"),
        ("python3 patches/serie.py check", "no script patches/serie.py"),
        ("python3 patches/series.py chekc", "no such command"),
        ("python3 patches/series.py apply --onto build/quiche", "no option --onto"),
        ("build/bin/qlog-analysis chekc TRACE", "no such command"),
        ("qlog-analysis check TRACE --jsno FILE", "no option --jsno"),
        ("git add tests/none.toml", "no tests/none.toml"),
        ("cc-srever --cc hybrid", "no program cc-srever"),
        ("cd qlog-analysis && python tests/none.py", "no script tests/none.py"),
    ],
)
def test_what_does_not_exist_is_found(command: str, said: str) -> None:
    found = [problem for one in commands(block(command)) for problem in problems(one)]
    assert len([problem for problem in found if said in problem]) == 1, found


def test_a_block_is_read_as_a_shell_reads_it() -> None:
    text = "A=1 cargo x > out # y && z\n(cd cc && mypy) | tee 'a b'\ncc-server --cc hybrid &"
    found = [(command.program, command.words[1:], command.folder) for command in commands(block(text))]
    assert found == [
        ("cargo", ("x",), "."),
        ("mypy", (), "cc"),
        ("tee", ("a b",), "."),
        ("cc-server", ("--cc", "hybrid"), "."),
    ]
    synopsis = block("qlog-analysis plot  TRACE... --out FILE.svg|png [--link LOG]... [--json FILE]   words")
    assert [command.words for command in commands(synopsis)] == [
        ("qlog-analysis", "plot", "TRACE", "--out", "--link", "--json")
    ]


def test_servers_are_waited_for_and_stopped() -> None:
    lines = block("build/bin/cc-server --cc hybrid &   # on 4433\ncc-client URL\ncmake --build build")
    kept = runnable(lines)
    assert [line.number for line, _ in by_line(kept)] == [0, 1]
    said = script(kept).split("\n")
    assert said[2].startswith(": > server-0.txt"), "what a block before has said would pass for this server's"
    assert said[3].startswith("build/bin/cc-server --cc hybrid > server-0.txt")
    assert said[-2].startswith("for server in")


def test_of_a_program_with_commands_only_the_one_that_serves_is_a_server() -> None:
    said = script(block("build/bin/cc-encoder serve --cc hybrid &\nbuild/bin/cc-encoder receive ADDRESS"))
    assert "build/bin/cc-encoder serve --cc hybrid > server-0.txt" in said
    assert "\nbuild/bin/cc-encoder receive ADDRESS\n" in said
