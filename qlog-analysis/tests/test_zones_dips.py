"""Paths that vary: connections over them pass, and a falsified trace fails."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path as FilePath

import pytest

import lab
import tampering
import tampering_dips as t
from qlog_analysis.check.verdict import Outcome
from tampering_additions import scaled, shifted, where
from traces import DEFAULT, Tamper, assert_refused, epochs, verdict_of
from tracewriter import Json

SPEC = f"{DEFAULT},without=contention"
WITHOUT_GROWTH = SPEC.replace("growth=1.4", "growth=1")
TRACES = FilePath(__file__).resolve().parents[2] / "tests" / "targets" / "traces"


def over(name: str, *values: str, spec: str = SPEC) -> list[Json]:
    return lab.records(spec, f"link.there.rate=trace:{TRACES / name}.trace", "duration=40s", *values)


def visited() -> list[Json]:
    """With all that the checker decides on: jitter adds dips to the stalls of the path."""
    return over("fades", "flow.main.timestamps=false", "link.there.jitter=uniform:min=0ms,max=5ms,order=keep")


CASES: dict[str, tuple[Tamper, set[str]]] = {
    "a stall denied": (where(t.stalled, stalled=False), {"stalled", "delivery_rate"}),
    "a stall denied with its rate": (t.stall_denied, {"stalled"}),
    "a stall that was none": (where(t.moves, stalled=True), {"stalled", "delivery_rate"}),
    "another rate in a stall": (scaled(t.stalled, 1.01, "delivery_rate"), {"delivery_rate"}),
    "another share of dips": (shifted(t.varies, "variability", 0.01), {"variability"}),
    "a dip that is believed": (t.dip_believed, {"return_rate", "rate"}),
    "a dip that does not count": (t.dip_not_counted, {"variability"}),
    "a head start denied": (t.head_start_denied, {"since_decrease", "alpha", "rate"}),
    "without dips": (tampering.parameter("without", "dips+contention"), {"parameters"}),
    "without dips with its option": (tampering.left_out("dips+contention"), {"stalled", "variability"}),
}


@pytest.mark.parametrize(("tamper", "laws"), CASES.values(), ids=CASES)
def test_a_falsified_trace_fails(tmp_path: FilePath, tamper: Tamper, laws: set[str]) -> None:
    assert_refused(tmp_path, visited, tamper, laws)


@pytest.mark.parametrize(
    "options", [SPEC, *(pytest.param(spec, marks=pytest.mark.nightly) for spec in (DEFAULT, WITHOUT_GROWTH))]
)
@pytest.mark.parametrize("stamps", ["true", "false"])
@pytest.mark.parametrize("name", ["fades", "walk"])
def test_connections_over_paths_that_vary_pass(tmp_path: FilePath, name: str, stamps: str, options: str) -> None:
    v = verdict_of(tmp_path, over(name, f"flow.main.timestamps={stamps}", spec=options))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_they_visit_what_the_checker_decides_on() -> None:
    seen = epochs(visited())
    for choice in t.CHOICES:
        assert any(choice(b, a) for a, b in pairwise(seen)), choice.__name__
    assert t.at_a_dip(visited())
