"""The benchmarks of cc-server under load: that they measure, not what comes out."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import honest
import idle
import pytest

HERE = Path(__file__).resolve().parent


def downloads(*options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, HERE / "downloads.py", *options]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize(("cases", "first"), [("controllers", "cubic"), ("workers", "cubic, 1 worker")])
def test_every_case_gets_numbers_in_every_round(tmp_path: Path, cases: str, first: str) -> None:
    numbers = tmp_path / "all.json"
    result = downloads("--set", cases, "--downloads", 3, "--bytes", 100_000, "--rounds", 2, "--json", numbers)
    assert result.returncode == 0, result.stderr
    rounds = json.loads(numbers.read_text())
    assert len(rounds) == 2
    assert list(rounds[0]) == list(reversed(rounds[1]))
    assert all(math.isfinite(value) for this in rounds for crowd in this.values() for value in crowd.values())
    assert all(crowd["mbits_per_second"] > 0 and crowd["mib"] > 1 for this in rounds for crowd in this.values())
    assert result.stdout.splitlines()[2].startswith(f"| {first} | ")
    assert "Rounds: 2, each of 3 downloads of 0.1 MB in every case; " in result.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--downloads", "0"), "--downloads 1 to 2000"),
        (("--case", "hybird"), "--case: allowed are cubic; "),
        (("--programs", "nowhere"), "there is no nowhere/cc-server"),
    ],
)
def test_wrong_usage_says_what_is_allowed(options: tuple[str, ...], said: str) -> None:
    result = downloads(*options)
    assert result.returncode == 2
    assert said in result.stderr


def test_what_the_tests_print_becomes_medians_and_extremes() -> None:
    rounds = [
        [f"measured: a crowd: {times} and 1.00 times, {mib} MiB, bound 4"] for times, mib in (("3.00", 7), ("1.00", 9))
    ]
    assert honest.waits(rounds).splitlines()[2] == "| a crowd | 2.00 (1.00 to 3.00) | 1.00 (1.00 to 1.00) | 4 | 9 |"
    line = "measured: 8000 connections: 100 KiB, 8000 more after as many again: 120 KiB, descriptors 9 and 9"
    assert honest.left([line]).splitlines()[2] == "| 8,000 | 100 | 120 | 9, 9 |"


def test_a_server_gets_the_medians_of_its_rounds() -> None:
    rounds = [{"a": idle.Held(20, 100, 50, 1, 10)}, {"a": idle.Held(40, 100, 150, 3, 10)}]
    assert idle.table(rounds, 1000).splitlines()[2] == "| a | 1,000 | 30.0 | 100 | 100 | 2.00 | 10 |"
