"""Programs in C that know nothing of us download through a bottleneck, with a controller chosen by its name."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Transfer, build_outside, run

SIZE = 800_000
# For programs that are slow, which the controller takes for queueing.
SMALL = 100_000
CONTROLLERS = (
    "hybrid",
    "hybrid:target_delay=12ms",
    "smallq",
    "vegas",
    "rrr",
    "raimd",
    "reno",
    "cubic",
    "bbr2_gcongestion",
)


@pytest.mark.parametrize("cc", CONTROLLERS)
def test_every_controller_transfers(transfer: Callable[..., Transfer], cc: str) -> None:
    assert f"{300_000} bytes" in transfer(cc, 300_000).client


@pytest.mark.timed
def test_hybrid_queues_less_than_cubic(transfer: Callable[..., Transfer]) -> None:
    hybrid, cubic = transfer("hybrid", SIZE), transfer("cubic", SIZE)
    assert f"{SIZE} bytes" in hybrid.client
    assert f"{SIZE} bytes" in cubic.client
    assert hybrid.queueing_ms < cubic.queueing_ms / 2


def test_a_connection_tells_what_its_controller_measures(transfer: Callable[..., Transfer]) -> None:
    stats = transfer("hybrid", SIZE, server_program="server-watch").stats
    assert stats is not None
    # The link carries 8 Mbit/s; on a busy machine programs are late, which looks like queueing and makes the rate low.
    assert 0.08e6 < stats["rate_bps"] < 80e6
    assert stats["pacing_bps"] >= stats["rate_bps"]
    assert stats["window_bytes"] >= 2 * 1200
    assert stats["state"] in ("startup", "growing", "draining", "holding", "probing")
    # An epoch without samples has neither.
    assert (stats["zone"] in (1, 2, 3)) == (stats["rowd_ms"] is not None)
    assert stats["rowd_ms"] is None or -10 < stats["rowd_ms"] < 5000
    # The client does not say when packets arrive.
    assert stats["source"] == 1
    assert transfer("cubic", 100_000, server_program="server-watch").stats is None


def test_a_connection_tells_a_source_what_it_may_count_on(transfer: Callable[..., Transfer]) -> None:
    told = transfer("hybrid", SIZE, server_program="server-watch").estimate
    assert told is not None
    assert 0 < told["least_bps"] <= told["target_bps"] < 80e6
    assert told["most_bps"] is None or told["target_bps"] <= told["most_bps"]
    assert 0 <= told["queueing_delay_ms"] < 5000
    assert told["state"] in (1, 2, 3, 4)
    assert told["evidence_age_ns"] < 60e9
    # A rung of the example's ladder, over which the server went as it sent.
    assert 150e3 <= told["bitrate"] <= told["target_bps"] or told["bitrate"] == 150e3


def test_of_cubic_only_what_arrives_and_the_delay_are_known(transfer: Callable[..., Transfer]) -> None:
    told = transfer("cubic", SIZE, server_program="server-watch").estimate
    assert told is not None
    assert told["least_bps"] > 0
    assert told["queueing_delay_ms"] >= 0
    assert (told["target_bps"], told["most_bps"], told["state"]) == (None, None, 0)
    assert told["evidence_age_ns"] == 2**64 - 1


def test_the_same_programs_run_on_the_published_quiche(
    transfer: Callable[..., Transfer], outside: Path, upstream: Path
) -> None:
    env = {"LD_LIBRARY_PATH": str(upstream / "lib")}
    answers = run(outside / "select", "hybrid", "cubic", env=env).splitlines()
    # It is the published one: it knows nothing of hybrid.
    assert answers == ["hybrid -14", "cubic 0"]
    assert f"{SIZE} bytes" in transfer("cubic", SIZE, env=env).client


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_nothing_leaks_under_valgrind(transfer: Callable[..., Transfer], outside: Path) -> None:
    valgrind = ("valgrind", "--quiet", "--leak-check=full", "--error-exitcode=99")
    assert f"{SMALL} bytes" in transfer("hybrid", SMALL, rate="1Mbps", under=valgrind).client
    run(*valgrind, outside / "api", outside / "libaimd.so", outside / "libbroken.so")


def test_nothing_leaks_under_sanitizers(
    transfer: Callable[..., Transfer], prefix: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    programs = build_outside(prefix, tmp_path_factory.mktemp("sanitized"), "-DSANITIZE=ON")
    assert f"{SMALL} bytes" in transfer("hybrid", SMALL, rate="1Mbps", programs=programs).client
    run(programs / "api", programs / "libaimd.so", programs / "libbroken.so")


def test_a_refused_controller_ends_the_program_before_it_serves(outside: Path) -> None:
    result = subprocess.run(
        [outside / "client", "hybrid:target_delay=12", "1", "1"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "refused with -14" in result.stderr
