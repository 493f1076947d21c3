"""The picture and the numbers at the top of the README are those that the lab measures."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(os.environ.get("QUICHE_CC_BIN_DIR", ROOT / "build" / "bin"))
SENTENCE = re.compile(
    r"`hybrid` uses (?P<alone>[\d.]+) % of the path "
    r"with a 95th percentile of the queueing delay of (?P<delay>[\d.]+) ms "
    r"\(bbr2: (?P<bbr2>[\d.]+) ms\).*`hybrid` has (?P<beside>[\d.]+) % of the path",
    re.DOTALL,
)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("overview")
    command = [PROGRAMS / "cc-lab", "claims", "--claims", ROOT / "tests" / "targets", "--only", "O", "--out", folder]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_picture_is_the_one_that_is_measured(out: Path) -> None:
    drawn = (out / "figures" / "overview.svg").read_bytes()
    assert drawn == (ROOT / "docs" / "images" / "overview.svg").read_bytes(), (
        f"copy {out}/figures/overview.svg to docs/images"
    )


def test_the_numbers_under_it_are_those_that_are_measured(out: Path) -> None:
    claims = json.loads((out / "claims.json").read_text(encoding="utf-8"))
    checks = claims[0]["checks"] if isinstance(claims, list) else claims["claims"][0]["checks"]
    points = {check["what"]: check["points"][0] for check in checks}
    said = SENTENCE.search((ROOT / "README.md").read_text(encoding="utf-8").replace("\n", " "))
    assert said is not None
    delay = points["p95 delay while it is alone, against bbr2"]
    quarter = re.fullmatch(r"< ([\d.]+) ms", delay["bound"])
    assert quarter is not None
    assert said["delay"] == f"{1e3 * delay['measured'][0]:.1f}"
    assert said["bbr2"] == f"{4 * float(quarter[1]):.1f}"
    assert said["alone"] == f"{points['throughput while it is alone']['measured'][0] / 20e4:.1f}"
    assert said["beside"] == f"{points['throughput beside the other one']['measured'][0] / 20e4:.0f}"
