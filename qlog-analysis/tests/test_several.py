"""Several traces in one run: each error names its file and the place in it, and keeps no other trace back."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

import pytest

import tracewriter
from qlog_analysis.cli import main
from traces import FAST, SLOW, records

Output = pytest.CaptureFixture[str]


def syntax_error(content: bytes) -> bytes:
    return content.replace(b'"name":"quic:packet_sent"', b'"name":!', 1)


def lines_with_an_error(_: bytes) -> bytes:
    return b'{"qlog_version":"0.3","trace":{}}\n{"time":1,"name":"a:b"}\n{"time":2,\n{"time":3,"name":"a:b"}\n'


BROKEN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "JSON syntax": (syntax_error, "record 3 (byte offset "),
    "JSON syntax in a line": (lines_with_an_error, "record 3 (line 3, byte offset 58): "),
    "truncated": (lambda content: content[:-9], "truncated"),
    "cut gzip": (lambda content: gzip.compress(content)[:-500], "ends early"),
    "wrong gzip": (lambda content: b"\x1f\x8b\x08" + bytes(7) + b"\xff" + content, "damaged gzip"),
    "wrong checksum": (lambda content: gzip.compress(content)[:-8] + bytes(8), "damaged gzip"),
    "empty": (lambda _: b"", "the file is empty"),
    "header only": (lambda content: content[: content.index(b"\n") + 1], "no packet was sent or received"),
    "text": (lambda _: b"hello", "not a qlog trace"),
    "JSON but not qlog": (lambda _: b'{"a": 1}', "not qlog"),
    "wrong field": (lambda c: c.replace(b'"packet_number":0', b'"packet_number":"0"', 1), "packet_number"),
}
COMMANDS = {
    "check": ["check"],
    "zones": ["zones"],
    "metrics": ["metrics"],
    "explain": ["explain"],
    "report": ["report", "--out", "{out}"],
    "plot": ["plot", "--out", "{out}"],
    "to-qvis": ["to-qvis", "--out", "{out}"],
}
JUDGE = ("check", "zones")  # and so use no trace of which a part is missing
TAKE_SEVERAL = ("check", "zones", "metrics", "explain", "report")  # and make one thing of them


def called(command: str, out: FilePath, *traces: str) -> list[str]:
    name, *rest = COMMANDS[command]
    strict = [] if command in JUDGE else ["--strict"]
    return [name, *traces, *strict, *(part.format(out=out) for part in rest)]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        *(("check", kind) for kind in BROKEN),
        # What reads is common to all commands.
        *((command, kind) for command in COMMANDS if command != "check" for kind in ("JSON syntax", "truncated")),
    ],
)
def test_every_command_names_the_file_and_the_place(
    command: str, kind: str, good: str, tmp_path: FilePath, capsys: Output
) -> None:
    make, expected = BROKEN[kind]
    broken = tmp_path / "broken.sqlog"
    broken.write_bytes(make(FilePath(good).read_bytes()))
    out = tmp_path / ("x.svg" if command == "plot" else "x.sqlog")
    several = command in TAKE_SEVERAL
    assert main(called(command, out, *([good, str(broken)] if several else [str(broken)]))) == (4 if several else 2)
    error = capsys.readouterr().err
    assert error.startswith(f"qlog-analysis: {broken}: ")
    assert expected in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_and_a_file_that_is_missing_or_forbidden_are_named(
    command: str, good: str, tmp_path: FilePath, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbidden = tmp_path / "forbidden.sqlog"
    forbidden.touch()
    really_open = FilePath.open

    def guarded(path: FilePath, *rest: Any, **how: Any) -> Any:
        if path == forbidden:  # permissions do not keep root from reading
            raise PermissionError(13, "Permission denied")
        return really_open(path, *rest, **how)

    monkeypatch.setattr(FilePath, "open", guarded)
    out = tmp_path / ("x.svg" if command == "plot" else "x.sqlog")
    for bad, why in (
        (tmp_path, f"Is a directory: give its files, as {forbidden}"),
        (tmp_path / "none.sqlog", "No such file or directory"),
        (tmp_path / "god.sqlog", f"No such file or directory; did you mean {good}?"),
        (forbidden, "Permission denied"),
    ):
        traces = [str(bad), good] if command in TAKE_SEVERAL else [str(bad)]
        assert main(called(command, out, *traces)) == (4 if command in TAKE_SEVERAL else 2)
        assert capsys.readouterr().err == f"qlog-analysis: {bad}: cannot read: {why}\n"


@pytest.mark.parametrize("command", ["check", "zones", "metrics"])
def test_the_others_are_processed_and_the_list_is_in_order(
    command: str, good: str, tmp_path: FilePath, capsys: Output
) -> None:
    second = str(tracewriter.write(tmp_path / "second.sqlog", records(FAST, 4.0, seed=2)))
    out = tmp_path / "out.json"
    assert main([command, good, "/none.sqlog", second, "--json", str(out)]) == 4
    text = capsys.readouterr().out
    assert text.index(good) < text.index(second)
    rows = json.loads(out.read_text())
    assert [r["trace"] for r in rows] == [good, "/none.sqlog", second]
    assert rows[1] == {"trace": "/none.sqlog", "error": "/none.sqlog: cannot read: No such file or directory"}
    assert "error" not in rows[0]
    assert main([command, good, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["trace"] == good  # one trace, one object


@pytest.mark.parametrize("command", ["check", "metrics", "explain"])
def test_what_was_said_before_does_not_stay_where_nothing_can_be_used(
    command: str, good: str, tmp_path: FilePath
) -> None:
    out = tmp_path / "out.json"
    assert main([command, good, "--json", str(out)]) == 0
    assert main([command, "/none.sqlog", "--json", str(out)]) == 2
    assert json.loads(out.read_text())["error"] == "/none.sqlog: cannot read: No such file or directory"


def test_names_in_a_folder_are_those_of_the_traces(good: str, tmp_path: FilePath, capsys: Output) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    bare = tmp_path / "bare"
    bare.write_bytes(FilePath(good).read_bytes())
    assert main(["explain", str(bare), "--html", str(folder)]) == 0
    assert [p.name for p in folder.iterdir()] == ["bare.explain.html"]
    page = folder / "bare.explain.html"
    assert main(["explain", str(bare), "--html", str(folder), "--json", str(page)]) == 2
    assert "are the same file" in capsys.readouterr().err
    assert main(["explain", good, good, "--html", str(folder)]) == 2
    assert "is given twice" in capsys.readouterr().err


def test_the_report_shows_the_others_and_says_what_is_missing(
    good: str, cubic: str, tmp_path: FilePath, capsys: Output
) -> None:
    out = tmp_path / "report.html"
    assert main(["report", good, "/none.sqlog", cubic, "--out", str(out)]) == 4
    page = out.read_text()
    assert "/none.sqlog: cannot read" in page
    assert "good.sqlog" in page
    assert "cubic.sqlog" in page
    assert "/none.sqlog" in capsys.readouterr().err


def test_a_link_log_stays_with_its_trace_when_another_trace_is_broken(good: str, tmp_path: FilePath) -> None:
    for name, delay in (("one", 11.0), ("two", 77.0)):
        rows = ({"time": i / 100, "queue_delay_ms": delay} for i in range(600))
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    links = [part for name in ("one", "two") for part in ("--link", str(tmp_path / f"{name}.jsonl"))]
    out = tmp_path / "report.html"
    assert main(["report", "/none.sqlog", good, *links, "--out", str(out)]) == 4
    assert '"bottleneck queue over time, mean" data-unit="ms">77.0<' in out.read_text()
    assert ">11.0<" not in out.read_text()


def test_exit_codes_of_several_traces(
    good: str, cubic: str, falsified: str, tmp_path: FilePath, capsys: Output
) -> None:
    short = str(tracewriter.write(tmp_path / "short.sqlog", records(SLOW, 1.0)))
    for traces, code in (
        ([good, good], 0),
        ([good, falsified], 1),
        ([falsified, short, cubic], 1),
        ([good, short], 2),
        ([good, cubic], 3),
        ([cubic, cubic], 3),
        ([good, falsified, "/none"], 4),
        ([cubic, "/none"], 4),
        (["/none", "/none2"], 2),
    ):
        assert main(["check", *traces]) == code, traces
    assert main(["zones", good, cubic]) == 4  # another controller is not what was asked for
    assert main(["zones", cubic]) == 2
    assert "no events of the hybrid" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "suffix"), [("plot", ".svg"), ("to-qvis", ".qvis.sqlog")])
def test_several_pictures_and_exports_go_into_a_folder(
    command: str, suffix: str, good: str, cubic: str, tmp_path: FilePath, capsys: Output
) -> None:
    folder = tmp_path / "out"
    assert main([command, good, cubic, "--out", str(folder)]) == 2
    assert "must be a folder that exists" in capsys.readouterr().err
    folder.mkdir()
    assert main([command, good, "/none.sqlog", cubic, "--out", str(folder)]) == 4
    assert sorted(p.name for p in folder.iterdir()) == [f"cubic{suffix}", f"good{suffix}"]
    (tmp_path / "x").mkdir()
    twin = tracewriter.write(tmp_path / "x" / "good.sqlog", records(FAST, 1.0))
    assert main([command, good, str(twin), "--out", str(folder)]) == 2
    assert "two traces would become" in capsys.readouterr().err


def test_what_goes_into_a_folder_replaces_no_trace_there(tmp_path: FilePath, capsys: Output) -> None:
    trace = tracewriter.write(tmp_path / "a.sqlog", records(FAST, 1.0))
    linked = tmp_path / "a.qvis.sqlog"
    linked.symlink_to(trace)
    before = trace.read_bytes()
    assert main(["to-qvis", str(trace), "--out", str(tmp_path)]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert trace.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["chek", "x"], "check"),
        (["metric", "x"], "metrics"),
        (["toqvis", "x"], "to-qvis"),
        (["check", "x", "--jsn", "y"], "--json"),
    ],
)
def test_what_was_perhaps_meant_is_said(arguments: list[str], meant: str, capsys: Output) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert f"did you mean {meant}?" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["walrus"])
    assert "did you mean" not in capsys.readouterr().err
