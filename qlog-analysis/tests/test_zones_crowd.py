"""Several flows that come one after the other: their traces pass, and a falsified one fails."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path as FilePath

import pytest

import lab
import tampering_crowd as t
from qlog_analysis.check.verdict import Outcome
from tampering_additions import where
from tampering_standing import back_to_more, held_scaled, named_otherwise
from traces import DEFAULT, Table, Tamper, assert_refused, epochs, falsified, verdict_of
from tracewriter import Json


def crowd(*values: str) -> list[Json]:
    return lab.records(DEFAULT, *values, scenario="crowd")


def beside() -> list[Json]:
    """Beside another whose queue goes for a moment."""
    link = ("link.there.rate=10Mbps", "link.there.buffer=1.5bdp")
    return lab.records(DEFAULT, *link, "flow.main.timestamps=false", scenario="neighbour")


def late() -> list[Json]:
    """Coming to one whose queue ends start-up and then goes."""
    times = ("flow.neighbour.start=0s", "flow.main.start=4s", "flow.main.timestamps=false")
    return lab.records(DEFAULT, "link.there.buffer=1bdp", *times, scenario="neighbour")


LATE: Table = {
    "an early end denied": (t.early_end_denied, {"outcome", "rate"}),
    "the outcome alone denied": (named_otherwise(t.is_early, None), {"outcome"}),
    "an early end called a slower link": (named_otherwise(t.is_early, "slower_link"), {"outcome"}),
    "start-up goes on with more than arrives": (back_to_more(t.is_early), {"rate"}),
    "an early end with a decrease": (t.early_end_with_a_decrease, {"beta", "rate"}),
    "an early end with a share": (where(t.is_early, return_rate=1e6), {"return_rate"}),
    "start-up that goes on denied": (where(t.goes_on, state="draining"), {"state"}),
}
CROWD: Table = {
    "too much held denied": (t.overload_denied, {"beta", "held_rate", "rate"}),
    "too much held answered by less": (t.overload_answered_as_excessive_losses, {"beta", "held_rate", "rate"}),
    "too much held taken for a probe": (t.overload_taken_for_a_probe, {"held_rate"}),
    "too much held found early": (t.overload_early, {"beta", "held_rate", "rate"}),
    "less than half left": (held_scaled(t.is_overloaded, 0.95), {"held_rate", "rate"}),
    "a share that grows back": (t.back_to_the_old_share, {"held_rate", "rate"}),
    "a probe of two round trips": (t.probe_of_two, {"rate"}),
}
BESIDE: Table = {
    "an early end invented": (t.early_end_invented, {"outcome", "rate"}),
    "a short queue held against": (t.held_again_early, {"rate"}),
}


@falsified((late, LATE), (crowd, CROWD), (beside, BESIDE))
def test_a_falsified_trace_fails(
    tmp_path: FilePath, make: Callable[[], list[Json]], tamper: Tamper, laws: set[str]
) -> None:
    assert_refused(tmp_path, make, tamper, laws)


@pytest.mark.parametrize("stamps", ["true", "false"])
@pytest.mark.parametrize("buffer", ["20p", "80p"])
@pytest.mark.parametrize("rate", ["2Mbps", "6Mbps"])
def test_flows_that_come_one_after_the_other_pass(tmp_path: FilePath, stamps: str, buffer: str, rate: str) -> None:
    flows = [f"flow.{name}.timestamps={stamps}" for name in ("main", "second", "third", "fourth")]
    v = verdict_of(tmp_path, crowd(f"link.there.rate={rate}", f"link.there.buffer={buffer}", *flows))
    assert v.outcome is Outcome.PASS, v.to_text()


@pytest.mark.parametrize("stamps", ["true", "false"])
@pytest.mark.parametrize("cc", ["cubic", "reno", "bbr2"])
def test_flows_that_come_late_pass(tmp_path: FilePath, stamps: str, cc: str) -> None:
    late = ("flow.neighbour.start=0s", "flow.main.start=2s", "link.there.buffer=1bdp")
    others = (f"flow.neighbour.cc={cc}", f"flow.main.timestamps={stamps}")
    v = verdict_of(tmp_path, lab.records(DEFAULT, *late, *others, scenario="neighbour"))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_they_visit_what_the_checker_decides_on() -> None:
    for choice in (t.is_early, t.goes_on):
        assert any(choice(b, a) for a, b in pairwise(epochs(late()))), choice.__name__
    assert any(t.is_overloaded(b, a) for a, b in pairwise(epochs(crowd())))
    for choice_beside in (t.ended_in_time, t.is_little_queue):
        assert any(choice_beside(b, a) for a, b in pairwise(epochs(beside()))), choice_beside.__name__
