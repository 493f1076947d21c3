"""Suites and claim sets that take milliseconds, and programs that are not what they should be. For the tests."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from .lab import built
from .on_loopback import environment

SCENARIO = """
title = "short"
duration = "3s"
warmup = "1s"
[[link]]
name = "bottleneck"
rate = "1Mbps"
[[flow]]
name = "main"
path = ["bottleneck"]
rtt = "20ms"
traffic = { kind = "unlimited" }
"""
SUITE = """
title = "Two links"
scenario = "short.toml"
controllers = ["reno", "hybrid"]
seeds = 2
reference = "reno"
[[axis]]
label = "rate"
key = "link.bottleneck.rate"
values = ["1Mbps", "trace:up.trace"]
"""
CLAIM_SET = """
[claim_set]
letter = "T"
title = "A list"
page = "docs/lab.md"
[run.short]
scenario = "../short.toml"
cc = "{cc}"
seeds = 2
set = { "link.bottleneck.rate" = "trace:up.trace" }
vary = { cc = ["reno", "hybrid"] }
[[claim]]
id = "T1"
title = "something"
source = "here"
says = "It holds."
[[claim.check]]
what = "the rate settles"
measure = { run = "short", metric = "settling_time", from = "1s", every = "100ms", tolerance = "37.3%" }
bound = "<= 3s"
"""


def laid(folder: Path) -> Path:
    """The folder with a suite and a claim set, over one recording."""
    (folder / "claims").mkdir(parents=True)
    (folder / "short.toml").write_text(SCENARIO)
    (folder / "up.trace").write_text("5\n9\n17\n20\n")
    (folder / "suite.toml").write_text(SUITE)
    (folder / "claims" / "t.toml").write_text(CLAIM_SET)
    return folder


def alone(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """cc-lab by itself."""
    return subprocess.run([str(built()), *command], cwd=folder, capture_output=True, text=True, check=False)


def started(folder: Path, *words: str, parts: int = 8) -> subprocess.Popen[str]:
    """The command as a process of its own, with so many shards per worker."""
    code = f"import sys; from cluster import shards, __main__; shards.PARTS = {parts}; sys.exit(__main__.main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def other_program(folder: Path, script: str) -> Path:
    """A build folder in which cc-lab is this shell script; `$LAB` is the real one."""
    program = folder / "bin" / "cc-lab"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\nLAB='{built()}'\n{script}\n")
    program.chmod(0o755)
    return folder


def same(one: Path, other: Path) -> None:
    """Both folders have the same results to the byte, and the same lines in their stores."""
    files = [file.relative_to(one) for file in sorted(one.rglob("*")) if file.is_file()]
    assert files == [file.relative_to(other) for file in sorted(other.rglob("*")) if file.is_file()]
    assert len(files) > 3
    for file in files:
        both = [(folder / file).read_bytes() for folder in (one, other)]
        if file.name == "runs.jsonl":
            both = [b"\n".join(sorted(lines.splitlines())) for lines in both]
        assert both[0] == both[1], file


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to this"
        time.sleep(0.01)
