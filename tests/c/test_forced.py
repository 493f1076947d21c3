"""QUICHE_CC gives a controller to programs that select another one, or none."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Transfer

SIZE = 300_000


def select(program: Path, value: str, *names: str) -> tuple[list[str], str]:
    """What the program prints, and what the library says."""
    result = subprocess.run(
        ["env", f"QUICHE_CC={value}", program, *names], capture_output=True, text=True, timeout=60, check=True
    )
    return result.stdout.splitlines(), result.stderr


@pytest.mark.parametrize("name", ["cubic", "bbr2_gcongestion"])
def test_a_server_that_selects_another_controller_runs_the_forced_one(
    transfer: Callable[..., Transfer], name: str
) -> None:
    forced = {"QUICHE_CC": "hybrid:target_packets=3"}
    done = transfer(name, SIZE, server_program="server-watch", env=forced)
    assert f"{SIZE} bytes" in done.client
    # Only our controllers tell anything.
    assert done.stats is not None
    assert done.stats["state"] in ("startup", "growing", "draining", "holding", "probing")


def test_a_program_that_selects_none_or_by_number_runs_it(outside: Path) -> None:
    assert select(outside / "by-number", "hybrid")[0] == ["hybrid"]
    assert select(outside / "by-number", "")[0] == ["nothing is forced"]


@pytest.mark.parametrize("program", ["select", "select-static"])
def test_it_is_named_once_and_names_are_checked_all_the_same(outside: Path, program: str) -> None:
    answers, said = select(outside / program, "vegas:alpha=3", "hybrid", "cubic", "hybird")
    assert answers == ["hybrid 0", "cubic 0", "hybird -14"]
    assert said == "libquiche: QUICHE_CC=vegas:alpha=3 has every connection's congestion control\n"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("hybird", "did you mean hybrid?"),
        ("hybrid:target_delay=1", "with its unit"),
        ("\udcff", "not UTF-8"),
        ("hybrid:a\nlibquiche: all is well\x1b[2J", r"a\nlibquiche: all is well\u{1b}[2J"),
    ],
)
def test_what_cannot_be_used_is_said_and_changes_nothing(outside: Path, value: str, reason: str) -> None:
    answers, said = select(outside / "select", value, "cubic")
    assert answers == ["cubic 0"]
    assert "is not used: " in said
    assert reason in said
    assert said.count("\n") == 1


@pytest.mark.timed
def test_a_server_that_sends_at_once_makes_less_of_a_queue_if_the_library_holds_its_packets_back(
    transfer: Callable[..., Transfer],
) -> None:
    forced = {"QUICHE_CC": "hybrid"}
    eager = transfer("cubic", 4_000_000, server_program="server-eager", env=forced)
    held = transfer("cubic", 4_000_000, server_program="server-eager", env=forced | {"QUICHE_CC_HOLD": "1"})
    assert held.queueing_ms < 0.8 * eager.queueing_ms


@pytest.mark.parametrize(
    ("value", "became"),
    [("1", "holds packets back until their release time"), ("yes", "is not used: allowed is 1")],
)
def test_whether_packets_are_held_back_is_said(outside: Path, value: str, became: str) -> None:
    command = ["env", f"QUICHE_CC_HOLD={value}", str(outside / "select"), "cubic"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == f"libquiche: QUICHE_CC_HOLD={value} {became}\n"


def test_a_program_whose_standard_error_nobody_reads_goes_on(outside: Path) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    command = ["env", "--default-signal=PIPE", "QUICHE_CC=hybrid", str(outside / "by-number")]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writes, text=True, timeout=60, check=False)
    os.close(writes)
    assert (done.returncode, done.stdout) == (0, "hybrid\n")


def test_without_it_nothing_is_said(outside: Path) -> None:
    assert select(outside / "select", "", "cubic") == (["cubic 0"], "")
