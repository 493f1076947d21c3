"""The command as a user meets it: output, files and exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path as FilePath

import pytest

import tampering
import tracewriter
from qlog_analysis.cli import main
from test_report import link_log
from test_zones_unsuitable import without_controller
from traces import DEFAULT, FAST, PAPER, SLOW, epochs, records

Output = pytest.CaptureFixture[str]


@pytest.fixture
def honest(tmp_path: FilePath, request: pytest.FixtureRequest) -> str:
    return str(tracewriter.write(tmp_path / "honest.sqlog", records(FAST, 4.0, getattr(request, "param", DEFAULT))))


of_both_profiles = pytest.mark.parametrize("honest", [PAPER, DEFAULT], ids=["paper", "default"], indirect=True)


@pytest.fixture
def other(tmp_path: FilePath) -> str:
    return str(tracewriter.write(tmp_path / "other.sqlog", without_controller(records(FAST, 4.0))))


@of_both_profiles
def test_an_honest_trace_exits_0_and_says_pass(honest: str, tmp_path: FilePath, capsys: Output) -> None:
    out = tmp_path / "verdict.json"
    assert main(["zones", honest, "--json", str(out)]) == 0
    assert "honest.sqlog: PASS" in capsys.readouterr().out
    data = json.loads(out.read_text())
    assert data["verdict"] == "PASS"
    assert len(data["epoch_table"]) == data["epochs"]
    assert data["epoch_table"][5]["measured_delta_ms"] == pytest.approx(data["epoch_table"][5]["delta_ms"], abs=5e-3)


def test_a_falsified_trace_exits_1_and_says_where(tmp_path: FilePath, capsys: Output) -> None:
    some = records(FAST, 4.0)
    tampering.skipped_update(some)
    assert main(["zones", str(tracewriter.write(tmp_path / "x.sqlog", some)), "--json", "-"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["verdict"] == "FAIL"
    assert any(f["law"] == "rate" and f["number"] is not None for f in data["findings"])


@of_both_profiles
def test_check_judges_any_law_and_exits_3_where_none_is_known(honest: str, other: str, capsys: Output) -> None:
    assert main(["check", honest]) == 0
    assert "PASS" in capsys.readouterr().out
    assert main(["check", other]) == 3
    assert "no equations to check" in capsys.readouterr().err


def test_a_number_that_nothing_can_be_computed_from_exits_2_and_says_what_is_allowed(
    tmp_path: FilePath, capsys: Output
) -> None:
    some = records(FAST, 1.0, DEFAULT)
    epochs(some)[12]["length"] = 1.7e308
    path = tracewriter.write(tmp_path / "x.sqlog", some)
    for command in ("check", "zones"):
        assert main([command, str(path)]) == 2
        told = capsys.readouterr().err
        assert f"{path}: record " in told
        assert "cc:hybrid_epoch_updated: Expected `float` <= 1e+18 - at `$.length`" in told
    assert main(["metrics", str(path)]) == 0
    assert "not used: record " in capsys.readouterr().err


def test_too_short_a_trace_exits_2_and_is_no_pass(tmp_path: FilePath, capsys: Output) -> None:
    short = tracewriter.write(tmp_path / "short.sqlog", records(SLOW, 1.0))
    assert main(["zones", str(short)]) == 2
    assert "INCONCLUSIVE" in capsys.readouterr().out


@of_both_profiles
def test_other_controllers_missing_and_cut_files_exit_2_with_one_line(
    other: str, honest: str, tmp_path: FilePath, capsys: Output
) -> None:
    cut = tmp_path / "cut.sqlog"
    cut.write_bytes(FilePath(honest).read_bytes()[:-9])
    elsewhere = "no events of the hybrid controller.* zones are those of hybrid; `check` has equations of hybrid"
    for trace, expected in ((other, elsewhere), ("/none", "cannot read"), (str(cut), "truncated")):
        assert main(["zones", trace]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("qlog-analysis: ")
        assert re.search(expected, captured.err)
        assert captured.err.count("\n") == 1
    assert main(["zones", "--allow-truncated", str(cut)]) == 0
    assert "note" in capsys.readouterr().out


def test_metrics_work_for_every_controller(honest: str, other: str, capsys: Output) -> None:
    assert main(["metrics", other, "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["goodput_bps"] > 1e6
    assert data["queueing_delay_over_time_ms"]["mean"] > 0.0
    assert set(data["queueing_delay_ms"]) == {"samples", "min", "mean", "p50", "p95", "max"}
    assert main(["metrics", honest]) == 0
    assert "queueing delay   per packet: mean" in capsys.readouterr().out


def test_pictures_and_report_are_written(honest: str, other: str, tmp_path: FilePath) -> None:
    link_log(tmp_path)
    link = str(tmp_path / "link.jsonl")
    for name in ("a.svg", "a.png", "a.html"):
        assert main(["plot", honest, "--link", link, "--out", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_size > 10_000
    out = tmp_path / "report.html"
    assert (
        main(["report", honest, other, "--link", link, "--link", link, "--out", str(out), "--title", "Both & more"])
        == 0
    )
    assert "<title>Both &amp; more</title>" in out.read_text()


def test_an_export_for_qvis_is_written(other: str, tmp_path: FilePath, capsys: Output) -> None:
    out = tmp_path / "for-qvis.sqlog"
    assert main(["to-qvis", other, "--out", str(out)]) == 0
    assert " events" in capsys.readouterr().out
    assert out.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["plot", "{trace}", "--out", "{folder}/x.pdf"], ".svg, .png or .html"),
        (["plot", "{trace}", "--out", "{folder}/none/x.svg"], "cannot write"),
        (["report", "{trace}", "--out", "{folder}/none/x.html"], "cannot write"),
        (["report", "{trace}", "--link", "{folder}/none.jsonl", "--out", "{folder}/x.html"], "cannot read"),
        (["zones", "{trace}", "--json", "{folder}/none/x.json"], "cannot write"),
        (["to-qvis", "{trace}", "--out", "{folder}/none/x.sqlog"], "cannot write"),
        (["to-qvis", "{trace}", "--out", "{folder}/x.txt"], "the name must end in .sqlog or .qlogseq"),
        (["to-qvis", "{trace}", "--out", "{folder}/x"], "or it must be a folder that exists"),
    ],
)
def test_what_cannot_be_written_or_read_exits_2(
    arguments: list[str], expected: str, honest: str, tmp_path: FilePath, capsys: Output
) -> None:
    assert main([a.format(trace=honest, folder=tmp_path) for a in arguments]) == 2
    assert expected in capsys.readouterr().err


def test_wrong_usage_exits_2(capsys: Output) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["zones"])
    assert stop.value.code == 2
    assert "required: TRACE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        ([], "01234"),
        (["check"], "01234"),
        (["zones"], "0124"),
        *(([name], "024") for name in ("metrics", "explain", "plot", "report", "to-qvis", "qvis", "fleet")),
    ],
)
def test_help_lists_the_exit_codes_of_the_command(command: list[str], codes: str, capsys: Output) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*command, "--help"])
    assert stop.value.code == 0
    listed = capsys.readouterr().out.split("exit codes:\n")[1]
    assert re.findall(r"^  (\d)  \S", listed, re.MULTILINE) == list(codes)
    assert ("`" in listed) == (command == []), "a command's own codes name no command"


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    source = FilePath(__file__).parents[1] / "src"
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_module_runs_as_a_program(honest: str) -> None:
    done = run_python("-m", "qlog_analysis", "zones", honest)
    assert (done.returncode, done.stderr) == (0, "")
    assert "PASS" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["--help"], {"numpy", "msgspec", "matplotlib", "plotly", "duckdb"}),
        (["metrics", "TRACE"], {"matplotlib", "plotly", "duckdb", "qlog_analysis.hybrid", "http.server"}),
    ],
)
def test_a_command_loads_no_library_of_another(arguments: list[str], unneeded: set[str], honest: str) -> None:
    """Loading all of them takes seconds."""
    given = [honest if a == "TRACE" else a for a in arguments]
    script = f"import atexit, sys; atexit.register(lambda: print(*sys.modules)); sys.argv[1:] = {given!r}\n"
    done = run_python("-c", script + "from qlog_analysis.cli import main; main()")
    assert (done.returncode, done.stderr) == (0, "")
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "qlog_analysis.cli" in loaded
    assert not unneeded & loaded
