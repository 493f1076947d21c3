"""The commands, with the program and two small scenarios."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .constants import CONSTANTS
from .evaluator import PROGRAM, ROOT

SCENARIOS = """
[[scenario]]
name = "one"
rate = "5Mbps"
buffer = "1bdp"
jitter = "wifi"
rtts = ["20ms"]
from = "1s"
period = "1s"

[[scenario]]
name = "two"
rate = "5Mbps"
buffer = "50ms"
rtts = ["20ms", "20ms"]
gap = "1s"
from = "4s"
period = "2s"

[[scenario]]
name = "three"
rate = "5Mbps"
buffer = "1bdp"
rtts = ["20ms"]
from = "1s"
period = "1s"
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    (folder / "scenarios.toml").write_text(SCENARIOS)
    return folder


def command(out: Path, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    sets = [f"--training={out}/scenarios.toml", f"--validation={out}/scenarios.toml", f"--out={out}"]
    arguments = [sys.executable, "-m", "search", name, *sets, *options]
    return subprocess.run(arguments, cwd=ROOT / "tests", capture_output=True, text=True, check=False)


def evaluate(out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    options = [str(PROGRAM), "--scenarios", f"{out}/scenarios.toml", *arguments]
    return subprocess.run(options, capture_output=True, text=True, check=False)


def test_a_search_is_judged_and_drawn(out: Path) -> None:
    done = command(out, "run", "--budget=18", "--seed=3")
    assert done.returncode == 0, done.stderr
    assert "18 of 18" in done.stderr
    found = json.loads((out / "found.json").read_text())
    assert len(found["points"]) == 18
    assert {point["seed"] for point in found["points"]} == {3, 4}
    assert (out / "trade-off.svg").read_text().startswith("<?xml")
    judged = command(out, "judge", "--seed=3", "hybrid:target_packets=4")
    assert judged.returncode == 0, judged.stderr
    for spec in ("hybrid", found["best"], "hybrid:target_packets=4", "hybrid:paper"):
        assert judged.stdout.count(f"| `{spec}` |") == 2, judged.stdout


def test_a_search_that_goes_on_measures_nothing_again(out: Path) -> None:
    journal = out / "training.jsonl"
    assert command(out, "run", "--budget=18", "--seed=3").returncode == 0
    lines = journal.read_bytes().count(b"\n")
    found = (out / "found.json").read_bytes()
    assert command(out, "run", "--budget=18", "--seed=3").returncode == 0
    assert journal.read_bytes().count(b"\n") == lines
    assert (out / "found.json").read_bytes() == found


def test_sensitivity_draws_every_constant_with_its_default(out: Path) -> None:
    done = command(out, "sensitivity", "--values=2")
    assert done.returncode == 0, done.stderr
    data = json.loads((out / "sensitivity.json").read_text())
    text = (out / "search.md").read_text()
    for constant in CONSTANTS:
        values = [point["value"] for point in data[constant.name]["points"]]
        assert values == pytest.approx([constant.low, constant.default, constant.high], rel=1e-3)
        assert f"]({constant.name}.svg)" in text
        assert (out / f"{constant.name}.svg").exists()


def test_the_program_gives_the_same_line_for_the_same_seeds(out: Path) -> None:
    lines = [evaluate(out, "--seeds", seeds, "--jobs", jobs, "hybrid").stdout for seeds, jobs in ("11", "12", "21")]
    assert lines[0] == lines[1] != lines[2]
    assert [figures["name"] for figures in json.loads(lines[0])["scenarios"]] == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hybrid:decrease=1"], "allowed are target_delay"),
        (["bbr2"], "bbr2 is quiche's"),
        (["--jobs", "0", "hybrid"], "--jobs is 0, and may be 1 to"),
        (["--seeds", "x", "hybrid"], "`x` is no whole number"),
        ([], "no spec is given"),
    ],
)
def test_the_program_says_what_is_wrong(out: Path, arguments: list[str], said: str) -> None:
    done = evaluate(out, *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_judging_before_a_search_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "scenarios.toml").write_text(SCENARIOS)
    done = command(tmp_path, "judge")
    assert done.returncode == 1
    assert "found.json does not exist; `search run` writes it" in done.stderr
