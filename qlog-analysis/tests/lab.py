"""Traces of whole quiche connections in virtual time, by the program `cc-lab`."""

from __future__ import annotations

import os
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

import msgspec
import pytest

from qlog_analysis.events import UPDATES
from tracewriter import Json

HERE = Path(__file__).resolve().parent
SCENARIOS = HERE / "scenarios"


@lru_cache(maxsize=1)
def program() -> Path:
    """`cc-lab`. A build folder that was named must have it; without one a test that needs it is skipped."""
    named = os.environ.get("QUICHE_CC_BIN_DIR")
    path = Path(named or HERE.parents[1] / "build" / "bin") / "cc-lab"
    if not path.exists():
        if named is not None:
            pytest.fail(f"QUICHE_CC_BIN_DIR={named} lacks cc-lab; `cmake --build build` makes it")
        pytest.skip(f"{path} does not exist; `cmake --build build` makes it")
    return path


@lru_cache(maxsize=256)
def _traced(spec: str, values: tuple[str, ...], seed: int, scenario: str = "path") -> bytes:
    return _run(spec, values, seed, scenario)[0]


def _run(spec: str, values: tuple[str, ...], seed: int, scenario: str, *more: str) -> tuple[bytes, bytes]:
    """The trace, and the record of the run if that is asked for."""
    with tempfile.TemporaryDirectory() as folder:
        sets = [part for value in values for part in ("--set", value)]
        command = [
            str(program()),
            "run",
            str(SCENARIOS / f"{scenario}.toml"),
            "--cc",
            spec,
            "--seed",
            str(seed),
            "--qlog",
            *more,
            *sets,
        ]
        done = subprocess.run([*command, "--out", folder], capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0:
            pytest.fail(f"{' '.join(command)}: {done.stderr}")
        record = Path(folder) / "record.parquet"
        return (Path(folder) / "qlog" / "main.sqlog").read_bytes(), record.read_bytes() if more else b""


@lru_cache(maxsize=32)
def _recorded(spec: str, values: tuple[str, ...], seed: int, scenario: str) -> tuple[bytes, bytes]:
    return _run(spec, values, seed, scenario, "--record")


def recorded(folder: Path, spec: str, *values: str, seed: int = 1, scenario: str = "path") -> tuple[list[Json], Path]:
    """A fresh copy of a trace, and the record of its run as a file."""
    trace, record = _recorded(spec, values, seed, scenario)
    path = folder / "record.parquet"
    path.write_bytes(record)
    return _decoded(trace), path


def written(folder: Path, spec: str, *values: str, seed: int = 1, scenario: str = "path") -> Path:
    """The trace as a file."""
    path = folder / "main.sqlog"
    path.write_bytes(_traced(spec, values, seed, scenario))
    return path


def told(spec: str, *values: str, seed: int = 1) -> list[Json]:
    """The data of all updates of the trace's controller."""
    parts = _traced(spec, values, seed).split(b"\x1e")
    events = (msgspec.json.decode(part) for part in parts if b'"name":"cc:' in part)
    return [e["data"] for e in events if e["name"] in UPDATES]


def records(spec: str, *values: str, seed: int = 1, scenario: str = "path") -> list[Json]:
    """A fresh copy of the trace of one flow, header first; `values` replace those of the scenario (KEY=VALUE)."""
    return _decoded(_traced(spec, values, seed, scenario))


def _decoded(trace: bytes) -> list[Json]:
    return [msgspec.json.decode(part) for part in trace.split(b"\x1e") if part.strip()]
