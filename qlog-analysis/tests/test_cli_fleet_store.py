"""The table of a fleet: only what is new is worked, and nothing is lost or counted twice, whoever is killed."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path as FilePath

import pytest

import fleets
import foreign_layouts
from made import made
from qlog_analysis import qvis
from qlog_analysis.errors import AnalysisError
from qlog_analysis.fleet.analyse import ErrorKind, failed
from qlog_analysis.fleet.row import Found
from qlog_analysis.fleet.store import Store, Writer
from qlog_analysis.fleet.table import Table


def test_a_second_run_works_only_what_is_new_or_changed(tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    for name in ("a.sqlog", "b.sqlog", "c.sqlog"):
        fleets.small(traces, name)
    assert fleets.gathered(store, traces).worked == 3
    before = fleets.rows(store)
    assert fleets.gathered(store, traces).worked == 0
    assert fleets.rows(store) == before
    fleets.small(traces, "b.sqlog", duration=0.8)
    fleets.small(traces, "d.sqlog")
    assert fleets.gathered(store, traces).worked == 2
    assert fleets.names(store) == ["a.sqlog", "b.sqlog", "c.sqlog", "d.sqlog"]
    os.utime(traces / "a.sqlog", (1.0, 1.0))  # as one of the same size that replaced it
    assert fleets.gathered(store, traces).worked == 1
    durations = dict(fleets.rows(store, "trace, duration_s"))
    assert durations[str(traces / "b.sqlog")] == pytest.approx(0.8, abs=0.01)


def test_a_trace_that_is_gone_stays_in_the_table_and_a_copy_of_before_counts_again(tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    kept = fleets.small(traces, "a.sqlog")
    fleets.gathered(store, traces)
    shutil.copy2(kept, tmp_path / "backup")
    fleets.small(traces, "a.sqlog", duration=0.8)
    fleets.gathered(store, traces)
    shutil.copy2(tmp_path / "backup", kept)
    assert fleets.gathered(store, traces).worked == 1
    ((duration,),) = fleets.rows(store, "duration_s")
    assert duration == pytest.approx(0.4, abs=0.01)
    kept.unlink()
    fleets.small(traces, "b.sqlog")
    fleets.gathered(store, traces)
    assert fleets.names(store) == ["a.sqlog", "b.sqlog"]


def test_a_trace_and_its_compressed_copy_are_one(tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    path = fleets.small(traces, "a.sqlog")
    compressed = traces / "a.sqlog.gz"
    for content in (gzip.compress(path.read_bytes()), b"damaged"):  # the original is there
        compressed.write_bytes(content)
        os.utime(compressed, (4e9, 4e9))
        fleets.gathered(store, traces)
        assert fleets.rows(store, "trace, error") == [(str(path), None)]
    compressed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    fleets.gathered(store, traces)
    assert fleets.names(store) == ["a.sqlog.gz"]
    assert fleets.gathered(store, traces, tmp_path).worked == 0  # a folder within another


def test_an_export_for_qvis_is_no_second_connection(tmp_path: FilePath, capsys: pytest.CaptureFixture[str]) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    path = fleets.small(traces, "a.sqlog")
    qvis.export(path, traces / "a.qvis.sqlog")
    qvis.export(path, traces / "other-name.qlogseq")
    (traces / "b.qvis.sqlog.gz").write_bytes(gzip.compress((traces / "a.qvis.sqlog").read_bytes()))
    (foreign := traces / "c.qlog").write_bytes(foreign_layouts.aioquic(tmp_path, made(duration=0.4, rate=2e6)))
    qvis.export(foreign, traces / "d.sqlog")
    came = fleets.gathered(store, traces)
    assert (came.found, came.exports) == (2, 4)
    assert "4 exports for qvis left out" in capsys.readouterr().err
    assert fleets.names(store) == ["a.sqlog", "c.qlog"]
    with pytest.raises(AnalysisError, match="no trace"):
        fleets.gathered(store, traces / "a.qvis.sqlog")


def test_errors_are_tried_again_only_when_asked_for(tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    fleets.small(traces, "a.sqlog")
    (traces / "b.sqlog").write_bytes(b"")
    fleets.gathered(store, traces)
    assert fleets.names(store, "error IS NOT NULL") == ["b.sqlog"]
    assert fleets.gathered(store, traces).worked == 0
    assert fleets.gathered(store, traces, again=True).worked == 1
    assert len(fleets.rows(store)) == 2


def test_a_killed_run_goes_on_where_it_was(tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    fleets.long_ones(traces, 12)
    run = fleets.started("fleet", traces, "--store", store, "--jobs", 2)
    fleets.wait_for(lambda: len(list(store.glob("*.parquet"))) >= 3)
    run.kill()
    run.wait()
    done = len(fleets.rows(store))
    assert 3 <= done < 12
    assert fleets.gathered(store, traces).worked == 12 - done
    assert fleets.names(store) == [f"{i:03}.sqlog" for i in range(12)]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_run_that_is_stopped_keeps_what_is_done_and_says_how_to_go_on(name: str, tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    fleets.long_ones(traces, 8)
    run = fleets.started("fleet", traces, "--store", store, "--jobs", 1)
    fleets.wait_for(lambda: len(list(store.glob("*.parquet"))) >= 2)
    begin = time.monotonic()
    run.send_signal(getattr(signal, name))
    _, said = run.communicate(timeout=30)
    assert time.monotonic() - begin < 10.0
    assert run.returncode == 2
    assert b"stopped; what is done stands in" in said
    assert b"Traceback" not in said
    assert 2 <= len(fleets.rows(store)) < 8


def test_a_run_in_the_background_ignores_ctrl_c_as_its_shell_wants(tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    fleets.long_ones(traces, 4)
    ignore = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    run = fleets.started("fleet", traces, "--store", store, "--jobs", 1, before=ignore + fleets.EVERY_ROW)
    fleets.wait_for(lambda: len(list(store.glob("*.parquet"))) >= 2)
    assert run.poll() is None, "it ended before it could be interrupted"
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=60)
    assert run.returncode == 0
    assert len(fleets.rows(store)) == 4


def test_a_worker_that_is_killed_loses_nothing(tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    fleets.long_ones(traces, 8)
    run = fleets.started("fleet", traces, "--store", store, "--jobs", 2)
    fleets.wait_for(lambda: len(list(store.glob("*.parquet"))) >= 2)
    victims = fleets.children(run.pid)
    assert len(victims) == 2
    os.kill(victims[0], signal.SIGKILL)
    run.communicate(timeout=120)
    assert run.returncode == 0
    assert fleets.names(store, "error IS NULL") == [f"{i:03}.sqlog" for i in range(8)]


WAITS = """
import os, time
from pathlib import Path

worked = gather.worked

def when_both_have_listed(workers, todo):
    found = list(todo)
    Path({folder!r}, str(os.getpid())).touch()
    while len(list(Path({folder!r}).iterdir())) < 2:
        time.sleep(0.01)
    return worked(workers, iter(found))

gather.worked = when_both_have_listed
"""
"""Before a run that begins to work only when another one, which has listed the same, does."""


def test_two_runs_at_once_count_nothing_twice(tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    fleets.long_ones(traces, 6)
    (tmp_path / "listed").mkdir()
    before = fleets.EVERY_ROW + WAITS.format(folder=str(tmp_path / "listed"))
    runs = [fleets.started("fleet", traces, "--store", store, "--jobs", 1, before=before) for _ in range(2)]
    for run in runs:
        _, said = run.communicate(timeout=120)
        assert run.returncode == 0, said
    with Table(Store(store)) as table:
        ((all_rows,),) = table.ask("SELECT count(*) FROM parts")
    assert all_rows == 12, "they did not run at once"
    assert fleets.names(store) == [f"{i:03}.sqlog" for i in range(6)]
    assert fleets.gathered(store, traces).worked == 0


def test_an_earlier_listing_that_is_written_later_does_not_count(tmp_path: FilePath) -> None:
    store = Store.made(tmp_path / "store")
    old, new = (failed(Found("/a.sqlog", 1, m), ErrorKind.UNREADABLE, m) for m in ("1", "2"))
    Writer(store, 200).add([new])
    Writer(store, 100).add([old])
    assert fleets.rows(store.path, "modified") == [("2",)]


def test_what_a_killed_run_left_is_not_counted_and_goes_after_a_day(tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    fleets.small(traces, "a.sqlog")
    fleets.gathered(store, traces)
    (part,) = store.glob("*.parquet")
    left, fresh = store / "old.parquet.part", store / "new.parquet.part"
    for copy in (left, fresh):
        shutil.copy(part, copy)
    os.utime(left, (0, 0))
    fleets.gathered(store, traces)
    assert (left.exists(), fresh.exists()) == (False, True)
    assert len(fleets.rows(store)) == 1


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (None, "fleet.json is not in it"),
        ("{", "cannot read"),
        (100_000 * "[", "cannot read"),
        ('{"kind": "other"}', "not that of a store"),
        (json.dumps({"kind": "qlog-analysis fleet", "format": 99}), "has format 99, this version"),
    ],
)
def test_what_is_no_store_is_named(mark: str | None, expected: str, tmp_path: FilePath) -> None:
    if mark is not None:
        (tmp_path / "fleet.json").write_text(mark)
    with pytest.raises(AnalysisError, match=expected):
        Store(tmp_path)


def test_a_folder_with_other_files_does_not_become_a_store(tmp_path: FilePath) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(AnalysisError, match="folder with other files"):
        Store.made(tmp_path)


def test_a_damaged_file_of_a_store_is_named_among_others(tmp_path: FilePath) -> None:
    store = tmp_path / "store"
    names = ("a.sqlog", "b.sqlog", "c.sqlog")
    for name in names:
        fleets.small(tmp_path / "traces", name)
        fleets.gathered(store, tmp_path / "traces")
    _, part, _ = Store(store).parts()
    whole = part.read_bytes()
    for damaged in (whole[:-20], whole[:100] + bytes(len(whole) - 200) + whole[-100:], b""):
        part.write_bytes(damaged)
        with pytest.raises(AnalysisError, match=rf"file .*{part.name} of the store is damaged.*Remove that file"):
            fleets.rows(store)
    part.unlink()
    assert fleets.gathered(store, tmp_path / "traces").worked == 1
    assert fleets.names(store) == [*names]


def test_what_is_wrong_elsewhere_is_not_laid_to_the_store(tmp_path: FilePath) -> None:
    store = Store.made(tmp_path / "store")
    Writer(store, 1).add([failed(Found("/a.sqlog", 1, "1"), ErrorKind.UNREADABLE, "")])
    with Table(store) as table:
        with pytest.raises(AnalysisError, match=r"cannot write .*/gone/table: ") as cannot:
            table.copy("FROM connections", [], tmp_path / "gone" / "table", "FORMAT csv")
        with pytest.raises(AnalysisError, match="cannot work with the store") as neither:
            table.ask("SELECT 'x'::INT FROM connections")
    assert "damaged" not in f"{cannot.value} {neither.value}"


@pytest.mark.parametrize(("name", "expected"), [("bad\udcff", "must be UTF-8"), ("a*", r"cannot have \*")])
def test_a_name_that_no_store_can_have_is_refused_before_anything_is_done(
    name: str, expected: str, tmp_path: FilePath
) -> None:
    fleets.small(tmp_path / "traces", "a.sqlog")
    with pytest.raises(AnalysisError, match=expected):
        fleets.gathered(tmp_path / name, tmp_path / "traces")
    assert [p.name for p in tmp_path.iterdir()] == ["traces"]


def test_folders_that_are_called_like_columns_change_nothing(
    tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "problem=x"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    traces, store = tmp_path / "traces", tmp_path / "controller=x" / "title=y"
    fleets.small(traces, "a.sqlog")
    fleets.gathered(store, traces)
    assert fleets.rows(store, "error, controller, title IS DISTINCT FROM 'y'") == [(None, "cubic", True)]


def test_rows_that_are_there_twice_count_once(tmp_path: FilePath) -> None:
    made = Store.made(tmp_path / "store")
    writer = Writer(made, 100)
    rows = [failed(Found("/a.sqlog", 1, "1"), ErrorKind.UNREADABLE, "", n) for n in (1, 2)]
    writer.add(rows)
    writer.add(rows)
    (part, _) = made.parts()
    shutil.copy(part, made.path / "copy.parquet")
    assert fleets.rows(made.path, "connection") == [(1,), (2,)]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_stop_while_rows_are_written_waits_until_they_are(name: str, when: str, tmp_path: FilePath) -> None:
    traces, store = tmp_path / "traces", tmp_path / "store"
    fleets.long_ones(traces, 3)
    stop = f"import os, signal; from pathlib import Path; stop = lambda: os.kill(os.getpid(), signal.{name}); "
    rename = "replace = Path.replace; "
    calls = {"before": "(stop(), replace(self, to))[1]", "after": "(replace(self, to), stop())[0]"}[when]
    here = "if str(to).endswith('.parquet') else replace(self, to)"
    patch = f"Path.replace = lambda self, to: {calls} {here}; "
    run = fleets.started(
        "fleet", traces, "--store", store, "--jobs", 1, before=fleets.EVERY_ROW + stop + rename + patch
    )
    _, said = run.communicate(timeout=60)
    assert run.returncode == 2
    assert b"stopped; what is done stands in" in said
    assert b"Traceback" not in said
    with Table(Store(store)) as table:
        ((all_rows, traces_there),) = table.ask("SELECT count(*), count(DISTINCT key) FROM parts")
    assert all_rows == traces_there >= 1
    assert not list(store.glob("*.part"))
