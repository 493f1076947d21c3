"""The journal: what was measured once is not measured again, unless program or scenarios are others."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from .conftest import result
from .evaluator import Program, SearchError


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    path = tmp_path / "scenarios.toml"
    path.write_text("")
    return path


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Answers every spec alike."""
    path = tmp_path / "evaluate"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{msgspec.json.encode(result()).decode()}\nEND\n")
    path.chmod(0o755)
    return path


def test_what_stands_in_the_journal_is_not_measured_again(scenarios: Path, program: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    first = Program(scenarios, journal, program)
    for spec in ("hybrid", "hybrid", "hybrid:target_packets=3"):
        assert first.measure(spec, [1]) == result()
    again = Program(scenarios, journal, program)
    assert again.measure("hybrid", [1]) == result()
    assert (first.run, again.run) == (2, 0)
    again.measure("hybrid", [1, 2])
    assert again.run == 1


@pytest.mark.parametrize("changed", ["scenarios.toml", "evaluate"])
def test_a_line_of_another_program_or_other_scenarios_does_not_count(
    changed: str, scenarios: Path, program: Path, tmp_path: Path
) -> None:
    journal = tmp_path / "journal.jsonl"
    Program(scenarios, journal, program).measure("hybrid", [1])
    with (tmp_path / changed).open("a") as file:
        file.write("# other\n")
    again = Program(scenarios, journal, program)
    again.measure("hybrid", [1])
    assert again.run == 1


def test_a_line_that_was_cut_off_is_named_and_passed_over(
    scenarios: Path, program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = tmp_path / "journal.jsonl"
    first = Program(scenarios, journal, program)
    first.measure("hybrid", [1])
    first.measure("hybrid:target_packets=3", [1])
    journal.write_bytes(journal.read_bytes()[:-20])
    again = Program(scenarios, journal, program)
    assert "journal.jsonl:2: passed over" in capsys.readouterr().err
    again.measure("hybrid:target_packets=3", [1])
    assert again.run == 1
    assert Program(scenarios, journal, program).known.keys() == first.known.keys()


def test_a_program_that_is_missing_or_fails_is_told_with_its_reason(scenarios: Path, tmp_path: Path) -> None:
    program = tmp_path / "evaluate"
    with pytest.raises(SearchError, match="build it with `cargo build"):
        Program(scenarios, None, program)
    program.write_text("#!/bin/sh\necho no such parameter >&2\nexit 2\n")
    program.chmod(0o755)
    with pytest.raises(SearchError, match="failed on `hybrid:x=1`: no such parameter"):
        Program(scenarios, None, program).measure("hybrid:x=1", [1])
