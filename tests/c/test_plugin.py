"""A controller written in C runs in the lab, in our server, and in a program on the library."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, READY_TIMEOUT, ROOT, run
from testbed import Program

LAB = BUILD / "bin" / "cc-lab"
SERVER = BUILD / "bin" / "cc-server"
SCENARIO = """
title = "one flow"
duration = "20s"
[[link]]
name = "bottleneck"
rate = "4Mbps"
delay = "25ms"
buffer = "100ms"
[[flow]]
name = "main"
path = ["bottleneck"]
traffic = { kind = "unlimited" }
"""


def lab(folder: Path, plugin: Path, cc: str) -> dict[str, float]:
    (folder / "one-flow.toml").write_text(SCENARIO)
    run(LAB, "--plugin", plugin, "run", folder / "one-flow.toml", "--cc", cc, "--out", folder / "out")
    summary = json.loads((folder / "out" / "summary.json").read_text())
    flow: dict[str, float] = summary["flows"][0]
    return flow


def test_it_fills_a_link_in_the_lab(outside: Path, tmp_path: Path) -> None:
    flow = lab(tmp_path, outside / "libaimd.so", "aimd")
    assert flow["goodput_bps"] > 0.9 * 4e6


def refusal(*command: object) -> str:
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert result.returncode == 2, result.stdout + result.stderr
    return result.stderr


@pytest.mark.parametrize("program", [SERVER, LAB])
def test_a_broken_one_is_refused_with_the_reason(outside: Path, program: Path) -> None:
    more = ["controllers"] if program is LAB else []
    assert "decide is NULL" in refusal(program, "--plugin", outside / "libbroken.so", *more)
    assert "function_of_nobody" in refusal(program, "--plugin", outside / "libneedy.so", *more)
    assert "can't be loaded" in refusal(program, "--plugin", "nothing.so", *more)
    assert "quiche_cc_plugin()" in refusal(program, "--plugin", BUILD / "lib" / "libquiche.so", *more)


def test_our_server_takes_it_by_name(outside: Path, tmp_path: Path) -> None:
    assert "between 0 and 1" in refusal(SERVER, "--cc", "aimd:beta=2", "--plugin", outside / "libaimd.so")
    listed = run(SERVER, "--cc", "aimd", "--plugin", outside / "libaimd.so", "--list-cc")
    assert "aimd: a packet more per round trip" in listed
    options: list[str | Path] = [
        "--cc",
        "aimd:beta=0.7",
        "--plugin",
        outside / "libaimd.so",
        "--listen",
        "127.0.0.1:0",
        "--http09",
    ]
    command: list[str | Path] = [SERVER, *options, "--qlog", tmp_path]
    with Program(command, tmp_path / "log") as server:
        port = server.next(READY_TIMEOUT)["addresses"][0].rsplit(":", 1)[1]
        assert "1000000 bytes" in run(outside / "client", "cubic", port, 1_000_000)
        server.next(READY_TIMEOUT)
        server.stop()
    (trace,) = tmp_path.glob("*.sqlog")
    assert '"active"' in trace.read_text()


def test_the_example_is_as_short_as_it_says() -> None:
    example = ROOT / "cc" / "capi" / "examples" / "aimd.c"
    assert len(example.read_text().splitlines()) <= 60
