"""Queues that stand: connections beside others and on paths that change pass, and a falsified trace fails."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path as FilePath

import pytest

import lab
import tampering
import tampering_standing as t
from qlog_analysis.check.verdict import Outcome
from tampering_additions import chosen, shifted, where
from traces import DEFAULT, Table, Tamper, assert_refused, epochs, falsified, verdict_of
from tracewriter import Json


def beside(*values: str) -> list[Json]:
    return lab.records(DEFAULT, *values, scenario="neighbour")


def longer(*values: str, spec: str = DEFAULT) -> list[Json]:
    """The way there becomes 20 ms longer."""
    return lab.records(spec, "link.there.delay=20ms@0s,40ms@2s", "duration=6s", *values)


def slower(*values: str) -> list[Json]:
    """Beside another on a link that carries an eighth from 4 s on."""
    return beside("link.there.rate=8Mbps@0s,1Mbps@4s", "link.there.buffer=100p", *values)


BESIDE: Table = {
    "another queue of others": (shifted(t.holds, "competing_queue", 0.01), {"competing_queue"}),
    "no queue of others": (where(t.holds, competing_queue=0.0), {"competing_queue"}),
    "a queue of others that has gone": (where(t.is_gone, competing_queue=20.0), {"competing_queue"}),
    "a contended buffer denied": (t.denied(t.is_contended), {"outcome", "rate"}),
    "the outcome alone denied": (t.named_otherwise(t.is_contended, None), {"outcome"}),
    "a contended buffer called a longer path": (t.named_otherwise(t.is_contended, "longer_path"), {"outcome"}),
    "an outcome that does not exist": (t.named_otherwise(t.is_contended, "falls"), {"outcome"}),
    "contended too early": (t.found_early, {"outcome", "rate"}),
    "an outcome while no queue drains": (t.named_otherwise(t.grows, "contended"), {"outcome"}),
    "more than is held": (t.back_to_more(t.holds), {"rate"}),
    "more than it may hold": (t.held_scaled(t.holds, 1.01), {"held_rate", "rate"}),
    "less than it may hold": (t.held_scaled(t.holds, 0.99), {"held_rate", "rate"}),
    "more than half at first": (t.held_scaled(t.is_contended, 1.05), {"held_rate", "rate"}),
    "nothing held": (where(t.holds, held_rate=None), {"held_rate"}),
    "the queue of others given way to": (t.given_way, {"beta", "rate"}),
    "a loss that others make answered": (t.loss_answered, {"beta", "rate"}),
    "no probe": (t.probe_left_out, {"beta", "rate"}),
    "a probe too early": (t.probed_early, {"beta", "rate"}),
    "probing called holding": (where(t.is_probed, state="holding"), {"state"}),
    "holding called probing": (where(t.holds, state="probing"), {"state"}),
    "holding called draining": (where(t.holds, state="draining"), {"state"}),
    "growing called holding": (where(t.grows, state="holding"), {"state"}),
    "without contention": (tampering.parameter("without", "contention"), {"parameters"}),
    "without contention with its option": (tampering.left_out("contention"), {"outcome", "held_rate", "state"}),
}
LONGER: Table = {
    "a first flight at R": (t.first_flight_at_its_rate, {"pacing_rate"}),
    "a longer path denied": (t.denied(t.is_longer), {"outcome", "length"}),
    "a longer path called contended": (t.named_otherwise(t.is_longer, "contended"), {"outcome", "length"}),
    "a return to more than the share": (t.back_to_more(t.is_longer), {"rate"}),
    "a longer path with the old round trip": (t.round_trip_as_before, {"length"}),
    "a longer path with the old delays": (t.delays_as_before, {"delta"}),
}
SLOWER: Table = {
    "a slower link denied": (t.slower_link_denied, {"outcome", "held_rate", "beta", "rate"}),
    "the outcome alone denied": (t.named_otherwise(t.is_slower, None), {"outcome"}),
    "a slower link called a longer path": (t.named_otherwise(t.is_slower, "longer_path"), {"outcome"}),
    "a slower link too early": (t.slower_link_early, {"outcome", "held_rate", "rate"}),
}


@falsified((beside, BESIDE), (longer, LONGER), (slower, SLOWER))
def test_a_falsified_trace_fails(
    tmp_path: FilePath, make: Callable[[], list[Json]], tamper: Tamper, laws: set[str]
) -> None:
    assert_refused(tmp_path, make, tamper, laws)


@pytest.mark.parametrize("stamps", ["true", "false"])
@pytest.mark.parametrize("cc", ["cubic", "reno", "bbr2"])
@pytest.mark.parametrize("buffer", ["1bdp", pytest.param("4bdp", marks=pytest.mark.nightly)])
def test_connections_beside_others_pass(tmp_path: FilePath, stamps: str, cc: str, buffer: str) -> None:
    some = beside(f"flow.main.timestamps={stamps}", f"flow.neighbour.cc={cc}", f"link.there.buffer={buffer}")
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()


@pytest.mark.parametrize("stamps", ["true", "false"])
@pytest.mark.parametrize("jitter", [(), ("link.there.jitter=uniform:min=0ms,max=3ms,order=free",)])
def test_connections_whose_path_becomes_longer_pass(tmp_path: FilePath, stamps: str, jitter: tuple[str, ...]) -> None:
    some = longer(f"flow.main.timestamps={stamps}", *jitter)
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()


@pytest.mark.parametrize("stamps", ["true", "false"])
@pytest.mark.parametrize("buffer", ["100p", pytest.param("300p", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("rate", ["0.5Mbps", "1Mbps", "2Mbps", "4Mbps"])
def test_connections_beside_others_on_a_link_that_becomes_slower_pass(
    tmp_path: FilePath, stamps: str, buffer: str, rate: str
) -> None:
    link = (f"link.there.rate=8Mbps@0s,{rate}@4s", f"link.there.buffer={buffer}")
    v = verdict_of(tmp_path, beside(f"flow.main.timestamps={stamps}", *link))
    assert v.outcome is Outcome.PASS, v.to_text()


def test_they_visit_what_the_checker_decides_on() -> None:
    seen = epochs(beside())
    choices = (t.holds, t.loses, t.probes, t.is_gone, t.is_contended, t.attempts, t.grows, t.is_probed)
    assert {e["state"] for e in seen} == {"startup", "growing", "draining", "holding", "probing"}
    for choice in choices:
        assert any(choice(b, a) for a, b in pairwise(seen)), choice.__name__
    assert chosen(longer("flow.main.timestamps=true"), t.is_longer)
    # Without receive timestamps it takes ten epochs to know.
    assert chosen(longer("flow.main.timestamps=false"), t.is_longer)
    assert chosen(slower(), t.is_slower)
    # What the flow had is forgotten: the share that it holds next is one of the slower link.
    after = [e for e in epochs(slower("link.there.rate=8Mbps@0s,2Mbps@4s")) if e["outcome"]]
    assert [e["outcome"] for e in after] == ["contended", "slower_link", "contended"]
    assert after[2]["held_rate"] < 0.5 * after[0]["held_rate"]
