"""What cargo-mutants says becomes counts, and another version of it is refused."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from .by_tests import VERSION, CargoError, CargoMutants, read
from .catalogue import ROOT
from .parts import PARTS, Outcome, Trial, as_json, found, part_of, rows

ONE = Trial("cc/src/measure/rtt.rs:1:2: replace + with - in a", "cc/src/measure/rtt.rs", Outcome.CAUGHT)
LEFT_OUT = "cc/src/units.rs:1:2: replace <impl fmt::Display for Rate>::fmt -> fmt::Result with Ok(Default::default())"


def test_outcomes_are_those_of_mutants_that_are_not_left_out_and_not_of_the_baseline(tmp_path: Path) -> None:
    mutant = {"name": ONE.name, "file": ONE.file, "package": "quiche-cc"}
    told = [
        {"scenario": "Baseline", "summary": "Success"},
        {"scenario": {"Mutant": mutant}, "summary": "CaughtMutant"},
        {"scenario": {"Mutant": {**mutant, "name": LEFT_OUT}}, "summary": "MissedMutant"},
    ]
    file = tmp_path / "outcomes.json"
    file.write_bytes(msgspec.json.encode({"outcomes": told}))
    assert read(file) == [ONE]


def test_what_does_not_compile_does_not_count_and_what_never_ends_is_found() -> None:
    outcomes = [Outcome.CAUGHT, Outcome.TIMEOUT, Outcome.MISSED, Outcome.UNVIABLE]
    tested = [Trial(str(number), "cc/src/measure/rtt.rs", outcome) for number, outcome in enumerate(outcomes)]
    assert found(tested) == (2, 3)
    part, everything = rows(tested)
    assert part == ["measurements", "4", "1", "1", "1", "1", "2 of 3, 66.7 % (20.8 to 93.9 %)"]
    assert everything == ["all", *part[1:]]


def test_every_source_of_cc_has_a_part() -> None:
    parts = {part_of(str(file.relative_to(ROOT))) for file in (ROOT / "cc" / "src").rglob("*.rs")}
    assert parts == set(PARTS)


def test_results_stand_a_mutant_on_a_line() -> None:
    text = as_json([ONE, ONE], "3/8", "all tests", "0123abc")
    told = msgspec.json.decode(text)
    assert (told["shard"], told["commit"], len(told["mutants"])) == ("3/8", "0123abc", 2)
    assert msgspec.json.decode(text.splitlines()[2], type=Trial) == ONE


@pytest.mark.parametrize("version", ["27.1.1", ""])
def test_another_version_of_cargo_mutants_is_refused(tmp_path: Path, version: str) -> None:
    program = tmp_path / "tools" / "bin" / "cargo-mutants"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho cargo-mutants {version}\n")
    program.chmod(0o755)
    with pytest.raises(CargoError, match="other mutants"):
        CargoMutants(tmp_path, tmp_path, tmp_path)


def test_the_build_installs_the_version_that_is_asked_for() -> None:
    said = re.findall(r"quiche_cc_tool\(cargo-mutants (\S+) mutants\)", (ROOT / "cmake" / "Nightly.cmake").read_text())
    assert said == [VERSION]
