"""Records that cannot be used, or are of another run, are refused, and the message says what is wrong."""

from __future__ import annotations

import sys
from pathlib import Path as FilePath

import pytest

import lab
import tracewriter
from qlog_analysis import cli
from qlog_analysis.errors import AnalysisError
from qlog_analysis.invariants.invariant import Outcome
from qlog_analysis.network.errors import RecordError
from qlog_analysis.network.record_file import RunRecord
from qlog_analysis.network.run import judge
from records import rewritten
from traces import trace_of

PLAIN = ("link.there.loss=1%", "duration=3s")
Output = pytest.CaptureFixture[str]


def refused(folder: FilePath, record: FilePath, described: str | None = None) -> str:
    some, _ = lab.recorded(folder, "hybrid", *PLAIN)
    if described is not None:
        some[0]["trace"]["description"] = described
    with pytest.raises(AnalysisError) as e:
        judge(trace_of(folder, some), record)
    return str(e.value)


def other(folder: FilePath, spec: str, seed: int) -> FilePath:
    (folder / "other").mkdir()
    return lab.recorded(folder / "other", spec, *PLAIN, seed=seed)[1]


def test_the_record_of_another_run_is_refused_by_its_name(tmp_path: FilePath) -> None:
    message = refused(tmp_path, other(tmp_path, "hybrid", 2))
    assert "is the record of another run" in message
    assert "record.parquet" in message


def test_so_by_its_packets_where_the_trace_does_not_name_its_run(tmp_path: FilePath) -> None:
    message = refused(tmp_path, other(tmp_path, "cubic", 2), described="some server")
    assert (
        "is not the record of this trace: at least 50% of the packets sent must be in one of its flows (main)"
        in message
    )


def test_what_is_no_record_is_refused(tmp_path: FilePath) -> None:
    _, record = lab.recorded(tmp_path, "hybrid", *PLAIN)
    assert "does not exist" in refused(tmp_path, tmp_path / "none.parquet")
    assert "its key `format` must be" in refused(tmp_path, rewritten(record, format="another"))
    assert "this program reads version 1" in refused(tmp_path, rewritten(record, version="2"))
    assert "lacks the columns fate" in refused(tmp_path, rewritten(record, "* EXCLUDE (fate)"))
    assert "the key `flows` cannot be read" in refused(tmp_path, rewritten(record, flows="[{}]"))


@pytest.mark.parametrize("key", ["dropped_rows", "unseen_packets", "duration_ns"])
def test_a_count_that_is_none_is_told_with_file_and_key(tmp_path: FilePath, key: str) -> None:
    some, record = lab.recorded(tmp_path, "hybrid", "duration=1s")
    false = rewritten(rewritten(record, clock="real").rename(record), **{key: "-1e3"})
    with pytest.raises(RecordError, match=f"rewritten.parquet: {key} of its metadata is a whole number"):
        judge(trace_of(tmp_path, some), false)


def test_a_run_that_did_not_end_leaves_no_record(tmp_path: FilePath) -> None:
    _, record = lab.recorded(tmp_path, "hybrid", *PLAIN)
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(record.read_bytes()[:-100])
    assert "A record is whole only when its run has ended" in refused(tmp_path, cut)


def test_without_duckdb_the_message_says_what_to_install(tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch) -> None:
    _, record = lab.recorded(tmp_path, "hybrid", *PLAIN)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    message = refused(tmp_path, record)
    assert "a record of packets needs the Python package duckdb" in message
    assert "pip install './qlog-analysis[fleet]'" in message


def test_missing_rows_are_not_taken_for_lies(tmp_path: FilePath) -> None:
    some, record = lab.recorded(tmp_path, "hybrid", *PLAIN)
    thinned = rewritten(record, where="packet % 50 <> 7", dropped_rows="70")
    came = {j.invariant.name: j for j in judge(trace_of(tmp_path, some), thinned)}
    assert came["arrivals"].outcome is came["deliveries"].outcome is Outcome.NOT_JUDGED
    assert came["arrivals"].why_not == "the record lacks 70 rows"


def test_check_takes_the_record(tmp_path: FilePath, capsys: Output) -> None:
    some, record = lab.recorded(tmp_path, "cubic", *PLAIN)
    trace = str(tracewriter.write(tmp_path / "main.sqlog", some))
    assert cli.main(["check", trace, "--record", str(record)]) == 3
    assert "arrivals               pass" in capsys.readouterr().out
    assert cli.main(["check", trace, "--record", str(rewritten(record, "* REPLACE (3::INTEGER AS ecn_in)"))]) == 1
    assert "codepoints             FAIL" in capsys.readouterr().out
    assert cli.main(["check", trace, trace, trace, "--record", str(record), "--record", str(record)]) == 2
    assert "2 records for 3 traces" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["run[1]", "run?", "*", "a\\b[1]", "flow=9"])
def test_the_name_of_a_record_is_no_pattern_and_no_column(tmp_path: FilePath, name: str) -> None:
    _, record = lab.recorded(tmp_path, "cubic", *PLAIN)
    for folder in (name, "run1", "runs", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "record.parquet").write_bytes(record.read_bytes())
    rewritten(record, where="packet < 10").replace(tmp_path / name / "record.parquet")
    of = RunRecord(tmp_path / name / "record.parquet")
    assert of.flows("client") == ["main"]
    assert 0 < len(of.ways("main", "client")) <= 10
