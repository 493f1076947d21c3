"""Every test has a tier, a label and a time limit; CONTRIBUTING.md names all; one ctest at a time runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tiers import TIERS, declared_labels, documented, labels_of, lacking

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))
CMAKE = [ROOT / "CMakeLists.txt", *sorted((ROOT / "cmake").glob("*.cmake"))]


@pytest.fixture(scope="module")
def entries() -> list[dict[str, Any]]:
    cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    if f"CMAKE_HOME_DIRECTORY:INTERNAL={ROOT}\n" not in cache:
        pytest.skip(f"{BUILD} is the build folder of other sources than {ROOT}")
    command = ["ctest", "--test-dir", str(BUILD), "--show-only=json-v1"]
    listed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    found: list[dict[str, Any]] = listed["tests"]
    return found


def test_every_test_has_a_tier_a_label_and_a_time_limit(entries: list[dict[str, Any]]) -> None:
    assert len(entries) > 40
    assert not [line for entry in entries for line in lacking(entry)]


def test_every_label_of_a_test_is_documented(entries: list[dict[str, Any]]) -> None:
    tiers, labels = documented((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert {label for entry in entries for label in labels_of(entry)} <= tiers | labels


def test_the_documents_name_every_tier_and_every_label_and_no_other() -> None:
    tiers, labels = documented((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert tiers == set(TIERS)
    assert labels == {label for path in CMAKE for label in declared_labels(path.read_text(encoding="utf-8"))}


def test_a_preset_runs_each_tier_and_those_before_it() -> None:
    presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
    chosen = {p["name"]: p["filter"]["include"]["label"] for p in presets["testPresets"] if "filter" in p}
    assert chosen == {"quick": "^quick$", "test": "^(quick|test)$", "nightly": "^nightly$"}
    assert set(TIERS) <= {p["name"] for p in presets["workflowPresets"]}


def entry(labels: list[str], limit: float | None) -> dict[str, Any]:
    properties: list[dict[str, Any]] = [{"name": "LABELS", "value": labels}]
    return {"name": "some", "properties": properties + ([{"name": "TIMEOUT", "value": limit}] if limit else [])}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (entry(["unit"], 60.0), "no tier"),
        (entry(["quick"], 60.0), "one label"),
        (entry(["unit", "lab", "test"], 60.0), "one label"),
        (entry(["unit", "test"], None), "no time limit"),
        ({"name": "some"}, "no tier"),
    ],
)
def test_what_a_test_lacks_is_said(wrong: dict[str, Any], said: str) -> None:
    assert any(said in line for line in lacking(wrong))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("LABEL unit TIMEOUT 60 COMMAND true", "the test some has no tier"),
        ("LABEL unit TIER test COMMAND true", "the test some has no timeout"),
        ("TIER test TIMEOUT 60 COMMAND true", "the test some has no label"),
        ("LABEL unit TIER weekly TIMEOUT 60 COMMAND true", "has the tier weekly"),
        ("LABEL unit TIER test TIMEOUT 60 SERAIL 1 COMMAND true", "what is serail"),
    ],
)
def test_cmake_refuses_a_test_that_lacks_something(arguments: str, said: str, tmp_path: Path) -> None:
    result = configure(tmp_path, arguments)
    assert result.returncode != 0
    assert said in " ".join(result.stderr.lower().split())


def configure(folder: Path, arguments: str) -> subprocess.CompletedProcess[str]:
    """A project with one test, declared as ours are."""
    (folder / "cmake").mkdir()
    for name in ("Tiers.cmake", "one-ctest.cmake"):
        shutil.copy(ROOT / "cmake" / name, folder / "cmake")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(some LANGUAGES NONE)\nenable_testing()\n"
        f"include(cmake/Tiers.cmake)\nquiche_cc_test(some {arguments})\n"
    )
    command = ["cmake", "-S", str(folder), "-B", str(folder / "build"), "-G", "Unix Makefiles"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_second_ctest_in_a_build_folder_is_refused_and_may_list(tmp_path: Path) -> None:
    begun, go_on = tmp_path / "begun", tmp_path / "go-on"
    waits = f'COMMAND sh -c "echo > {begun}; until test -e {go_on}; do sleep 0.05; done"'
    assert configure(tmp_path, f"LABEL unit TIER test TIMEOUT 60 {waits}").returncode == 0
    command = ["ctest", "--test-dir", str(tmp_path / "build")]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        while not begun.exists():
            assert first.poll() is None
        second = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        listed = subprocess.run([*command, "-N"], capture_output=True, text=True, timeout=30, check=False)
    finally:
        go_on.touch()
        said = first.communicate(timeout=30)[0]
    assert second.returncode != 0
    assert f"Another ctest (process {first.pid}) runs" in second.stderr
    assert listed.returncode == 0
    assert "Total Tests: 1" in listed.stdout
    assert first.returncode == 0, said
    assert subprocess.run(command, capture_output=True, timeout=30, check=False).returncode == 0
