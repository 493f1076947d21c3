"""Builds tests/vectors/hybrid.json, the cases that the Rust controller and this package both answer.

    python tests/vectors.py > ../tests/vectors/hybrid.json

`alpha`, `update` and `trend` are those of the paper's controller with the parameters of section III, computed with
exact arithmetic in milliseconds' range; no case lies on a threshold of the trend test, so that the unit of time that an
implementation counts in cannot decide. The rest is built by vectors_additions.py and
vectors_limits.py. test_hybrid_vectors.py holds the file
against hand-computed values and against this generator.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import vectors_additions
import vectors_limits
from paper_sender import parameters
from qlog_analysis.hybrid_paper import law, trend
from qlog_analysis.hybrid_paper.trend import Trend
from qlog_analysis.zones import rate as rates

SEED = 0x5EED
D1_MS = 12.0
MARGIN_MS = 0.01
PAPER = parameters("hybrid:paper")


def build() -> dict[str, Any]:
    return {
        "about": "docs/papers/hybrid.md; times in ms, rates in bit/s; 'alpha', 'update' and 'trend' are those of the "
        "paper's controller (docs/papers/hybrid-paper.md), 'update' not application-limited; the others are those of "
        "the default profile and name their options, with packets of 1250 bytes",
        "alpha": _alpha_cases(),
        "update": _update_cases(),
        "trend": [_trend_case(why, rowd) for why, rowd in _trend_inputs()],
        **vectors_additions.build(),
        "limits": vectors_limits.build(),
    }


def _alpha_cases() -> list[dict[str, Any]]:
    return [
        {
            "params": "paper",
            "delta_ms": d,
            "expect_bps": rates.alpha(d / 1e3, PAPER.amin, PAPER.amax, PAPER.d0, PAPER.d1),
        }
        for d in (0.0, 0.001, 0.1, 0.24, 0.5, 1.0, 2.0, 3.0, 4.5, 6.0, 9.0, 11.0, 11.999, 12.0)
    ]


def _update_cases() -> list[dict[str, Any]]:
    deltas = (0.0, 0.5, 5.999, 6.001, 11.999, 12.0, 12.001, 15.0, 18.0, 23.999, 24.0, 24.001, 30.0, 36.0)
    above = (47.999, 48.0, 48.001, 60.0, 250.0)
    return [
        _update_case(d, lost, t)
        for d in (*deltas, *above)
        for lost in (False, True)
        for t in (Trend.NON_INCREASING, Trend.UNKNOWN, Trend.INCREASING)
    ]


def _update_case(delta_ms: float, lost: bool, t: Trend) -> dict[str, Any]:
    done = law.update(
        law.Epoch(
            delta=delta_ms / 1e3,
            lost=lost,
            trend=t,
            rate=1e6,
            length=0.1,
            packet_bytes=1000,
            app_limited=False,
        ),
        PAPER,
    )
    return {
        "delta_ms": delta_ms,
        "lost": lost,
        "trend": t.value,
        "expect_zone": done.zone,
        "expect_beta": done.beta,
        "expect_alpha_bps": done.alpha,
    }


def _trend_case(why: str, rowd_ms: list[float]) -> dict[str, Any]:
    rowd = [round(x, 4) for x in rowd_ms]
    verdict = trend.trend([x / 1e3 for x in rowd], D1_MS / 1e3)
    if why.startswith("("):
        around = {verdict}  # ties are the point of the case
    else:
        around = trend.verdicts([x / 1e3 for x in rowd], D1_MS / 1e3, noise=MARGIN_MS / 1e3)
    if around != {verdict}:
        raise AssertionError(f"case {why!r} is within {MARGIN_MS} ms of a threshold: {around}")
    return {"d1_ms": D1_MS, "rowd_ms": rowd, "expect": verdict.value, "why": why}


def _noisy(rng: random.Random, n: int, slope: float, noise: float, start: float = 2.0) -> list[float]:
    return [max(0.0, start + slope * i / (n - 1) + rng.uniform(-noise, noise)) for i in range(n)]


def _trend_inputs() -> list[tuple[str, list[float]]]:
    rng = random.Random(SEED)
    steps = [1.0, 3.0, 2.0, 4.0, 5.0]  # medians of five groups: 3 of 4 pairs rise, PDT 4/6

    def even(rise: float) -> list[float]:
        """Six groups of six; the third smallest is 1 ms in each, the fourth smallest rises by `rise`."""
        return [x for g in range(6) for x in (0.9, 30.0, 1.0, 1.0 + rise * g / 5, 0.5, 20.0)]

    return [
        ("24 samples are too few, even if they rise steeply", [float(i) for i in range(24)]),
        ("25 samples that rise are enough", [0.5 * i for i in range(25)]),
        ("the same, falling", [0.5 * (24 - i) for i in range(25)]),
        ("(all equal: no pair rises, PDT is 0/0, the rise is too small)", [5.0] * 25),
        ("no samples", []),
        ("every pair rises, but by 2.4 ms in all, which is not over d1 / 4 = 3 ms", [0.12 * i for i in range(25)]),
        ("every pair rises, by 3.6 ms in all", [0.18 * i for i in range(25)]),
        ("PCT 3/4 says increasing, PDT 4/6 says increasing", [m for m in steps for _ in range(5)]),
        (
            "PCT 2/4 says not, PDT 8/10 says increasing: conflict, rise 8 ms",
            [m for m in (1.0, 0.5, 5.0, 4.5, 9.0) for _ in range(5)],
        ),
        (
            "PCT 3/4 says increasing, PDT 4/8 says neither: one is enough",
            [m for m in (0.0, 3.0, 1.0, 3.0, 4.0) for _ in range(5)],
        ),
        (
            "PCT 3/4 says increasing, PDT 3.5/9.5 says not: conflict, rise 3.5 ms",
            [m for m in (0.0, 4.0, 1.0, 3.0, 3.5) for _ in range(5)],
        ),
        (
            "36 samples: PCT 3/5 says neither, PDT 5.2/8.8 says increasing",
            [m for m in (0.0, 3.0, 2.0, 5.0, 4.2, 5.2) for _ in range(6)],
        ),
        (
            "36 samples: PCT 3/5 says neither, PDT 4/8 says neither: rise 4 ms",
            [m for m in (0.0, 3.0, 2.0, 4.0, 3.0, 4.0) for _ in range(6)],
        ),
        ("even groups: the median is the mean of the two in the middle, it rises by 4 ms", even(8.0)),
        ("even groups: the mean of the two in the middle rises by 2.5 ms only", even(5.0)),
        (
            "27 samples: the remainder of 2 joins the last group, whose median stays high",
            [0.5 * i for i in range(25)] + [0.0, 0.0],
        ),
        (
            "29 samples: the remainder of 4 joins the last group and pulls its median down to 0",
            [0.3 * i for i in range(20)] + [20.0, 20.0, 20.0, 20.0] + [0.0] * 5,
        ),
        ("one outlier per group does not move a median", [0.5 * i + (40.0 if i % 5 == 2 else 0.0) for i in range(25)]),
        ("a queue that builds up under noise", _noisy(rng, 60, 12.0, 2.0)),
        ("a queue that drains under noise", _noisy(rng, 60, -12.0, 2.0, start=14.0)),
        ("stationary noise", _noisy(rng, 60, 0.0, 2.0, start=6.0)),
        ("stationary noise, large", _noisy(rng, 100, 0.0, 10.0, start=20.0)),
        ("rise and fall: a tent of 10 ms", [10.0 - abs(10.0 - 20.0 * i / 80) for i in range(81)]),
        ("128 samples are used as they are", _noisy(rng, 128, 8.0, 1.0)),
        ("129 samples become 64 means of two, the last is left out", [*_noisy(rng, 128, 8.0, 1.0), 0.0]),
        (
            "260 samples that alternate by 20 ms become 65 means of four, which rise",
            [10.0 + 10.0 * (-1) ** i + 0.04 * i for i in range(260)],
        ),
        (
            "257 samples become 64 means of four, which saw off a wave of four samples; the last is left out",
            [10.0 + (8.0, 0.0, -8.0, 0.0)[i % 4] + 0.04 * i for i in range(256)] + [0.0],
        ),
        ("1000 samples become 125 means of eight that fall", _noisy(rng, 1000, -9.0, 3.0, start=14.0)),
    ]


if __name__ == "__main__":
    json.dump(build(), sys.stdout, indent=1)
    sys.stdout.write("\n")
