"""The report and what is published of it, from suites of two paths."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import in_words
import pytest

HERE = Path(__file__).resolve().parent
TINY = HERE / "tiny"
BUILD = Path(os.environ.get("QUICHE_CC_BUILD_DIR", HERE.parents[1] / "build"))
PAGE = """# Results
<!-- headline: by tests/report/publish.py -->
<!-- end -->
<!-- headline-wifi: by tests/report/publish.py -->
<!-- end -->
<!-- paths: by tests/report/publish.py -->
<!-- end -->
<!-- held-out: by tests/report/publish.py -->
<!-- end -->
"""
README = """Before.
<!-- headline: by tests/report/publish.py -->
old
<!-- end -->
After.
"""


def report(out: Path, *options: object, targets: Path = TINY / "targets") -> subprocess.CompletedProcess[str]:
    suites = {"headline": "headline", "headline-wifi": "headline", "paths": "paths", "held-out": "paths"}
    inputs = [word for name, file in suites.items() for word in (f"--{name}", TINY / f"{file}.toml")]
    inputs += ["--targets", targets]
    command = [sys.executable, HERE / "run.py", "--build-dir", BUILD, "--out", out, "--jobs", "1", *inputs, *options]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def publish(*options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, HERE / "publish.py", *options]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def repository_at(root: Path) -> Path:
    """What is published into, empty."""
    (root / "docs" / "results").mkdir(parents=True)
    (root / "docs" / "results" / "README.md").write_text(PAGE)
    (root / "README.md").write_text(README)
    return root


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of what the lab measures."""
    out = tmp_path_factory.mktemp("report")
    result = report(out, "--only", "headline,headline-wifi,paths,held-out,targets")
    assert result.returncode == 0, result.stderr
    return out


def test_the_page_has_a_verdict_per_target_and_all_sections_with_their_figures(whole: Path) -> None:
    document = (whole / "index.md").read_text()
    rows = {line.split(" | ")[0].strip("| "): line for line in document.splitlines() if line.startswith("| ")}
    assert "of 2 paths" in rows["1"]
    assert "**met** | 1 of 1 claims hold" in rows["2"]
    assert "**not met**" in rows["3"]
    assert "T2 (more than fits arrives" in rows["3"]
    assert "**not measured**" in rows["4"]
    assert "Instructions per ACK: **Not run yet**" in document
    page = (whole / "index.html").read_text()
    # Of each suite four maps, one figure of losses, and one of delay against utilisation for each rate.
    assert page.count("<svg") == 2 * (4 + 1 + 1) + 2 * (4 + 1 + 2)
    assert page.index("<nav>") < page.index("Targets</h2>") < page.index("What it comes to</h3>")


def test_a_second_call_makes_no_run_and_leaves_the_same(whole: Path) -> None:
    before = (whole / "index.md").read_text()
    result = report(whole, "--only", "paths,held-out,targets")
    assert result.returncode == 0, result.stderr
    assert "packets/s" not in result.stderr
    assert "4 of 4 runs are taken from" in result.stderr
    assert (whole / "index.md").read_text() == before


def test_what_is_missing_is_said_and_the_rest_is_there(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "paths").mkdir()
    runs = (whole / "paths" / "runs.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "paths" / "runs.jsonl").write_text("".join(runs[:3]))
    result = report(tmp_path, "--only", "paths,targets", "--stored", targets=tmp_path / "nothing")
    assert result.returncode == 1
    assert "error: paths: `cc-lab compare" in result.stderr
    assert "targets: left out" in result.stderr
    document = (tmp_path / "index.md").read_text()
    assert "**Did not finish**: `cc-lab compare" in document
    assert "**Runs without a result**" in document
    assert "1 more not measured" in document


def test_only_the_controllers_that_are_asked_for_are_run(tmp_path: Path) -> None:
    result = report(tmp_path, "--only", "paths", "--measure", "bbr2")
    assert result.returncode == 0, result.stderr
    made = [line for line in result.stderr.splitlines() if line.endswith("packets/s")]
    assert len(made) == 2
    assert all(line.startswith("bbr2,") for line in made)
    document = (tmp_path / "index.md").read_text()
    assert "**Runs without a result**, so that nothing stands where they belong: hybrid,link" in document
    assert "paths: not measured" in document


def test_published_results_stand_in_for_baselines_and_stay_marked_when_published(whole: Path, tmp_path: Path) -> None:
    repository, out = repository_at(tmp_path / "repository"), tmp_path / "out"
    results = repository / "docs" / "results"
    assert publish("--report", whole, "--root", repository).returncode == 0
    result = report(out, "--only", "paths,held-out", "--known", results)
    assert result.returncode == 0, result.stderr
    made = [line for line in result.stderr.splitlines() if line.endswith("packets/s")]
    assert len(made) == 4
    assert all(line.startswith("hybrid,") for line in made)
    document = (out / "index.md").read_text()
    assert "paths.json: bbr2 at 2 points." in document
    assert "with results of bbr2 by an earlier build" in document
    before, of_one_build = (results / "paths.json").read_text(), (results / "headline.json").read_text()
    readme = (repository / "README.md").read_text()
    assert publish("--report", out, "--root", repository).returncode == 0
    after = (results / "paths.json").read_text()
    assert after.count(',"earlier":true') == 2
    assert after.replace(',"earlier":true', "") == before
    # The report has nothing of the README's suites, so that what was published stays.
    assert (results / "headline.json").read_text() == of_one_build
    assert (repository / "README.md").read_text() == readme
    sentence = "**Measured by an earlier build** than the others: bbr2 on 2 paths."
    assert (results / "README.md").read_text().count(sentence) == 2


def test_the_readmes_suites_are_measured_whole_whoever_else_is_measured(tmp_path: Path) -> None:
    result = report(tmp_path, "--only", "headline", "--measure", "bbr2")
    assert result.returncode == 0, result.stderr
    made = [line.split(",")[0] for line in result.stderr.splitlines() if line.endswith("packets/s")]
    assert sorted(made) == ["bbr2", "bbr2", "hybrid", "hybrid"]


def test_a_report_without_results_of_suites_is_not_published(tmp_path: Path) -> None:
    result = publish("--report", tmp_path / "empty", "--root", repository_at(tmp_path))
    assert result.returncode == 1
    assert "has results of none of headline, headline-wifi, paths, held-out" in result.stderr


def test_all_is_measured_if_that_is_asked_for(whole: Path, tmp_path: Path) -> None:
    repository = repository_at(tmp_path)
    assert publish("--report", whole, "--root", repository).returncode == 0
    options = ("--only", "paths", "--known", repository / "docs" / "results", "--measure", "all")
    result = report(tmp_path / "out", *options)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("packets/s") == 4
    assert "earlier build" not in (tmp_path / "out" / "paths" / "report.md").read_text()


def test_a_folder_without_known_results_is_refused(tmp_path: Path) -> None:
    result = report(tmp_path, "--known", tmp_path)
    assert result.returncode == 2
    assert "--known: there is no" in result.stderr


def test_an_unknown_stage_is_refused_with_what_there_is(tmp_path: Path) -> None:
    result = report(tmp_path, "--only", "path")
    assert result.returncode == 2
    assert "there is no stage 'path'; there are headline, headline-wifi, paths, held-out, targets" in result.stderr


def test_results_are_published_and_a_readme_that_says_something_else_is_found(whole: Path, tmp_path: Path) -> None:
    repository_at(tmp_path)
    result = publish("--report", whole, "--root", tmp_path)
    assert result.returncode == 0, result.stderr
    readme = (tmp_path / "README.md").read_text()
    assert readme.startswith("Before.")
    assert readme.endswith("After.\n")
    assert "| path | bbr2 | `hybrid` | `hybrid`, with receive timestamps |" in readme
    assert "old" not in readme
    for suite, medium in {"headline": "wired", "headline-wifi": "Wi-Fi"}.items():
        numbers = json.loads((tmp_path / "docs" / "results" / f"{suite}.json").read_text())
        row = next(line for line in readme.splitlines() if line.startswith(f"| {medium}, 1 Mbit/s |"))
        columns = [("bbr2", "false"), ("hybrid", "false"), ("hybrid", "true")]
        found = {(e["cc"], e["point"][1]): e for e in numbers}
        for cell, column in zip(row.split(" | ")[1:], columns, strict=True):
            entry = found[column]
            assert cell.startswith(f"{entry['utilisation'] * 100:.1f} %, {entry['queueing_p95_ms']:.1f} ms, ")
    results = (tmp_path / "docs" / "results" / "README.md").read_text()
    assert "relative to bbr2's](held-out-map-delay.svg)" in results
    assert "| 2 Mbit/s | 40 ms | 1 BDP |" in results
    assert publish("--check", "--root", tmp_path).returncode == 0
    (tmp_path / "README.md").write_text(readme.replace("| Wi-Fi, 1 Mbit/s |", "| Wi-Fi, 1 Mbit/s | 9"))
    wrong = publish("--check", "--root", tmp_path)
    assert wrong.returncode == 1
    assert "README.md differs from docs/results/headline*.json" in wrong.stderr
    assert "| Wi-Fi, 1 Mbit/s | 9" in wrong.stderr


def test_the_page_has_units_where_suites_have_values_of_scenarios() -> None:
    assert [in_words.value(text) for text in ("1000Mbps", "0.5bdp", "300ms", "true", "99.0 %, 1.4 ms")] == [
        "1 Gbit/s",
        "0.5 BDP",
        "300 ms",
        "yes",
        "99.0 %, 1.4 ms",
    ]
    where = "link.bottleneck.rate=1000Mbps,flow.main.rtt=300ms,link.bottleneck.buffer"
    said = "**Runs without a result**, so that nothing stands where they belong: "
    runs = f"reno,{where}=1bdp,seed=1, reno,{where}=4bdp,seed=1 and 3 more"
    assert in_words.gaps(f"{said}{runs}.\n") == (
        "**Not measured**, so that their cells have a dash: reno at 1 Gbit/s and 300 ms (buffer 1 BDP, 4 BDP); 3 more."
    )
    assert not in_words.gaps("All of it.\n")
