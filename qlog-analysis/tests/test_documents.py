"""What the program prints about itself: completions that bash completes with, and a manual page that man reads."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from qlog_analysis.cli import main
from qlog_analysis.documents import SHELLS

COMMANDS = ("check", "explain", "fleet", "metrics", "plot", "qvis", "report", "to-qvis", "zones")
Output = pytest.CaptureFixture[str]


def printed(capsys: Output, *options: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(options)
    assert ended.value.code == 0
    return capsys.readouterr().out


def completed(script: Path, *words: str) -> set[str]:
    """What bash offers instead of the last word."""
    line = " ".join(f"'{word}'" for word in words)
    last = len(words) - 1
    commands = (
        f"source '{script}'; COMP_WORDS=({line}); COMP_CWORD={last}; "
        f"_shtab_qlog_analysis qlog-analysis '{words[-1]}' '{words[-2]}'; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    run = subprocess.run(
        ["bash", "-c", commands], capture_output=True, text=True, check=True, cwd=script.parent, timeout=60
    )
    return set(run.stdout.split())


@pytest.fixture
def script(tmp_path: Path, capsys: Output) -> Path:
    file = tmp_path / "completions"
    file.write_text(printed(capsys, "--completions", "bash"), encoding="utf-8")
    return file


def test_bash_completes_commands_options_and_files(script: Path) -> None:
    assert completed(script, "qlog-analysis", "") >= set(COMMANDS)
    assert completed(script, "qlog-analysis", "check", "--j") == {"--json", "--junit"}
    (script.parent / "one.sqlog").touch()
    assert "one.sqlog" in completed(script, "qlog-analysis", "explain", "on")


def test_bash_offers_folders_alone_where_a_folder_belongs(script: Path) -> None:
    (script.parent / "store").mkdir()
    (script.parent / "stored.sqlog").touch()
    offered = completed(script, "qlog-analysis", "fleet", "--store", "sto")
    assert {word.rstrip("/") for word in offered} == {"store"}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_every_command(shell: str, capsys: Output) -> None:
    text = printed(capsys, "--completions", shell)
    assert all(re.search(rf"\b{command}\b", text) for command in COMMANDS)


def test_a_shell_without_completions_is_refused_with_what_there_is(capsys: Output) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--completions", "bashful"])
    assert ended.value.code == 2
    assert "did you mean bash?" in capsys.readouterr().err


def test_the_manual_page_has_every_command_its_options_and_the_exit_codes(capsys: Output) -> None:
    page = printed(capsys, "--man")
    assert page.startswith('.TH QLOG\\-ANALYSIS "1"')
    assert "explains and draws qlog traces of QUIC connections" in page
    text = page.replace("\\-", "-")
    assert [name for name in COMMANDS if f"COMMAND \\fI\\,'qlog-analysis {name}'" not in text] == []
    assert {"--junit", "--record", "--html", "--memory-limit"} <= set(re.findall(r"--[a-z-]+", text))
    exits = page.split(".SH EXIT STATUS")[1]
    assert re.findall(r"\\fB(\d)\\fR", exits) == ["0", "1", "2", "3", "4"]


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_page_is_roff_without_mistakes(tmp_path: Path, capsys: Output) -> None:
    file = tmp_path / "qlog-analysis.1"
    file.write_text(printed(capsys, "--man"), encoding="utf-8")
    said = subprocess.run(["groff", "-man", "-ww", "-z", str(file)], capture_output=True, text=True, check=True)
    assert not said.stderr
