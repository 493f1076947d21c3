"""How many packets of `hybrid` leave together in start-up."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

import invariant_tampering as t
from qlog_analysis.invariants.invariant import Outcome
from qlog_analysis.invariants.run import judge
from simulation import Path, simulate
from traces import acks, trace_of
from tracewriter import Json

SELDOM_HEARD = Path(rate=5e6, ack_every=6)
IN_START_UP = 90.0
"""ms"""


def traced() -> list[Json]:
    return simulate(SELDOM_HEARD, 1.0)


def stamped(some: list[Json]) -> None:
    """The peer tells of one packet when it came."""
    ack = acks(some)[0]
    newest = ack["data"]["frames"][0]["acked_ranges"][-1][-1]
    ack["receive_timestamps"] = [[newest, 1000]]


def pacing(folder: FilePath, some: list[Json]) -> Outcome:
    (found,) = (j.outcome for j in judge(trace_of(folder, some)) if j.invariant.name == "pacing")
    return found


def test_one_leaves_at_a_time(tmp_path: FilePath) -> None:
    assert pacing(tmp_path, traced()) is Outcome.PASS


def test_without_receive_timestamps_no_others_leave_with_it(tmp_path: FilePath) -> None:
    some = traced()
    t.early(3, IN_START_UP)(some)
    assert pacing(tmp_path, some) is Outcome.FAIL


@pytest.mark.parametrize(("packets", "outcome"), [(3, Outcome.PASS), (4, Outcome.FAIL)])
def test_three_together_show_the_slowest_link_by_receive_timestamps(
    tmp_path: FilePath, packets: int, outcome: Outcome
) -> None:
    some = traced()
    stamped(some)
    t.early(packets, IN_START_UP)(some)
    assert pacing(tmp_path, some) is outcome
