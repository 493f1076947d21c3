"""Percentiles of samples are by nearest rank everywhere (docs/glossary.md): nothing computes them another way."""

from __future__ import annotations

import re

from architecture import ROOT, tracked

INTERPOLATED = re.compile(
    r"np\.(nan)?(median|percentile|quantile)\(|quantile_cont|len\(\w+\) \* \d+ // 100|\.len\(\) \* \w+ / 100\b"
)
ELSE = {
    "qlog-analysis/src/qlog_analysis/fleet/compare.py": "draws of the bootstrap",
    "qlog-analysis/tests/test_fleet_compare.py": "draws as well",
    "tests/hunt/search.py": "whether scores differ",
    "tests/structure/test_statistics.py": "what is looked for",
}
"""Where numpy's quantiles are not those of samples, and what they are of."""


def interpolates(name: str) -> bool:
    return INTERPOLATED.search((ROOT / name).read_text(encoding="utf-8")) is not None


def test_percentiles_of_samples_are_interpolated_nowhere() -> None:
    named = [name for name in tracked() if name.endswith((".py", ".md", ".jinja", ".rs")) and (ROOT / name).exists()]
    assert {name for name in named if interpolates(name)} <= set(ELSE)
    assert all(map(interpolates, ELSE))
