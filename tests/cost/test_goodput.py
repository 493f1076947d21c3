"""The benchmark of goodput on loopback: that it measures, not what comes out."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from rounds import Download, quartiles, table

PROGRAM = Path(__file__).with_name("goodput.py")


def goodput(*options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, PROGRAM, *options]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=50, check=False)


def test_two_rounds_give_a_number_for_every_controller(tmp_path: Path) -> None:
    options = ("--cc", "cubic hybrid", "--rounds", 2, "--bytes", 2_000_000, "--json", tmp_path / "all.json")
    result = goodput(*options)
    assert result.returncode == 0, result.stderr
    order = [line.split(" ")[1].rstrip(":") for line in result.stderr.splitlines()]
    assert order == ["cubic", "hybrid", "hybrid", "cubic"]
    assert [line.split(" | ")[0] for line in result.stdout.splitlines()[2:]] == ["| cubic", "| hybrid"]
    downloads = [download for this in json.loads((tmp_path / "all.json").read_text()) for download in this.values()]
    assert len(downloads) == 4
    assert all(math.isfinite(value) and value >= 0 for download in downloads for value in download.values())
    for what in ("bits_per_second", "server_seconds_per_gb", "client_seconds_per_gb"):
        assert all(download[what] > 0 for download in downloads), what


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--cc", "cubic"), "at least two controllers"),
        (("--timestamps", "yes"), "'yes' is neither `on` nor `off`"),
        (("--rounds", "0"), "--rounds is at least 1"),
        (("--programs", "nowhere"), "there is no nowhere/cc-server"),
    ],
)
def test_wrong_usage_says_what_is_allowed(options: tuple[str, ...], said: str) -> None:
    result = goodput(*options)
    assert result.returncode == 2
    assert said in result.stderr


def test_a_client_that_fails_ends_it_with_what_the_client_said() -> None:
    result = goodput("--bytes", 1000, "--client", "sh -c 'echo broken >&2; exit 3'")
    assert result.returncode == 1
    assert "sh ended with 3:\nbroken" in result.stderr


def test_ratios_are_those_of_a_round() -> None:
    slow, fast = Download(1e6, 2.0, 1.0, 0.0), Download(3e6, 1.0, 1.0, 0.5)
    rounds = [{"a": slow, "b": fast}, {"a": fast, "b": slow}, {"a": slow, "b": fast}]
    row = table(rounds, {"a": "a", "b": "a"}).splitlines()[3]
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "b",
        "3 (2 to 3)",
        "3.00 (1.67 to 3.00)",
        "1.00 (1.00 to 1.50)",
        "0.50 (0.50 to 1.25)",
        "1.00 (1.00 to 1.00)",
        "50.000 %",
    ]
    assert quartiles([7.0]) == (7.0, 7.0, 7.0)
