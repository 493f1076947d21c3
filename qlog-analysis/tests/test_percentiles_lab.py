"""What the lab says of samples is what this package says of the same ones."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import duckdb
import numpy as np

import lab
from qlog_analysis.percentiles import percentiles

FROM_NS, TO_NS = 10**9, 4 * 10**9
SETS = ("link.there.rate=4Mbps", f"duration={TO_NS}ns", f"warmup={FROM_NS}ns")
DELAYS = """
SELECT sum(started_ns - arrived_ns) / 1e6, (max(left_ns) - min(arrived_ns)) / 1e6 FROM read_parquet(?)
WHERE "to" = 'client' GROUP BY packet HAVING bool_and(fate = 'delivered') AND max(left_ns) BETWEEN ? AND ?
"""
"""Queueing and one-way delay of every packet that arrived in the time of the statistics, ms."""


def test_percentiles_of_the_lab_are_those_of_its_record(tmp_path: Path) -> None:
    sets = [part for value in SETS for part in ("--set", value)]
    scenario = lab.SCENARIOS / "path.toml"
    command = [lab.program(), "run", scenario, "--cc", "cubic", "--seed", "1", "--record", *sets, "--out", tmp_path]
    subprocess.run(list(map(str, command)), check=True, capture_output=True, timeout=120)
    flow = json.loads((tmp_path / "summary.json").read_text())["flows"][0]
    rows = duckdb.execute(DELAYS, [str(tmp_path / "record.parquet"), FROM_NS, TO_NS]).fetchall()
    for name, delays in zip(("queueing_ms", "one_way_ms"), np.array(rows).T, strict=True):
        assert len(delays) == flow[name]["count"] > 1000
        found = percentiles(delays, (0, 50, 95, 99, 100))
        assert found == [flow[name][what] for what in ("min", "p50", "p95", "p99", "max")]
