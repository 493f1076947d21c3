"""What `fleet` writes is never a trace, and whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path as FilePath

import pytest

import fleets
from qlog_analysis.cli import main
from test_fleet_compare import made_up
from test_outputs import FullDisk

Output = pytest.CaptureFixture[str]
OPTIONS = pytest.mark.parametrize("option", ["--json", "--html", "--table"])


@OPTIONS
@pytest.mark.parametrize("given", ["the folder", "the trace"])
def test_an_output_that_is_a_trace_is_refused_by_whatever_name(
    option: str, given: str, tmp_path: FilePath, capsys: Output
) -> None:
    trace = fleets.small(tmp_path / "traces", "a.sqlog")
    before = trace.read_bytes()
    (tmp_path / "hard.csv").hardlink_to(trace)
    (tmp_path / "soft.csv").symlink_to(trace)
    where = trace.parent if given == "the folder" else trace
    for out in ("hard.csv", "soft.csv"):
        assert main(["fleet", str(where), "--store", str(tmp_path / "store"), option, str(tmp_path / out)]) == 2
        assert "would be overwritten" in capsys.readouterr().err
    assert main(["fleet", str(where), "--store", str(tmp_path / "store"), option, str(trace)]) == 2
    assert trace.read_bytes() == before


@OPTIONS
def test_a_full_disk_leaves_no_half_file_and_the_older_one(
    option: str, tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    store = made_up(tmp_path / "store", 1, 30)
    out = tmp_path / "older.csv"
    out.write_text("older")
    fdopen = os.fdopen
    monkeypatch.setattr(os, "fdopen", lambda fd, _: FullDisk(fdopen(fd, "wb"), 500))
    assert main(["fleet", "--store", str(store.path), option, str(out)]) == 2
    assert "No space left" in capsys.readouterr().err
    assert out.read_text() == "older"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["older.csv", "store"]


@OPTIONS
def test_an_older_file_stays_if_nothing_can_be_reported(option: str, tmp_path: FilePath) -> None:
    out = tmp_path / "older.csv"
    out.write_text("older")
    assert main(["fleet", str(tmp_path), "--store", str(tmp_path / "store"), option, str(out)]) == 2
    assert out.read_text() == "older"
