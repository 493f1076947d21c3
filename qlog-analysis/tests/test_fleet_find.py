"""Which traces are found in folders and object stores; what cannot be searched or read is told."""

from __future__ import annotations

import gzip
import os
import socket
from pathlib import Path as FilePath
from typing import Any

import fsspec
import pytest
import zstandard

import fleets
import tracewriter
from made import made
from qlog_analysis.cli import main
from qlog_analysis.errors import AnalysisError
from qlog_analysis.fleet import find, gather
from qlog_analysis.fleet.row import Found


def test_traces_are_found_by_their_endings_once_and_below_folders(tmp_path: FilePath) -> None:
    content = fleets.small(tmp_path / "a" / "b", "one.sqlog").read_bytes()
    (tmp_path / "two.qlog.gz").write_bytes(gzip.compress(content))
    (tmp_path / "three.sqlog.zst").write_bytes(zstandard.compress(content))
    (tmp_path / "notes.txt").write_text("no trace")
    (tmp_path / "folder.sqlog").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "link.sqlog").symlink_to(tmp_path / "a" / "b" / "one.sqlog")
    (tmp_path / "folder-link.sqlog").symlink_to(tmp_path / "a")
    wanted = {"one.sqlog", "two.qlog.gz", "three.sqlog.zst"}
    assert {FilePath(f.trace).name for f in fleets.found(tmp_path)} == wanted
    assert fleets.gathered(tmp_path / "store", tmp_path).worked == 3
    assert {*fleets.names(tmp_path / "store", "error IS NULL")} == wanted


def test_what_is_no_file_is_named_and_hides_no_other(tmp_path: FilePath, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "t"
    for number in range(20):  # in whatever order they are listed
        fleets.small(folder, f"{number}.sqlog")
    (folder / "loop.sqlog").symlink_to("loop.sqlog")
    (folder / "nowhere.sqlog").symlink_to("gone\nfleet: forged")
    (folder / "for\nged.sqlog").symlink_to("gone")
    os.mkfifo(folder / "pipe.sqlog")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "socket.sqlog"))
    listening.close()
    problems: list[str] = []
    assert len(list(find.traces(str(folder), problems.append))) == 20
    assert sorted(problems) == [
        f"cannot read {folder}/for\nged.sqlog: No such file or directory",
        f"cannot read {folder}/loop.sqlog: Too many levels of symbolic links",
        f"cannot read {folder}/nowhere.sqlog: No such file or directory",
        f"cannot read {folder}/pipe.sqlog: it is no file, but a pipe or a device",
        f"cannot read {folder}/socket.sqlog: it is no file, but a pipe or a device",
    ]
    page = tmp_path / "page.html"
    assert main(["fleet", str(folder), "--store", str(tmp_path / "store"), "--html", str(page)]) == 4
    said = capsys.readouterr()
    assert "not searched or read: 5" in said.out
    assert f"    cannot read {folder}/for\\nged.sqlog: No such file or directory" in said.out.splitlines()
    assert f"qlog-analysis: cannot read {folder}/for\\nged.sqlog: No such file or directory" in said.err.splitlines()
    assert "Too many levels of symbolic links" in page.read_text()
    with pytest.raises(AnalysisError, match="it is no file, but a pipe"):
        fleets.found(folder / "pipe.sqlog")


def test_a_name_that_is_no_text_is_named(tmp_path: FilePath) -> None:
    content = fleets.small(tmp_path, "a.sqlog").read_bytes()
    (tmp_path / "t").mkdir()
    FilePath(os.fsdecode(bytes(tmp_path / "t") + b"/\xff.sqlog")).write_bytes(content)
    (tmp_path / "t" / r"\xff.sqlog").write_bytes(content)  # which is one
    fleets.gathered(tmp_path / "store", tmp_path / "t")
    no_text, text = fleets.rows(tmp_path / "store", "trace, error")
    assert no_text[0] == rf"$'{tmp_path}/t/\xff.sqlog'"
    assert "not UTF-8" in no_text[1]
    assert text == (rf"{tmp_path}/t/\xff.sqlog", None)


def test_a_folder_without_traces_and_one_that_is_not_there_are_named(tmp_path: FilePath) -> None:
    with pytest.raises(AnalysisError, match=r"no trace in .*names of traces end in \.sqlog"):
        fleets.gathered(tmp_path / "store", tmp_path)
    with pytest.raises(AnalysisError, match="there is no such folder"):
        fleets.gathered(tmp_path / "store", tmp_path / "gone")


def test_a_folder_that_cannot_be_searched_is_named_and_the_others_are(
    tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleets.small(tmp_path / "t", "a.sqlog")
    fleets.small(tmp_path / "t" / "closed", "b.sqlog")
    search = os.scandir

    def refuses(folder: Any) -> Any:
        if str(folder).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return search(folder)

    monkeypatch.setattr(os, "scandir", refuses)
    problems: list[str] = []
    assert [FilePath(f.trace).name for f in find.traces(str(tmp_path / "t"), problems.append)] == ["a.sqlog"]
    assert problems == [f"cannot search {tmp_path}/t/closed: Permission denied"]
    assert main(["fleet", str(tmp_path / "t"), "--store", str(tmp_path / "store")]) == 4


def test_a_trace_that_only_its_worker_does_not_find_is_an_error(
    tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a machine of a cluster that lacks the folder."""
    fleets.small(tmp_path / "t", "a.sqlog")
    monkeypatch.setattr(gather, "worked", lambda _, todo: ((found, []) for found in todo))
    came = fleets.gathered(tmp_path / "store", tmp_path / "t")
    assert came.gone == []
    assert fleets.rows(tmp_path / "store", "error") == [("cannot read: its worker finds no such file",)]


def test_a_trace_that_is_removed_while_its_folder_is_listed_is_no_problem(
    tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleets.small(tmp_path, "a.sqlog")
    removed = fleets.small(tmp_path, "b.sqlog")
    stat = FilePath.stat

    def remove_first(self: FilePath, *, follow_symlinks: bool = True) -> os.stat_result:
        if self == removed:
            removed.unlink(missing_ok=True)
        return stat(self, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(FilePath, "stat", remove_first)
    assert [FilePath(f.trace).name for f in fleets.found(tmp_path)] == ["a.sqlog"]


def test_a_trace_that_is_gone_when_it_is_to_be_read_has_no_row(
    tmp_path: FilePath, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.sqlog", "b.sqlog"):
        fleets.small(tmp_path / "t", name)

    def work(found: Found) -> Any:
        (tmp_path / "t" / "b.sqlog").unlink(missing_ok=True)
        return fleets.rows_of(found)

    came = gather.gather(tmp_path / "store", [str(tmp_path / "t")], fleets.crew(work), again=False)
    assert came.gone == [str(tmp_path / "t" / "b.sqlog")]
    assert "b.sqlog is gone since it was listed" in capsys.readouterr().err
    assert fleets.names(tmp_path / "store") == ["a.sqlog"]


def test_a_folder_of_an_object_store_that_cannot_be_listed_is_named_and_the_others_are(
    tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = fleets.small(tmp_path, "a.sqlog").read_bytes()
    memory = fsspec.filesystem("memory")
    for name in ("a.sqlog", "closed/b.sqlog", "open/c.sqlog", "\udcff.sqlog"):
        memory.pipe(f"/closing/{name}", content)
    listed = type(memory).ls

    def refuses(self: Any, path: str, *more: Any, **named: Any) -> Any:
        if path.endswith("closed"):
            raise PermissionError("Access Denied")
        return listed(self, path, *more, **named)

    monkeypatch.setattr(type(memory), "ls", refuses)
    came = fleets.gathered(tmp_path / "store", "memory://closing")
    assert came.found == 3
    assert came.problems == ["cannot search memory:///closing/closed: PermissionError: Access Denied"]
    assert fleets.names(tmp_path / "store", "error IS NULL") == ["a.sqlog", "c.sqlog"]
    assert fleets.rows(tmp_path / "store", "trace", "error IS NOT NULL") == [(r"$'memory:///closing/\xff.sqlog'",)]


def test_what_a_title_says_makes_no_export_of_a_trace(tmp_path: FilePath) -> None:
    some = made(duration=0.3)
    some[0]["title"] = some[0]["trace"]["title"] = 'qlog-analysis (export for qvis) "code_version":"qlog-analysis'
    tracewriter.write(tmp_path / "a.sqlog", some)
    assert not find.is_export(fleets.found(tmp_path)[0])


def test_traces_of_an_object_store_are_read(tmp_path: FilePath) -> None:
    content = fleets.small(tmp_path, "a.sqlog").read_bytes()
    memory = fsspec.filesystem("memory")
    for name in ("day/1/a.sqlog", "day/2/b.sqlog.gz", "daylight/c.sqlog", "night/d.sqlog", "day/x.txt"):
        memory.pipe(f"/bucket/{name}", gzip.compress(content) if name.endswith("gz") else content)
    assert [f.trace for f in fleets.found("memory://bucket/day")] == [
        "memory:///bucket/day/1/a.sqlog",
        "memory:///bucket/day/2/b.sqlog.gz",
    ]
    assert len(fleets.found("memory://bucket/da")) == 3  # how a name begins
    one, two = (fleets.rows_of(f)[0] for f in fleets.found("memory://bucket/day"))
    assert one.error is two.error is None
    assert one.goodput_bps == two.goodput_bps == fleets.rows_of(fleets.found(tmp_path / "a.sqlog")[0])[0].goodput_bps
    memory.rm("/bucket/day/1/a.sqlog")
    assert not fleets.rows_of(Found("memory:///bucket/day/1/a.sqlog", 1, ""))


def test_an_address_that_nothing_reads_is_named() -> None:
    with pytest.raises(AnalysisError, match="cannot search nowhere://x"):
        fleets.found("nowhere://x")
