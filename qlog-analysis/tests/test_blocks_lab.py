"""Blocks of records make the same trace as records one by one, of whole quiche connections with every controller."""

from __future__ import annotations

from pathlib import Path

import pytest

import lab
from agreeing import assert_same_trace

SPECS = ("hybrid", "hybrid:paper", "smallq", "vegas", "rrr", "raimd", "cubic", "reno", "bbr2")


@pytest.mark.parametrize("spec", SPECS)
def test_blocks_and_records_make_the_same_trace(tmp_path: Path, spec: str) -> None:
    assert_same_trace(lab.written(tmp_path, spec, "duration=4s"), spec)
