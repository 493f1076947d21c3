"""Three packets leave together in start-up only where the slowest link is to be learnt."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

import lab
import tampering
from qlog_analysis.check.verdict import Outcome
from traces import epochs, verdict_of
from tracewriter import Json

LONG = ("link.there.rate=30Mbps", "link.there.delay=40ms", "link.back.delay=40ms", "duration=1500ms")


def laws(folder: FilePath, some: list[Json]) -> set[str]:
    return {f.law for f in verdict_of(folder, some).findings}


@pytest.mark.parametrize("spec", ["hybrid", "hybrid:without=insist", "hybrid:without=link_rate"])
def test_whole_connections_pass(tmp_path: FilePath, spec: str) -> None:
    v = verdict_of(tmp_path, lab.records(spec, *LONG))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_none_leave_together_where_the_mechanism_is_left_out(tmp_path: FilePath) -> None:
    some = lab.records("hybrid", *LONG)
    tampering.left_out("insist")(some)
    assert "triples" in laws(tmp_path, some)


def test_none_leave_together_once_the_flow_has_half_of_the_link(tmp_path: FilePath) -> None:
    """The link is said to be slower, so that R has been half of what it carries for longer."""
    some = lab.records("hybrid", *LONG)
    first = next(e for e in epochs(some) if e["transmission_time"] > 0.0)
    for e in epochs(some)[first["epoch"] :]:
        e["transmission_time"] *= 20.0
    assert "triples" in laws(tmp_path, some)
