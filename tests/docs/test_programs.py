"""The commands in the documents, with the programs that have been built: their options, and blocks that are run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from checks import BUILT, named_options, problems, subcommands
from commands import ROOT, Line, blocks, commands, pages, sentences, tokens
from sandbox import lay, run, runnable

BIN = Path(os.environ.get("QUICHE_CC_BIN_DIR", ROOT / "build" / "bin"))
OF_PAGE = {
    "docs/cc-server.md": ("cc-server",),
    "docs/cc-client.md": ("cc-client",),
    "docs/guides/operate-cc-server.md": ("cc-server",),
    "interop/link/README.md": ("cc-link",),
    "docs/guides/live-encoder.md": ("cc-encoder",),
    "docs/lab.md": ("cc-lab",),
}
"""Pages that list the options of a program, and the options that only their programs have."""
RUN = {
    page: [kept for block in blocks(page) if (kept := runnable(block))]
    for page in pages()
    if page != ROOT / "docs" / "guides" / "read-a-trace.md"  # test_read_a_trace.py runs them, and looks at the output
}


def said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_options_of_built_programs_exist() -> None:
    lines = [
        line for page in pages() for block in [*blocks(page), *([line] for line in sentences(page))] for line in block
    ]
    found = [command for line in lines for command in commands([line]) if command.program in BUILT]
    assert {command.program for command in found} == BUILT
    bad = [f"{command.line}\n    {problem}" for command in found for problem in problems(command, BIN)]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("page", OF_PAGE)
def test_a_page_and_its_programs_have_the_same_options(page: str) -> None:
    programs = [str(BIN / name) for name in OF_PAGE[page]]
    known = set().union(*(named_options(said(program, "--help")) for program in programs))
    for program in programs:
        for command in subcommands(said(program, "--help")) - {"help"}:
            known |= named_options(said(program, command, "--help"))
    text = [
        child.content for token in tokens(ROOT / page) for child in token.children or [] if child.type == "code_inline"
    ]
    # `--up-...` stands for all options of that way, and `--wrap` is the linker's.
    ours = [code for code in text if code.startswith(("--", *OF_PAGE[page]))]
    named = {option for code in ours for option in re.findall(r"(?<![\w-])--[a-z][\w-]*\w", code)} - {"--up", "--wrap"}
    assert named
    assert not sorted(named - known)


def listed(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("trace")
    command = [str(BIN / "cc-lab"), "run", "tests/scenarios/one-flow.toml", "--cc", "hybrid", "--qlog"]
    subprocess.run([*command, "--set", "duration=11s", "--out", str(made)], cwd=ROOT, check=True, capture_output=True)
    return next((made / "qlog").iterdir())


@pytest.fixture
def root(tmp_path: Path, trace: Path) -> Path:
    made = lay(tmp_path, BIN)
    shutil.copy(trace, made / "traces" / "one.sqlog")
    return made


@pytest.mark.parametrize("page", [page for page, kept in RUN.items() if kept], ids=listed)
def test_blocks_run(page: Path, root: Path) -> None:
    for block in RUN[page]:
        wrong = run(block, root)
        assert not wrong, f"{'; '.join(str(line) for line in block)}: {wrong}"


def test_a_command_that_fails_is_found(root: Path) -> None:
    line = Line("page.md", 1, "build/bin/qlog-analysis check traces/none.sqlog", True)
    assert "ended with 2" in run([line], root)
