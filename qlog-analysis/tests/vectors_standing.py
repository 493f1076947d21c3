"""The part of tests/vectors/hybrid.json about queues that should drain: random epochs, and some chosen by hand."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import law_epochs
from qlog_analysis.hybrid import spec
from qlog_analysis.hybrid.standing import Judged, Shown, Standing, judge

PACKET = 1250
RANDOM_CASES = 32
PATIENCE = 0.5
"""s."""
SLACK = 2e-6
P = spec.parse("hybrid")


def build() -> list[dict[str, Any]]:
    by_chance = [_random(f"random {seed}", random.Random(seed)) for seed in range(RANDOM_CASES)]
    return [*by_chance, *(_chosen(name, epochs) for name, epochs in _by_hand().items())]


def _random(name: str, rng: random.Random) -> dict[str, Any]:
    """Epochs one after the other, of a path that is full, or longer, or neither. Where rounding could decide, another
    epoch is drawn."""
    length, base, spread = rng.choice((0.02, 0.04)), rng.choice((0.01, 0.04)), rng.choice((0.0003, 0.0003, 0.03))
    falling, transmission = rng.choice((1.0, 1.0, 0.99)), rng.choice((1e-4, 1e-3, 1e-3))
    background, loss = rng.choice((0.0, 0.01, 0.05)), rng.choice((0.0, 0.01, 0.05))
    first_jitter = rng.choice((0.0, 0.0, 0.004))
    now, rate, drains, state = 1.0, 1e7, False, Standing()
    steps: list[dict[str, Any]] = []
    while len(steps) < 50:
        jitter = round(first_jitter * 0.97 ** len(steps), 6)
        delay = rng.choice((0.0001, *[base * falling ** len(steps)] * 30)) + rng.uniform(0.0, spread)
        delta = round(max(delay - jitter, 0.0001), 6)
        goes_on = drains if rng.random() < 0.97 else not drains
        share = round(rate * rng.uniform(0.9, 1.1)) if goes_on else None
        sent = rng.choice((15, 40))
        lost = sum(rng.random() < loss for _ in range(sent))
        e = Shown(
            now=round(now + length * rng.uniform(1.0, 1.4), 6),
            delta=delta,
            length=length,
            short=rng.choice((0.001, 0.001, 0.001, 0.03)),
            lost=lost,
            acked=sent - lost,
            usual_losses=law_epochs.usually(background),
            rate=float(round(rate * rng.uniform(0.7, 0.9))),
            return_rate=None if share is None else float(share),
            transmission=transmission,
            packet_bytes=PACKET,
            jitter=jitter,
        )
        if len(set(judge(e, state, P, SLACK, PATIENCE))) > 1:
            continue
        (done,) = judge(e, state, P, patience=PATIENCE)
        now, state = e.now, done.standing
        drains = done.outcome is None and (goes_on or rng.random() < 0.3)
        steps.append(_step(e, done))
    return _case(name, length, transmission, steps)


def _chosen(name: str, epochs: Iterable[Shown]) -> dict[str, Any]:
    state, steps, last = Standing(), list[dict[str, Any]](), None
    for e in epochs:
        (done,) = set(judge(e, state, P, SLACK, PATIENCE))
        state, last = done.standing, e
        steps.append(_step(e, done))
    assert last is not None
    return _case(name, last.length, last.transmission, steps)


def _by_hand() -> dict[str, list[Shown]]:
    usual, more = [(50, 10), *[(1, 99)] * 6], [(50, 10), *[(2, 98)] * 6]
    moves = [(0.04, 0, 99), (0.04, 30, 70), *[(0.042, 1, 99)] * 5]
    little = _short_for_what_is_left(rate=2.4e6)
    return {
        "still, with usual losses": _still([(0.04, *counts) for counts in usual[:6]]),
        "still, with losses beyond chance": _still([(0.04, *counts) for counts in more]),
        "still, with losses where none are usual": _still([(0.04, 0, 100), *[(0.04, 1, 99)] * 5], background=0.0),
        "still, with many losses before it last moved": _still(moves),
        "still and due to stand": _due(),
        "due to stand, with losses": _due(lost=3)[:7],
        "due to stand, not alone": _due(transmission=1e-4)[:7],
        "short for a small flow": _short_for_a_small_flow(lost=0),
        "short for a small flow, with losses": _short_for_a_small_flow(lost=3),
        "still while the jitter falls": _less_jitter(),
        "short, less than a quarter left": little,
        "short, more than a quarter left": _short_for_what_is_left(rate=2.6e6),
        "shorter, less than a quarter left": [replace(e, delta=e.delta - 0.003) for e in little],
    }


def _short_for_a_small_flow(lost: int) -> list[Shown]:
    """A queue of more than L / 4 that a few packets of a flow with 1 Mbit/s would fill, unless it loses packets."""
    delays = [(1.0 + 0.11 * i, 0.011 if i % 2 else 0.012) for i in range(6)]
    return [_shown(now, delta, lost=lost, rate=8e5, return_rate=1e6) for now, delta in delays]


def _still(epochs: list[tuple[float, int, int]], background: float = 0.01) -> list[Shown]:
    return [
        _shown(1.0 + 0.1 * i, delta, lost=lost, acked=acked, usual_losses=law_epochs.usually(background))
        for i, (delta, lost, acked) in enumerate(epochs)
    ]


def _short_for_what_is_left(rate: float) -> list[Shown]:
    """A queue of less than L / 4, of a flow that has no more than this of its 10 Mbit/s left."""
    return [_shown(1.0 + 0.11 * i, 0.005 if i % 2 else 0.0045, rate=rate) for i in range(6)]


def _less_jitter() -> list[Shown]:
    """A delay of 40 ms that keeps still, and of which less and less passes for jitter."""
    jitters = [0.004 * 0.7**i for i in range(6)]
    return [_shown(1.0 + 0.1 * i, round(0.04 - j, 6), jitter=round(j, 6)) for i, j in enumerate(jitters)]


def _due(**changes: Any) -> list[Shown]:
    """A queue of 50 ms at most stands after 600 ms; five epochs of 40 ms come last, the third of them after that."""
    first = [(1.0, 0.04), (1.1, 0.05), (1.2, 0.04), (1.3, 0.05)]
    still = [(now, 0.04) for now in (1.38, 1.48, 1.61, 1.71, 1.81)]
    return [_shown(now, delta, **changes) for now, delta in (*first, *still)]


def _shown(now: float, delta: float, **changes: Any) -> Shown:
    base: dict[str, Any] = {
        "length": 0.04,
        "short": 0.001,
        "lost": 0,
        "acked": 40,
        "usual_losses": law_epochs.usually(0.0),
    }
    rates = {"rate": 8e6, "return_rate": 1e7, "transmission": 1e-3, "packet_bytes": PACKET}
    return Shown(round(now, 6), delta, **{**base, **rates, **changes})


def _step(e: Shown, done: Judged) -> dict[str, Any]:
    return {
        "now_ms": e.now * 1e3,
        "delta_ms": e.delta * 1e3,
        "jitter_ms": e.jitter * 1e3,
        "short_ms": e.short * 1e3,
        "lost": e.lost,
        "acked": e.acked,
        "background": e.usual_losses.lost / e.usual_losses.packets,
        "rate_bps": e.rate,
        "share_bps": e.return_rate,
        "expect_outcome": done.outcome,
        "expect_back_bps": done.back,
    }


def _case(name: str, length: float, transmission: float, steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": name,
        "length_ms": length * 1e3,
        "transmission_ms": transmission * 1e3,
        "patience_ms": PATIENCE * 1e3,
        "steps": steps,
    }
