"""What `check` prints and writes of the invariants, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path as FilePath

import pytest

import invariant_tampering as t
import lab
import tracewriter
from qlog_analysis.cli import main

Output = pytest.CaptureFixture[str]


def test_a_broken_invariant_is_a_failure_although_the_law_is_kept(tmp_path: FilePath, capsys: Output) -> None:
    some = lab.records("hybrid", "duration=4s")
    t.silence(2000.0, 1000.0)(some)
    path = str(tracewriter.write(tmp_path / "x.sqlog", some))
    assert main(["check", path, "--json", "-"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["verdict"] == "FAIL"
    (silence,) = (row for row in data["invariants"] if row["name"] == "silence")
    assert silence["verdict"] == "fail"
    assert silence["judged"] > 1000
    assert silence["findings"][0]["time"] == pytest.approx(3.0, abs=0.01)
    main(["check", path])
    assert "silence                FAIL" in capsys.readouterr().out


def test_a_controller_without_a_law_is_judged_all_the_same(tmp_path: FilePath, capsys: Output) -> None:
    some = lab.records("cubic", "duration=2s")
    path = str(tracewriter.write(tmp_path / "cubic.sqlog", some))
    assert main(["check", path, "--json", "-"]) == 3
    data = json.loads(capsys.readouterr().out)
    assert (data["verdict"], data["law"]) == (None, None)
    assert {r["name"]: r["verdict"] for r in data["invariants"]}["window"] == "pass"
    t.scaled("congestion_window", 0.8)(some)
    tracewriter.write(tmp_path / "cubic.sqlog", some)
    assert main(["check", path]) == 1
    assert "cubic.sqlog: FAIL\n  no equations to check\n" in capsys.readouterr().out


def test_of_a_controller_that_is_not_known_it_is_said_that_its_answer_to_losses_is_not(
    tmp_path: FilePath, capsys: Output
) -> None:
    some = lab.records("reno", "duration=2s")
    told = {"controller": "mine", "spec": "mine", "max_datagram_size": 1250, "initial_window": 10, "parameters": {}}
    some.insert(1, {"time": 0.0, "name": "cc:parameters_set", "data": told | {"max_ack_delay": 25.0}})
    assert main(["check", str(tracewriter.write(tmp_path / "mine.sqlog", some))]) == 3
    (loss,) = (line for line in capsys.readouterr().out.splitlines() if line.split()[0] == "loss")
    assert loss.split(maxsplit=3)[3] == "nothing is known here of how mine answers losses"
