"""What a user does: files through slow paths, and how long they wait for them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from testbed import Outcome

pytestmark = pytest.mark.timed


def test_the_file_arrives_unharmed(outcomes: dict[str, Outcome], file: Path) -> None:
    expected = hashlib.sha256(file.read_bytes()).hexdigest()
    for cc, outcome in outcomes.items():
        assert [download["sha256"] for download in outcome.downloads] == [expected], cc
        saved = Path(outcome.downloads[0]["file"])
        assert hashlib.sha256(saved.read_bytes()).hexdigest() == expected, cc


def test_hybrid_queues_less_than_cubic_and_loses_nothing(outcomes: dict[str, Outcome]) -> None:
    hybrid, cubic = outcomes["hybrid"], outcomes["cubic"]
    assert hybrid.loss == 0
    assert hybrid.queueing["p95"] < cubic.queueing["p95"] / 2
    assert hybrid.queueing["mean"] < cubic.queueing["mean"] / 2
    assert hybrid.goodput > 0.7 * cubic.goodput


def test_the_papers_path_keeps_the_papers_delay(paper: Outcome) -> None:
    # H1: about d2 = 24 ms, and no loss.
    assert paper.loss == 0
    assert paper.queueing["p95"] < 30
    # The rate between 0.8 and 1 Mbit/s that H1 asks for does not hold in every second (docs/deviations.md), and the
    # lab bounds by how much. Goodput is less by headers, the handshake and start-up: measured 0.79 to 0.90 Mbit/s.
    assert paper.goodput > 0.7e6
