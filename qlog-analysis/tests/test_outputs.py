"""No output is ever an input, and what is written is written whole or not at all."""

from __future__ import annotations

import argparse
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import IO, Any

import pytest

import tracewriter
from qlog_analysis import cli, output
from qlog_analysis.errors import AnalysisError
from test_report import link_log
from traces import FAST, records

Output = pytest.CaptureFixture[str]


def subparsers() -> dict[str, argparse.ArgumentParser]:
    (commands,) = (a for a in cli._parser()._actions if isinstance(a, argparse._SubParsersAction))
    return dict(commands.choices)


def the_link_log(folder: FilePath) -> str:
    link_log(folder)
    return str(folder / "link.jsonl")


@pytest.fixture
def trace(tmp_path: FilePath) -> FilePath:
    return tracewriter.write(tmp_path / "trace.sqlog", records(FAST, 3.0))


# Every way to write, with a place for the output; `test_every_command_that_writes_is_tried` keeps the list complete.
WRITERS = {
    "check": ["check", "{trace}", "--json", "{out}"],
    "zones": ["zones", "{trace}", "--json", "{out}"],
    "metrics": ["metrics", "{trace}", "--json", "{out}"],
    "explain": ["explain", "{trace}", "--html", "{out}"],
    "plot": ["plot", "{trace}", "--out", "{out}"],
    "report": ["report", "{trace}", "--out", "{out}"],
    "to-qvis": ["to-qvis", "{trace}", "--out", "{out}"],
}
EVERY_WRITER = pytest.mark.parametrize("command", WRITERS.values(), ids=WRITERS)


def test_every_command_that_writes_is_tried_and_declares_all_its_files() -> None:
    for name, parser in subparsers().items():
        files = {a.dest for a in parser._actions if a.type is FilePath}
        reads, writes = parser.get_default("reads"), parser.get_default("writes")
        assert files == {*reads, *writes}, name
        assert bool(writes) == (name in WRITERS or name == "fleet"), name  # test_cli_fleet_outputs


def run(command: list[str], trace: FilePath | str, out: FilePath | str) -> int:
    return cli.main([part.format(trace=trace, out=out) for part in command])


def same(trace: FilePath, _: FilePath) -> FilePath:
    return trace


def another_spelling(trace: FilePath, _: FilePath) -> FilePath:
    (trace.parent / "x").mkdir()
    return trace.parent / "x" / ".." / trace.name


def relative(trace: FilePath, _: FilePath) -> FilePath:
    os.chdir(trace.parent)
    return FilePath(trace.name)


def symlink(trace: FilePath, folder: FilePath) -> FilePath:
    (folder / "link.sqlog").symlink_to(trace)
    return folder / "link.sqlog"


def hard_link(trace: FilePath, folder: FilePath) -> FilePath:
    (folder / "hard.sqlog").hardlink_to(trace)
    return folder / "hard.sqlog"


def through_a_linked_folder(trace: FilePath, folder: FilePath) -> FilePath:
    (folder / "there").symlink_to(trace.parent, target_is_directory=True)
    return folder / "there" / trace.name


@EVERY_WRITER
@pytest.mark.parametrize(
    "alias", [same, another_spelling, relative, symlink, hard_link, through_a_linked_folder], ids=lambda f: f.__name__
)
def test_an_output_that_is_the_trace_is_refused_by_whatever_name(
    command: list[str],
    alias: Callable[[FilePath, FilePath], FilePath],
    trace: FilePath,
    tmp_path: FilePath,
    capsys: Output,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = trace.read_bytes()
    assert run(command, trace, alias(trace, tmp_path)) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert trace.read_bytes() == before


@EVERY_WRITER
def test_a_trace_given_by_an_alias_is_protected_too(command: list[str], trace: FilePath, tmp_path: FilePath) -> None:
    before = trace.read_bytes()
    assert run(command, symlink(trace, tmp_path), trace) == 2
    assert run(command, hard_link(trace, tmp_path), trace) == 2
    assert trace.read_bytes() == before


def program(arguments: list[str], **how: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(FilePath(__file__).parents[1] / "src")}
    command = [sys.executable, "-m", "qlog_analysis", *arguments]
    return subprocess.run(command, env=environment, stderr=subprocess.PIPE, check=False, timeout=120, **how)


@EVERY_WRITER
def test_a_trace_on_the_standard_input_is_protected_too(command: list[str], trace: FilePath) -> None:
    before = trace.read_bytes()
    with trace.open("rb") as f:
        done = program([p.format(trace="/dev/stdin", out=trace) for p in command], stdin=f)
    assert done.returncode == 2
    assert b"would be overwritten" in done.stderr
    assert trace.read_bytes() == before


def test_the_standard_output_may_not_be_the_trace(trace: FilePath) -> None:
    before = trace.read_bytes()
    for arguments in (["metrics", str(trace)], ["check", str(trace), "--json", "-"]):
        with trace.open("ab") as f:
            done = program(arguments, stdout=f)
        assert (done.returncode, trace.read_bytes()) == (2, before)
        assert b"the standard output is the input" in done.stderr


def test_another_input_is_protected_as_well_as_the_first(trace: FilePath, tmp_path: FilePath, capsys: Output) -> None:
    other = tracewriter.write(tmp_path / "other.sqlog", records(FAST, 2.0))
    link = the_link_log(tmp_path)
    kept = {p: FilePath(p).read_bytes() for p in (trace, other, link)}
    for command in (
        ["report", str(trace), str(other), "--out", str(other)],
        ["report", str(trace), "--link", link, "--out", link],
        ["plot", str(trace), "--link", link, "--out", link],
        ["metrics", str(trace), str(other), "--json", str(other)],
    ):
        assert cli.main(command) == 2
        assert "would be overwritten" in capsys.readouterr().err
    assert kept == {p: FilePath(p).read_bytes() for p in (trace, other, link)}


def test_two_outputs_may_not_be_one_file(tmp_path: FilePath) -> None:
    one = tmp_path / "x.json"
    with pytest.raises(AnalysisError, match="two names for two outputs"):
        output.keep_apart([], [one, tmp_path / "." / "x.json"])
    output.keep_apart([], [one, tmp_path / "y.json"])


@EVERY_WRITER
def test_an_older_file_stays_if_the_run_fails_but_for_json_that_says_so(command: list[str], tmp_path: FilePath) -> None:
    broken = tracewriter.write(tmp_path / "broken.sqlog", records(FAST, 2.0))
    broken.write_bytes(broken.read_bytes()[:99])
    out = tmp_path / ("older.svg" if command[0] == "plot" else "older.sqlog")
    out.write_text("older")
    assert run(command, broken, out) == 2
    if "--json" in command:
        assert set(json.loads(out.read_text())) == {"trace", "error"}
    else:
        assert out.read_text() == "older"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["broken.sqlog", out.name]


class FullDisk:
    """A file on a disk that takes no more after some bytes."""

    def __init__(self, f: IO[bytes], room: int) -> None:
        self._f, self._room = f, room

    def __enter__(self) -> FullDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self._f.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._f, name)

    def write(self, data: bytes) -> int:
        self._room -= len(data)
        if self._room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._f.write(data)


@EVERY_WRITER
def test_a_full_disk_leaves_no_half_file_and_the_older_one(
    command: list[str], trace: FilePath, tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    out = tmp_path / ("older.svg" if command[0] == "plot" else "older.sqlog")
    out.write_text("older")
    fdopen = os.fdopen
    monkeypatch.setattr(os, "fdopen", lambda fd, _: FullDisk(fdopen(fd, "wb"), 500))
    assert run(command, trace, out) == 2
    assert "No space left" in capsys.readouterr().err
    assert out.read_text() == "older"
    assert sorted(p.name for p in tmp_path.iterdir()) == [out.name, "trace.sqlog"]


def test_an_interrupted_run_leaves_nothing_either(tmp_path: FilePath) -> None:
    out = tmp_path / "x"

    def interrupted() -> None:
        with output.replacing(out) as f:
            f.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_a_symbolic_link_stays_one_and_permissions_stay(tmp_path: FilePath) -> None:
    real, link, new = tmp_path / "real", tmp_path / "link", tmp_path / "new"
    real.write_text("older")
    real.chmod(0o640)
    link.symlink_to(real)
    output.write_text(link, "newer")
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ("newer", 0o640)
    mask = os.umask(0o027)
    try:
        output.write_text(new, "x")
    finally:
        os.umask(mask)
    assert new.stat().st_mode & 0o777 == 0o640


def test_devices_and_pipes_are_written_to_and_not_replaced(trace: FilePath) -> None:
    done = program(["metrics", str(trace), "--json", "/dev/stdout"], stdout=subprocess.PIPE)
    assert done.returncode == 0
    assert b'"packets_sent"' in done.stdout
    assert FilePath("/dev/stdout").exists()
    assert program(["metrics", str(trace), "--json", "/dev/null"], stdout=subprocess.PIPE).returncode == 0
    assert not FilePath("/dev/null").is_file()


def test_a_folder_is_no_file(trace: FilePath, tmp_path: FilePath, capsys: Output) -> None:
    assert cli.main(["metrics", str(trace), "--json", str(tmp_path)]) == 2
    assert "it is a folder" in capsys.readouterr().err
