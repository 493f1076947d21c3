"""tests/vectors/hybrid.json: what it says is right, and it is what this package computes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import vectors
from qlog_analysis.hybrid import spec
from qlog_analysis.hybrid.drain import TELLING_PACKETS
from qlog_analysis.hybrid.thresholds import full_delay, thresholds

FILE = Path(__file__).parents[2] / "tests" / "vectors" / "hybrid.json"


@pytest.fixture(scope="module")
def shared() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(FILE.read_text())
    return data


def test_the_file_is_what_the_law_gives(shared: dict[str, Any]) -> None:
    assert shared == json.loads(json.dumps(vectors.build())), (
        "run: python tests/vectors.py > ../tests/vectors/hybrid.json"
    )


@pytest.mark.parametrize(
    ("delta_ms", "bps"),
    [
        (0.0, 40_000.0),  # amax at d0 = 0
        (12.0, 800.0),  # amin at d1
        (6.0, 800 * 40_000 * 12 / (40_000 * 6 + 800 * 6)),  # halfway: 1568.6
        (3.0, 800 * 40_000 * 12 / (40_000 * 3 + 800 * 9)),
    ],
)
def test_alpha_at_the_papers_numbers(shared: dict[str, Any], delta_ms: float, bps: float) -> None:
    (case,) = (c for c in shared["alpha"] if c["delta_ms"] == delta_ms)
    assert case["expect_bps"] == pytest.approx(bps, rel=1e-12)


@pytest.mark.parametrize(
    ("delta_ms", "lost", "trend", "zone", "beta"),
    [
        (12.0, False, "non_increasing", 1, None),  # d1 itself is still zone 1
        (12.0, True, "unknown", 1, None),  # a loss without delay is no congestion
        (18.0, False, "unknown", 2, 0.29),  # halfway between bmin and bmid
        (24.0, False, "unknown", 2, 0.33),  # bmid at d2
        (36.0, False, "unknown", 3, 0.415),  # halfway between bmid and bmax
        (48.0, False, "unknown", 3, 0.5),  # bmax at d3
        (250.0, False, "non_increasing", 3, 0.5),
        (12.001, True, "non_increasing", 3, 0.5),  # a loss with delay
        (0.0, False, "increasing", 3, 0.25),
        (24.0, False, "increasing", 3, 0.375),
        (0.0, True, "increasing", 3, 0.25),
        (60.0, False, "increasing", 3, 0.5),
    ],
)
def test_zones_and_beta_at_the_papers_numbers(
    shared: dict[str, Any], delta_ms: float, lost: bool, trend: str, zone: int, beta: float | None
) -> None:
    (case,) = (c for c in shared["update"] if (c["delta_ms"], c["lost"], c["trend"]) == (delta_ms, lost, trend))
    assert case["expect_zone"] == zone
    assert case["expect_beta"] == (None if beta is None else pytest.approx(beta, rel=1e-12))
    assert (case["expect_alpha_bps"] is None) == (zone != 1)


def test_what_has_reached_the_slowest_link_makes_shares(shared: dict[str, Any]) -> None:
    assert any(
        c["expect_share_bps"]
        == pytest.approx(c["arrived_bps"] / (1 - c["uncertain"]) / (1 - min(c["background"], 0.2)))
        for c in shared["course"]
        if c["expect_beta"] and c["expect_share_bps"] and c["uncertain"] and c["background"] == 0.4
    )


def test_every_verdict_of_the_trend_occurs(shared: dict[str, Any]) -> None:
    assert {c["expect"] for c in shared["trend"]} == {"increasing", "non_increasing", "unknown"}


@pytest.mark.parametrize(
    ("why", "expect"),
    [
        ("24 samples", "unknown"),
        ("25 samples that rise", "increasing"),
        ("every pair rises, but by 2.4 ms", "non_increasing"),
        ("PCT 3/4 says increasing, PDT 4/8", "increasing"),
        ("PCT 2/4 says not", "unknown"),
        ("36 samples: PCT 3/5 says neither, PDT 4/8", "unknown"),
        ("27 samples", "increasing"),
        ("29 samples", "non_increasing"),
        ("even groups: the mean", "non_increasing"),
    ],
)
def test_trends_worked_out_by_hand(shared: dict[str, Any], why: str, expect: str) -> None:
    (case,) = (c for c in shared["trend"] if c["why"].startswith(why))
    assert case["expect"] == expect


def test_the_additions_visit_every_outcome(shared: dict[str, Any]) -> None:
    course = shared["course"]
    ends = {(c["startup"], c["expect_startup"], c["expect_outcome"]) for c in course}
    assert ends == {(True, True, None), (True, False, None), (False, False, None), (False, True, "early_end")}
    steady = [c for c in course if not c["startup"] and not c["expect_startup"]]
    before = {c["share_bps"] is not None for c in steady}
    outcomes = {(c["share_bps"] is not None, c["expect_beta"] is None, c["expect_share_bps"] is None) for c in steady}
    assert before == {True, False}
    assert outcomes == {
        (False, True, True),  # raised
        (False, False, False),  # lowered
        (True, False, False),  # lowered once more
        (True, True, False),  # drains
        (True, True, True),  # has drained
    }
    assert any(c["app_limited"] and c["expect_alpha_bps"] == 0.0 for c in steady)
    assert any(c["expect_alpha_bps"] == c["rate_bps"] / 4 for c in steady)
    assert any(c["startup_rate_bps"] and c["expect_share_bps"] == c["arrived_bps"] for c in steady)
    assert {step["expect"] for late in shared["late"] for step in late["steps"]} == {True, False}


def test_every_condition_of_an_early_end_has_two_sides(shared: dict[str, Any]) -> None:
    learning = [c for c in shared["course"] if c["startup_rate_bps"]]
    met = {(_conditions(c), c["expect_outcome"]) for c in learning}
    assert {outcome for conditions, outcome in met if all(conditions)} == {"early_end"}
    assert {outcome for conditions, outcome in met if not all(conditions)} == {None}
    for place in range(4):
        assert tuple(other != place for other in range(4)) in {conditions for conditions, _ in met}


def _conditions(c: dict[str, Any]) -> tuple[bool, bool, bool, bool]:
    """Whether nearly all arrived, more than the last time, less than half of the link, and losses are no congestion."""
    arrived = max(c["arrived_bps"] / (1.0 - c["uncertain"]), c["train_bps"] if c["app_limited"] else 0.0)
    arrived = max(c["share_bps"], min(arrived, c["startup_rate_bps"]))
    less = c["transmission_ms"] == 0.0 or arrived < 0.5 * 1250 * 8.0 / c["transmission_ms"] * 1e3
    p = spec.parse(f"hybrid:{c['options']}")
    d, queue = thresholds(c["rate_bps"], 1250, p), c["delta_ms"] / 1e3
    full = full_delay(d.d1, c["longest_ms"] / 1e3, p)
    losing = c["overwhelmed"] or (c["lost"] and queue > full)
    return 1.5 * arrived >= c["startup_rate_bps"], arrived >= 1.25 * c["resumed_at_bps"], less, not losing


def test_attempts_to_drain_a_queue_end_in_every_way(shared: dict[str, Any]) -> None:
    steps = [step for case in shared["standing"] for step in case["steps"]]
    outcomes = [step["expect_outcome"] for step in steps]
    assert min(outcomes.count("contended"), outcomes.count("longer_path")) >= 5
    assert all(s["expect_back_bps"] > 0.8e6 for s in steps if s["expect_outcome"])


def test_cases_made_by_hand_end_as_their_names_say(shared: dict[str, Any]) -> None:
    by_name = {case["name"]: [step["expect_outcome"] for step in case["steps"]] for case in shared["standing"]}
    last = {name: outcomes[-1] for name, outcomes in by_name.items() if not name.startswith("random")}
    assert last == {
        "still, with usual losses": "longer_path",
        "still, with losses beyond chance": "contended",
        "still, with losses where none are usual": None,
        "still, with many losses before it last moved": "longer_path",
        "still and due to stand": "longer_path",
        "due to stand, with losses": "contended",
        "due to stand, not alone": "contended",
        "short for a small flow": None,
        "short for a small flow, with losses": "contended",
        "still while the jitter falls": "longer_path",
        "short, less than a quarter left": "contended",
        "short, more than a quarter left": None,
        "shorter, less than a quarter left": "contended",
    }
    assert all(outcome is None for name in last for outcome in by_name[name][:-1])
    assert by_name["still and due to stand"][6] is None  # as in the two after it, which it is not


def test_the_mean_of_a_drain_decides_in_every_way(shared: dict[str, Any]) -> None:
    drains = [c for c in shared["course"] if c["drain_lasted_ms"] and not (c["lost"] or c["overwhelmed"])]
    decided = {_decides(c) for c in drains if c["expect_beta"] and not c["app_limited"]}
    assert decided == {"A", "the mean", "this epoch", "no jitter", "too few packets"}


def _decides(c: dict[str, Any]) -> str:
    """Which rate bounds what reached the slowest link."""
    if c["jitter_ms"] == 0.0:
        return "no jitter"
    if c["drain_arrived_bits"] < TELLING_PACKETS * 8.0 * 1250:
        return "too few packets"
    mean = c["drain_arrived_bits"] / c["drain_lasted_ms"] * 1e3
    mean /= 1.0 - min(c["jitter_ms"] / c["drain_lasted_ms"], 0.5)
    by_epoch = c["arrived_bps"] / (1.0 - c["uncertain"])
    bound = min(by_epoch, max(c["arrived_bps"], mean))
    assert c["expect_share_bps"] == pytest.approx(
        min(max(c["rate_bps"], c["share_bps"]), bound / (1.0 - min(c["background"], 0.2)))
    )
    return "A" if mean <= c["arrived_bps"] else "the mean" if mean < by_epoch else "this epoch"


def test_every_condition_of_an_interruption_has_two_sides(shared: dict[str, Any]) -> None:
    usual, *others = shared["interruption"]
    assert usual["expect"]
    for name in ("duration_ms", "length_ms", "queue_ms", "gap_ms", "max_ack_delay_ms", "rate_bps"):
        assert {c["expect"] for c in others if c[name] != usual[name] or name == "duration_ms"} >= {False}, name
    assert {c["expect"] for c in others if c["lost"] != usual["lost"]} == {True, False}
    assert {c["expect"] for c in others if c["duration_ms"] != usual["duration_ms"]} == {True, False}


def test_thresholds_worked_out_by_hand(shared: dict[str, Any]) -> None:
    by_rate = [c for c in shared["thresholds"] if "target_packets=2" in c["options"]]
    follows = {c["rate_bps"]: c["expect_ms"] for c in by_rate}
    assert follows[5e6] == pytest.approx([0.5, 4.0, 8.0, 16.0])
    assert [follows[r][1] for r in (1e4, 5e4, 1e6, 1e9)] == pytest.approx([100.0, 100.0, 12.0, 0.2])
    half = {c["rate_bps"]: c["expect_ms"][1] for c in shared["thresholds"] if c["options"] == "target_packets=0.5"}
    assert [half[r] for r in (1e4, 8e4, 5e5)] == pytest.approx([100.0, 62.5, 10.0])
    given = next(c for c in shared["thresholds"] if "target_delay=12ms" in c["options"] and c["longest_ms"] == 4.0)
    assert given["expect_ms"] == pytest.approx([1.5, 12.0, 24.0, 48.0])
    assert given["expect_full_ms"] == pytest.approx(3.0)  # three quarters of 4 ms, and a quarter of d1
