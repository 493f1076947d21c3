"""What `fleet` prints and writes, and how it ends."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path as FilePath
from typing import Any
from urllib.parse import unquote

import duckdb
import pytest

import fleets
from qlog_analysis.cli import main
from qlog_analysis.plots.interactive import library
from test_fleet_compare import made_up
from test_fleet_workers import many_connections
from test_report import Page
from traces import FAST, records
from tracewriter import write

Output = pytest.CaptureFixture[str]


@pytest.fixture
def traces(tmp_path: FilePath) -> FilePath:
    folder = tmp_path / "traces"
    for number in range(3):
        fleets.small(folder, f"cubic {number}.sqlog", delay=0.01 * (number + 1))
    write(folder / "hybrid.sqlog", records(FAST, 4.0))
    return folder


@pytest.fixture
def store(tmp_path: FilePath) -> FilePath:
    return tmp_path / "store"


def run(*arguments: object) -> int:
    return main(["fleet", *map(str, arguments)])


def test_groups_are_counted_and_measured(traces: FilePath, store: FilePath, tmp_path: FilePath, capsys: Output) -> None:
    out = tmp_path / "report.json"
    assert run(traces, "--store", store, "--json", out, "--jobs", 2) == 0
    said = json.loads(out.read_text())
    assert (said["traces"], said["connections"], said["errors"]) == (4, 4, 0)
    cubic, hybrid = said["groups"]["controller"]
    assert (cubic["name"], cubic["connections"], cubic["verdicts"]) == ("cubic", 3, {"NO LAW": 3})
    assert (hybrid["name"], hybrid["connections"], hybrid["verdicts"]) == ("hybrid", 1, {"PASS": 1})
    delays = sorted(
        d for (d,) in fleets.rows(store, "queueing_delay_p95_ms", "controller = 'cubic' AND verdict = 'NO LAW'")
    )
    assert cubic["queueing_delay_p95_ms"]["p50"] == pytest.approx(delays[1])
    assert sum(hybrid["limited_by"].values()) == pytest.approx(1.0, abs=1e-6)
    assert {g["name"] for g in said["groups"]["ROWD source"]} == {"ack"}
    assert {g["name"] for g in said["groups"]["options"]} >= {"cubic: default"}
    assert len(said["groups"]["peer"]) == 2
    text = capsys.readouterr().out
    for line in ("By controller", "By options", "By peer", "By ROWD source", "limited by", "3 NO LAW"):
        assert line in text


def test_the_worst_are_named_with_the_command_that_explains_them(
    traces: FilePath, store: FilePath, tmp_path: FilePath, capsys: Output
) -> None:
    out = tmp_path / "report.json"
    assert run(traces, "--store", store, "--json", out, "--worst", 2) == 0
    worst = json.loads(out.read_text())["worst"]
    delays = sorted((d for (d,) in fleets.rows(store, "queueing_delay_p95_ms")), reverse=True)
    assert [w["queueing_delay_p95_ms"] for w in worst] == delays[:2]
    assert worst[0]["command"] == f"qlog-analysis explain '{worst[0]['trace']}'"  # a space is in the name
    assert worst[0]["command"] in capsys.readouterr().out


def test_the_page_stands_alone_and_links_to_explanations(traces: FilePath, store: FilePath, tmp_path: FilePath) -> None:
    out = tmp_path / "pages" / "report.html"
    out.parent.mkdir()
    arguments = ("--store", store, "--html", out, "--explain", tmp_path / "pages" / "why", "--worst", 2)
    assert run(traces, *arguments) == 0
    html = out.read_text()
    page = Page(html)
    links = [str(a["href"]) for t, a in page.tags if t == "a" and not str(a["href"]).startswith("#")]
    assert len(links) == 2
    for link in links:
        assert "<title>" in (out.parent / unquote(link)).read_text()[:2000]
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed")
        assert "src" not in attributes
        assert all("//" not in (value or "") for value in attributes.values()), (tag, attributes)
    ours = html.replace(library(), "")
    assert "http:" not in ours
    assert "https:" not in ours
    (policy,) = (a["content"] or "" for t, a in page.tags if t == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none'; ")
    assert "Plotly.newPlot" in html
    assert 'name="viewport"' in html
    assert "@media (max-width: 700px)" in html
    for text in ("By controller", "Worst queueing delay", "qlog-analysis explain"):
        assert text in page.text


def test_what_a_trace_says_cannot_become_part_of_the_page(store: FilePath, tmp_path: FilePath) -> None:
    evil = "</script><script>alert(1)</script><b onmouseover=x>"
    made_up(store, 1, 30, controller=evil, options=evil, peer=evil)
    out = tmp_path / "report.html"
    assert run("--store", store, "--html", out) == 0
    page = Page(out.read_text())
    assert "alert(1)</script>" not in out.read_text()
    assert sum(t == "script" for t, _ in page.tags) == 2
    assert not any("onmouseover" in a for _, a in page.tags)


def test_a_legend_shows_the_name_of_a_controller_as_it_is(store: FilePath, tmp_path: FilePath) -> None:
    made_up(store, 1, 30, controller="<b>b & c")
    out = tmp_path / "report.html"
    assert run("--store", store, "--html", out) == 0
    # Plotly reads HTML in names; here they are in JSON within a script.
    assert r'"name":"\u0026lt;b\u0026gt;b \u0026amp; c"' in out.read_text()


def test_what_a_trace_says_makes_no_line_of_the_report(store: FilePath, tmp_path: FilePath, capsys: Output) -> None:
    forged = "x\nnot used: 0"
    made_up(store, 1, 30, controller=forged, options=forged, peer=forged)
    fleets.small(tmp_path / "t", "a\nnot used: 0.sqlog").write_bytes(b"")
    assert run(tmp_path / "t", "--store", store) == 4
    said = capsys.readouterr().out
    assert not any(line.startswith("not used: 0") for line in said.splitlines())
    assert "x\\nnot used: 0" in said


def test_of_a_file_with_several_connections_the_one_with_an_error_is_named_and_tried_again(
    store: FilePath, tmp_path: FilePath, capsys: Output
) -> None:
    path = many_connections(tmp_path / "t" / "several.qlog", 3)
    document = json.loads(path.read_text())
    document["traces"][1]["events"] = [{"time": 0, "name": "a:b", "data": {}}]
    path.write_text(json.dumps(document))
    assert run(path, "--store", store, "--json", tmp_path / "out.json") == 4
    assert f"    {path}, connection 2: no packet was sent or received" in capsys.readouterr().out
    (named,) = json.loads((tmp_path / "out.json").read_text())["first_errors"]
    assert (named["trace"], named["connection"]) == (str(path), 2)
    for more, worked in (([], 0), (["--retry"], 1)):
        assert run(path, "--store", store, *more) == 4
        assert f"1 traces, {worked} of them new or changed" in capsys.readouterr().err


def test_canary_against_control(tmp_path: FilePath, capsys: Output) -> None:
    canary, control = tmp_path / "canary", tmp_path / "control"
    made_up(canary, 1, 400, delay=10.0)
    made_up(control, 2, 400, delay=20.0, controller="bbr2")
    out, page = tmp_path / "report.json", tmp_path / "report.html"
    assert run("--store", canary, "--against", control, "--seed", 7, "--json", out, "--html", page) == 0
    said = json.loads(out.read_text())
    assert said["against"]["store"] == str(control)
    assert said["comparison"]["seed"] == 7
    first = said["comparison"]["figures"][0]
    assert first["says"] == "better"
    assert first["interval"][0] < first["this"] - first["other"] < first["interval"][1] < 0.0
    assert "queueing delay per packet, 95th percentile of a connection: median: better" in capsys.readouterr().out
    assert "no difference shown" in Page(page.read_text()).text


def test_two_controllers_of_one_store(traces: FilePath, store: FilePath, capsys: Output) -> None:
    assert run(traces, "--store", store, "--only", "controller=hybrid", "--against-only", "controller=cubic") == 0
    said = capsys.readouterr().out
    assert "1 connections with controller=hybrid" in said
    assert f"Against {store} (controller=cubic)" in said
    assert "too few connections" in said
    assert run("--store", store, "--only", "controller=vegas") == 2
    assert "no connection of" in capsys.readouterr().err


def test_a_table_for_spreadsheets_calculates_nothing(store: FilePath, tmp_path: FilePath) -> None:
    texts: dict[str, Any] = {"title": "=1+1", "controller": "@x", "options": "-x", "server_name": "+x", "rule": "a=b"}
    made_up(store, 1, 1, **texts)
    assert run("--store", store, "--table", tmp_path / "table.csv") == 0
    with (tmp_path / "table.csv").open() as f:
        (row,) = csv.DictReader(f)
    assert {name: row[name] for name in texts} == {
        "title": "'=1+1", "controller": "'@x", "options": "'-x", "server_name": "'+x", "rule": "a=b"
    }  # fmt: skip
    assert run("--store", store, "--table", tmp_path / "table.parquet") == 0
    table = f"SELECT {', '.join(texts)} FROM '{tmp_path}/table.parquet'"
    assert duckdb.connect().execute(table).fetchall() == [tuple(texts.values())]


def test_the_table_is_written_for_other_programs(traces: FilePath, store: FilePath, tmp_path: FilePath) -> None:
    (traces / "broken.sqlog").write_bytes(b"hello")
    assert run(traces, "--store", store, "--table", tmp_path / "table.csv") == 4
    with (tmp_path / "table.csv").open() as f:
        rows = list(csv.DictReader(f))
    assert [FilePath(r["trace"]).name for r in rows] == sorted(p.name for p in traces.iterdir())
    assert rows[0]["error_kind"] == "unreadable"
    assert run("--store", store, "--table", tmp_path / "table.parquet", "--only", "controller=cubic") == 4
    ((count,),) = duckdb.connect().execute(f"SELECT count(*) FROM '{tmp_path}/table.parquet'").fetchall()
    assert count == 3


def test_broken_traces_are_counted_and_named_and_exit_4(traces: FilePath, store: FilePath, capsys: Output) -> None:
    (traces / "a.sqlog").write_bytes(b"")
    (traces / "b.sqlog.gz").write_bytes(b"\x1f\x8b\x08")
    assert run(traces, "--store", store) == 4
    said = capsys.readouterr().out
    assert "not used: 2 (2 unreadable)" in said
    assert f"{traces / 'a.sqlog'}: the file is empty" in said
    assert f"{traces / 'b.sqlog.gz'}: " in said


def test_a_fleet_of_broken_traces_alone_exits_2(tmp_path: FilePath, store: FilePath) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.sqlog").write_bytes(b"")
    assert run(tmp_path / "t", "--store", store) == 2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["{folder}/none", "--store", "{folder}/s"], "there is no such folder"),
        (["{folder}", "--store", "{folder}/s"], "no trace in"),
        (["--store", "{folder}/s"], "is no store of `fleet`"),
        (["--store", "{empty}"], "is empty: `qlog-analysis fleet TRACES --store"),
        (["--store", "{empty}", "--against", "{folder}"], "is no store of `fleet`"),
        (["--store", "{full}", "--against", "{empty}"], "empty is empty: `qlog-analysis fleet TRACES --store"),
        (["--store", "{empty}", "--html", "{folder}/x.sqlog"], "has the name of a trace"),
        (["--store", "{empty}", "--json", "{empty}/x.json"], "is in the store"),
        (["--store", "{empty}", "--table", "{folder}/x.xlsx"], "must end in .parquet or .csv"),
        (["--store", "{empty}", "--explain", "{folder}"], "give --html as well"),
        (["--store", "{empty}", "--only", "a=b"], "has no column a"),
        (["nowhere://x", "--store", "{folder}/s"], "cannot search nowhere://x"),
        (["{trace}", "--store", "{folder}/s", "--scheduler", "tcp://127.0.0.1:9"], "no Dask scheduler answers"),
    ],
)
def test_wrong_input_is_named_and_exits_2(
    arguments: list[str], expected: str, tmp_path: FilePath, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qlog_analysis.workers.PATIENCE", 1)
    folder, empty = tmp_path / "folder", made_up(tmp_path / "empty", 1, 1).path
    folder.mkdir()
    for part in empty.glob("*.parquet"):
        part.unlink()
    trace, full = fleets.small(tmp_path / "t", "a.sqlog"), made_up(tmp_path / "full", 1, 1).path
    assert run(*(a.format(folder=folder, empty=empty, full=full, trace=trace) for a in arguments)) == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--jobs", "0"], "expected a whole number"),
        (["--time-limit", "x"], "expected 1 to 1000000 s"),
        (["--memory-limit", "1MB"], "a worker needs 512 MiB at least"),
        (["--memory-limit", "much"], "expected a size"),
        (["--memory-limit", "99999999999GiB"], "expected 1024 TiB at most"),
        (["--memory-limit", 400 * "9"], "expected 1024 TiB at most"),
        (["--seed", "-1"], "expected a whole number"),
        (["--seed", 5000 * "9"], "expected a whole number"),
        (["--against", "s3://bucket/x"], "expected a folder of this machine"),
        (["--store", "s3://bucket/x"], "expected a folder of this machine"),
        (["--scheduler"], "expected one argument"),
    ],
)
def test_wrong_usage_is_named(arguments: list[str], expected: str, store: FilePath, capsys: Output) -> None:
    with pytest.raises(SystemExit) as stop:
        run("--store", store, *arguments)
    assert stop.value.code == 2
    assert expected in capsys.readouterr().err


def test_an_address_of_files_of_this_machine_is_their_path(traces: FilePath, store: FilePath, capsys: Output) -> None:
    assert run(f"file://{traces}", "--store", store) == 0
    assert "4 traces" in capsys.readouterr().out
    assert run(f"file://{traces}", traces, "--store", f"file://{store}") == 0
    said = capsys.readouterr()
    assert "4 traces, 0 of them new or changed" in said.err
    assert ": 4 traces, 4 connections" in said.out


@pytest.mark.parametrize("missing", ["duckdb", "fsspec", "distributed"])
def test_a_library_that_is_missing_is_named_with_the_command_that_installs_it(
    missing: str, traces: FilePath, store: FilePath, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    extra = "cluster" if missing == "distributed" else "fleet"
    more: dict[str, list[Any]] = {"distributed": ["--scheduler", "tcp://127.0.0.1:9"]}
    where = "memory://traces" if missing == "fsspec" else traces
    assert run(where, "--store", store, *more.get(missing, [])) == 2
    assert f"`pip install './qlog-analysis[{extra}]'`" in capsys.readouterr().err


def test_progress_names_what_is_left(traces: FilePath, store: FilePath, capsys: Output) -> None:
    from qlog_analysis.fleet.progress import Progress  # noqa: PLC0415

    progress = Progress(10, 1000)
    progress.add(100, error=True)
    progress._begin -= 60.0
    assert progress.line().startswith("fleet: 1 of 10 traces, 1 with an error, 0.0 per second, about 9 minutes left")
    assert run(traces, "--store", store) == 0
    assert "fleet: 4 traces, 4 of them new or changed" in capsys.readouterr().err
