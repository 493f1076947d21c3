"""The steps of tests/vectors/hybrid.json, as exact fractions of the numbers that are written there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from .algebra import number
from .equations import Control, Epoch, Law, Options

FILE = Path(__file__).parents[1] / "vectors" / "hybrid.json"
PACKET = Fraction(8 * 1250)
_DEFAULTS = {
    "target_packets": "2",
    "drain_epochs": "3",
    "min_decrease": "0.01",
    "growth": "1.5",
    "growth_period": "40ms",
    "startup_gain": "2.2",
}


@dataclass(frozen=True)
class Case:
    """A step with what it has to give."""

    options: Options
    epoch: Epoch
    before: Control
    expected: dict[str, Any]


def cases() -> Iterator[Case]:
    sections = json.loads(FILE.read_text(encoding="utf-8"))
    for case in [*sections["course"], *sections["limits"]]:
        given = _DEFAULTS | dict(item.split("=") for item in case["options"].split(","))
        options, without = _options(given)
        before, epoch = _before(case), _epoch(case)
        law = Law(options)
        periods = before.since_decrease / law.period(epoch, before.rate)
        epoch = replace(
            epoch,
            meets_queue=_meets_queue(law, epoch, before, insists="insist" not in without),
            growth=Fraction(float(given["growth"]) ** float(periods)),
        )
        yield Case(options, epoch, before, case)


def _options(given: dict[str, str]) -> tuple[Options, list[str]]:
    without = given.get("without", "none").split("+")
    target = given.get("target_delay", "auto")
    options = Options(
        target_given=target != "auto",
        target_delay=_time(target) if target != "auto" else Fraction(1),
        target_packets=number(given["target_packets"]),
        drain_epochs=number(given["drain_epochs"]),
        min_decrease=number(given["min_decrease"]),
        growth_period=_time(given["growth_period"]),
        full_buffer="full_buffer" not in without,
        catch_up="catch_up" not in without,
        startup_gain=number(given["startup_gain"]),
    )
    return options, without


def _time(text: str) -> Fraction:
    if not text.endswith("ms"):
        raise ValueError(f"{FILE}: the time {text!r} is not in ms, as those of the vectors are")
    return number(text.removesuffix("ms")) / 1000


def _millis(value: float) -> Fraction:
    return number(value) / 1000


def _epoch(case: dict[str, Any]) -> Epoch:
    jitter, uncertain = _millis(case["jitter_ms"]), number(case["uncertain"])
    if jitter == 0:
        jitter = uncertain  # only its share of the epoch's duration matters, as no mean of a drain is known
    return Epoch(
        counts=case.get("samples", True),
        interrupted=case.get("interrupted", False),
        d=_millis(case["delta_ms"]),
        lost=case["lost"],
        excessive=case["overwhelmed"],
        length=_millis(case["length_ms"]),
        packet=PACKET,
        duration=jitter / uncertain if uncertain > 0 else Fraction(1),
        transmission=_millis(case["transmission_ms"]),
        delivery_rate=number(case["arrived_bps"]),
        floor=Fraction(0),
        jitter=jitter,
        background=number(case["background"]),
        longest=_millis(case["longest_ms"]),
        drain_lasted=_millis(case["drain_lasted_ms"]),
        drain_bits=number(case["drain_arrived_bits"]),
        app_limited=case["app_limited"],
        limited_before=False,
        by_train=case["by_train"],
        train_rate=number(case["train_bps"]),
        tells_rate=case.get("tells_rate", False),
        may_queue=case["may_queue"],
        used=number(case["used_bps"]),
        meets_queue=False,
        fills=case["fills"],
        growth=Fraction(1),
        variability=Fraction(0),
    )


def _before(case: dict[str, Any]) -> Control:
    return Control(
        rate=number(case["rate_bps"]),
        startup=case["startup"],
        draining=case["share_bps"] is not None,
        return_rate=number(case["share_bps"] or 0),
        ceiling=number(case["startup_rate_bps"] or 0),
        since_decrease=_millis(case["undisturbed_ms"]),
        resumed_at=number(case.get("resumed_at_bps", 0)),
    )


def _meets_queue(law: Law, e: Epoch, before: Control, *, insists: bool) -> bool:
    """Rule 3: what a sample has to exceed."""
    shared = e.transmission > 0 and before.rate < e.packet / (2 * e.transmission)
    insisted = e.length / 5 if insists and shared else Fraction(0)
    short = law.thresholds(before.rate, e).short
    return bool(before.startup and e.d > max(short, e.transmission * 3 / 2, insisted))
