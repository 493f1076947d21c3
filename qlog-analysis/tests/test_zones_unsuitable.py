"""Traces from which zones cannot be computed, and values that no controller would write."""

from __future__ import annotations

import time
from itertools import combinations
from pathlib import Path as FilePath
from typing import Any

import pytest

from qlog_analysis.check.verdict import Outcome
from qlog_analysis.errors import TraceError, UnsuitableTraceError
from qlog_analysis.events import LARGEST, SMALLEST
from traces import DEFAULT, FAST, PAPER, SLOW, epochs, named, records, verdict_of
from tracewriter import Json


def without_controller(some: list[Json]) -> list[Json]:
    """What the same transfer would look like with one of quiche's own controllers."""
    return [r for r in some if not r.get("name", "").startswith("cc:")]


def test_a_trace_of_another_controller_is_refused_with_the_states_it_has(tmp_path: FilePath) -> None:
    some = without_controller(records(FAST, 2.0))
    for r in named(some, "quic:congestion_state_updated"):
        r["data"]["new"] = "slow_start"
    with pytest.raises(UnsuitableTraceError, match=r"no equations to check.* states seen: slow_start"):
        verdict_of(tmp_path, some)


def test_another_controller_with_events_of_its_own_is_refused_by_name(tmp_path: FilePath) -> None:
    some = records(FAST, 2.0)
    named(some, "cc:parameters_set")[0]["data"].update(controller="illinois", parameters={})
    with pytest.raises(UnsuitableTraceError, match="controller: illinois"):
        verdict_of(tmp_path, some)


@pytest.mark.parametrize(
    ("without", "expected"),
    [("quic:packet", "no packet was sent or received"), ("quic:packet_received", "nothing to judge by")],
)
def test_epochs_without_packets_are_refused(tmp_path: FilePath, without: str, expected: str) -> None:
    some = [r for r in records(FAST, 2.0) if not r.get("name", "").startswith(without)]
    with pytest.raises(UnsuitableTraceError, match=expected):
        verdict_of(tmp_path, some)


@pytest.mark.parametrize(
    ("spec", "changes", "expected"),
    [
        (PAPER, {"d1": 30.0}, "d0 <= d1 < d2 < d3"),
        (PAPER, {"bmax": 1.5}, "bmin <= bmid <= bmax < 1"),
        (PAPER, {"base_delay_window": 0.0}, "base_delay_window is 0.0 ms, expected at least 1e-06 ms"),
        (PAPER, {"base_delay_window": 5e-324}, "expected at least 1e-06 ms"),
        (PAPER, {"amin": 0.0}, "must not be 0"),
        (PAPER, {"initial_rate": "fast"}, "a number or 'auto'"),
        (DEFAULT, {"min_decrease": 0.6}, "min_decrease is 0.6, expected at most 0.5"),
        (DEFAULT, {"target_delay": "fast"}, "target_delay is 'fast', expected a number or 'auto'"),
        (DEFAULT, {"target_delay": 0.0}, "target_delay is 0, expected more"),
        (DEFAULT, {"target_packets": 0.0}, "target_packets is 0, expected more"),
        (DEFAULT, {"growth_period": 0.0}, "growth_period is 0, expected more"),
        (DEFAULT, {"base_delay_window": 0.0}, "base_delay_window is 0, expected more"),
        (DEFAULT, {"startup_gain": 1.0}, "startup_gain is 1.0, expected more than 1"),
        (DEFAULT, {"drain_epochs": 0.0}, "drain_epochs is 0, expected more"),
        (DEFAULT, {"drain_epochs": 1e-300}, "drain_epochs is 1e-300, expected more: at least 1e-06"),
        (DEFAULT, {"base_delay_window": 5e-324}, "base_delay_window is 4.94066e-324, expected more"),
        (DEFAULT, {"growth": 0.5}, "growth is 0.5, expected at least 1"),
        (
            DEFAULT,
            {"without": "luck"},
            "'luck' is no mechanism, expected none, or one or more of clock_skew, link_rate",
        ),
        (DEFAULT, {"without": "dips+dips"}, "'dips' is left out twice"),
        (DEFAULT, {"without": "dips+insist"}, "expected the same in this order: 'insist+dips'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(tmp_path: FilePath, spec: str, changes: Json, expected: str) -> None:
    some = records(FAST, 2.0, spec)
    named(some, "cc:parameters_set")[0]["data"]["parameters"].update(changes)
    with pytest.raises(UnsuitableTraceError) as error:
        verdict_of(tmp_path, some)
    assert expected in str(error.value)
    assert f"{tmp_path / 'trace.sqlog'}: record " in str(error.value)


HOSTILE: dict[str, Any] = {
    "epoch": 2**62 - 1,
    "duration": LARGEST,
    "length": 0.0,
    "samples": 2**62 - 1,
    "lost": 2**62 - 1,
    "acked": 2**62 - 1,
    "delta": LARGEST,
    "rate_before": LARGEST,
    "rate_after": 0.0,
    "alpha": LARGEST,
    "beta": LARGEST,
    "window": 2**62 - 1,
    "source": "",
    "outcome": "",
}
OWN: dict[str, dict[str, Any]] = {
    PAPER: {"trend": "x" * 10_000},
    DEFAULT: {
        "return_delay": LARGEST,
        "state": "",
        "delivery_rate": LARGEST,
        "jitter": LARGEST,
        "ack_gap": LARGEST,
        "competing_queue": LARGEST,
        "return_rate": 0.0,
    },
}


@pytest.mark.parametrize(
    ("spec", "field", "value"),
    [
        pytest.param(spec, field, value, id=f"{spec.split(',')[0]} {field}")
        for spec, own in OWN.items()
        for field, value in (HOSTILE | own).items()
    ],
)
def test_absurd_values_are_violations_not_crashes(tmp_path: FilePath, spec: str, field: str, value: Any) -> None:
    for which in (0, 20):
        some = records(FAST, 2.0, spec)
        epochs(some)[which][field] = value
        began = time.monotonic()
        assert verdict_of(tmp_path, some).outcome is Outcome.FAIL, (field, which)
        assert time.monotonic() - began < 20.0


TOGETHER = (
    "duration",
    "length",
    "delivery_rate",
    "train_rate",
    "jitter",
    "ack_gap",
    "competing_queue",
    "return_delay",
    "return_rate",
)
"""Of these numbers products and sums are computed."""


@pytest.mark.parametrize("fields", [("duration",), ("duration", "delivery_rate"), TOGETHER], ids=len)
def test_so_are_the_largest_numbers_together_while_a_queue_drains(tmp_path: FilePath, fields: tuple[str, ...]) -> None:
    some = records(FAST, 1.0, DEFAULT)
    draining = [e for e in epochs(some) if e["state"] == "draining"]
    draining[1].update(dict.fromkeys(fields, LARGEST))
    assert verdict_of(tmp_path, some).outcome is Outcome.FAIL


@pytest.mark.parametrize(("which", "field", "value"), [(3, "length", 5e-324), (5, "rate_before", 0.0)])
def test_so_are_numbers_that_nothing_can_be_divided_by(
    tmp_path: FilePath, which: int, field: str, value: float
) -> None:
    some = records(FAST, 1.0, DEFAULT)
    epochs(some)[which][field] = value
    assert verdict_of(tmp_path, some).outcome is Outcome.FAIL


@pytest.mark.nightly
@pytest.mark.parametrize("fields", list(combinations(TOGETHER, 2)), ids=" ".join)
def test_so_are_any_two_of_them(tmp_path: FilePath, fields: tuple[str, str]) -> None:
    some = records(FAST, 1.0, DEFAULT)
    epochs(some)[12].update(dict.fromkeys(fields, LARGEST))
    assert verdict_of(tmp_path, some).outcome is Outcome.FAIL


@pytest.mark.parametrize("value", [2.0 * LARGEST, 1.7e308])
@pytest.mark.parametrize(("spec", "field"), [(PAPER, "length"), *((DEFAULT, field) for field in TOGETHER)])
def test_a_number_beyond_the_largest_is_refused_by_name(
    tmp_path: FilePath, spec: str, field: str, value: float
) -> None:
    some = records(FAST, 1.0, spec)
    epochs(some)[12][field] = value
    with pytest.raises(TraceError) as error:
        verdict_of(tmp_path, some)
    assert f"{tmp_path / 'trace.sqlog'}: record " in str(error.value)
    assert f"cc:hybrid_epoch_updated: Expected `float` <= {LARGEST:g} - at `$.{field}`" in str(error.value)


@pytest.mark.parametrize(("field", "value"), [("length", 0.0), ("length", LARGEST), ("duration", 0.0)])
def test_so_are_those_of_an_epoch_without_samples(tmp_path: FilePath, field: str, value: float) -> None:
    some = records(SLOW, 5.0, DEFAULT)
    next(e for e in epochs(some) if e["delta"] is None)[field] = value
    assert verdict_of(tmp_path, some).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("spec", "field", "value"),
    [
        (PAPER, "amax", LARGEST),
        (PAPER, "gamma", 1e-300),
        (PAPER, "d3", LARGEST),
        (PAPER, "base_delay_window", 1e-6),
        (PAPER, "initial_rate", 1e-300),
        (DEFAULT, "startup_gain", LARGEST),
        (DEFAULT, "drain_epochs", SMALLEST),
        (DEFAULT, "growth", LARGEST),
        (DEFAULT, "target_delay", LARGEST),
        (DEFAULT, "base_delay_window", 1e-6),
        (DEFAULT, "initial_rate", 1e-300),
    ],
)
def test_absurd_parameters_are_violations_not_crashes(tmp_path: FilePath, spec: str, field: str, value: float) -> None:
    some = records(FAST, 4.0, spec)
    named(some, "cc:parameters_set")[0]["data"]["parameters"][field] = value
    assert verdict_of(tmp_path, some).outcome is Outcome.FAIL


@pytest.mark.parametrize("spec", [PAPER, DEFAULT])
def test_events_of_the_controller_before_any_packet_are_violations(tmp_path: FilePath, spec: str) -> None:
    some = records(FAST, 4.0, spec)
    first = named(some, "cc:hybrid_epoch_updated")[0]
    some.remove(first)
    some.insert(2, {**first, "time": 0.0})
    v = verdict_of(tmp_path, some)
    assert any("before the first sample" in f.message for f in v.findings)


@pytest.mark.parametrize("spec", [PAPER, DEFAULT])
def test_ten_thousand_epochs_in_one_instant_end_in_a_verdict(tmp_path: FilePath, spec: str) -> None:
    some = records(FAST, 4.0, spec)
    r = named(some, "cc:hybrid_epoch_updated")[30]
    at = some.index(r)
    some[at:at] = [r] * 10_000
    began = time.monotonic()
    v = verdict_of(tmp_path, some)
    assert time.monotonic() - began < 60.0
    assert v.outcome is Outcome.FAIL
    assert len(v.to_text().splitlines()) < 100
