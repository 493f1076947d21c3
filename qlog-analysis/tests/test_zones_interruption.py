"""Interrupted paths: connections over them pass, and a falsified trace fails."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path as FilePath

import pytest

import lab
import tampering
from qlog_analysis.check.verdict import Outcome
from simulation import Path
from tampering_additions import Choice, follow, shifted, where
from tampering_standing import held_scaled, is_contended, named_otherwise
from traces import DEFAULT, Tamper, assert_refused, epochs, records, verdict_of
from tracewriter import Json

PATH = Path(delay=0.01, buffer=20_000, outage=(2.1, 2.3), longer=0.02)


def interrupted(path: Path = PATH, spec: str = DEFAULT) -> list[Json]:
    return records(path, 4.0, spec)


def whole(*values: str) -> list[Json]:
    """A connection whose path is interrupted, and comes back 15 ms longer."""
    delays = "link.there.delay=20ms@0s,35ms@3.1s"
    return lab.records(DEFAULT, "duration=6s", "link.there.outages=3s..3.5s", delays, *values)


def own_link(*values: str) -> list[Json]:
    """A connection beside another, whose own link fails for a moment."""
    return lab.records(DEFAULT, *values, scenario="own-outage")


def ends(e: Json, _: Json) -> bool:
    return bool(e["outcome"] == "interrupted")


def meets(e: Json, _: Json) -> bool:
    return bool(e["outcome"] == "new_path")


def restarts(e: Json, _: Json) -> bool:
    """An epoch between the two."""
    return bool(e["state"] == "startup" and e["epoch"] > 30 and e["delta"] is None)


def loses(e: Json, _: Json) -> bool:
    return bool(e["lost_total"])


def loses_a_few(e: Json, before: Json) -> bool:
    return loses(e, before) and not ends(e, before)


def from_more(some: list[Json]) -> None:
    """Start-up begins again from a higher rate."""
    e = next(e for e in epochs(some) if ends(e, e))
    follow(some, e, 2.0 * e["rate_after"])


def round_trip_as_before(some: list[Json]) -> None:
    e, before = next((b, a) for a, b in pairwise(epochs(some)) if meets(b, a))
    e["length"] = before["length"]


def held_after_interruption(some: list[Json]) -> None:
    """Half of the share of before."""
    _, again = (e for e in epochs(some) if is_contended(e, e))
    held_scaled(lambda e, _: e is again, 0.5)(some)


CASES: dict[str, tuple[Tamper, set[str]]] = {
    "an interruption denied": (named_otherwise(ends, None), {"outcome"}),
    "losses called an interruption": (where(loses_a_few, outcome="interrupted"), {"outcome"}),
    "start-up denied": (where(restarts, state="growing"), {"state"}),
    "a restart from more": (from_more, {"rate"}),
    "a restart with an increase": (where(ends, alpha=1e3), {"alpha"}),
    "a share after it": (where(ends, return_rate=1e6), {"return_rate"}),
    "fewer losses in all": (shifted(ends, "lost_total", -1), {"lost_total"}),
    "no losses in all": (where(loses, lost_total=0), {"lost_total"}),
    "a new path denied": (named_otherwise(meets, None), {"outcome", "length"}),
    "a new path called a longer one": (named_otherwise(meets, "longer_path"), {"outcome"}),
    "a new path with the old round trip": (round_trip_as_before, {"length"}),
    "without excessive loss": (tampering.left_out("excessive_loss"), {"outcome", "state"}),
}


@pytest.mark.parametrize(("tamper", "laws"), CASES.values(), ids=CASES)
def test_a_falsified_trace_fails(tmp_path: FilePath, tamper: Tamper, laws: set[str]) -> None:
    assert_refused(tmp_path, interrupted, tamper, laws)


@pytest.mark.parametrize(
    "spec", [DEFAULT, "hybrid", f"{DEFAULT},without=contention", "hybrid:growth=1,without=full_buffer"]
)
@pytest.mark.parametrize("outage", [(2.0, 2.2), (1.5, 2.5)])
@pytest.mark.parametrize(("loss", "jitter"), [(0.0, 0.0), (0.01, 0.003)])
def test_a_sender_whose_path_is_interrupted_passes(
    tmp_path: FilePath, spec: str, outage: tuple[float, float], loss: float, jitter: float
) -> None:
    path = Path(delay=0.01, buffer=20_000, outage=outage, longer=0.02, loss=loss, jitter=jitter)
    some = interrupted(path, spec)
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()
    assert any(ends(e, e) for e in epochs(some))
    assert any(meets(e, e) for e in epochs(some))


@pytest.mark.parametrize("stamps", ["true", "false"])
@pytest.mark.parametrize("more", [(), ("link.there.loss=1%",), ("link.there.aggregate=interval=6ms",)])
def test_connections_whose_path_is_interrupted_pass(tmp_path: FilePath, stamps: str, more: tuple[str, ...]) -> None:
    some = whole(f"flow.main.timestamps={stamps}", *more)
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()


@pytest.mark.parametrize("stamps", ["true", "false"])
def test_a_share_that_is_held_again_after_an_interruption_passes(tmp_path: FilePath, stamps: str) -> None:
    some = own_link(f"flow.main.timestamps={stamps}")
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()
    found = [e for e in epochs(some) if e["outcome"] in ("contended", "interrupted")]
    assert [e["outcome"] for e in found] == ["contended", "interrupted", "contended"]
    assert found[2]["held_rate"] == pytest.approx(found[0]["held_rate"])


def test_another_share_than_before_an_interruption_fails(tmp_path: FilePath) -> None:
    assert_refused(tmp_path, own_link, held_after_interruption, {"held_rate", "rate"})


def test_they_visit_what_the_checker_decides_on() -> None:
    choices: tuple[Choice, ...] = (ends, meets, restarts, loses)
    for some in (interrupted(), whole()):
        for choice in choices:
            assert any(choice(e, e) for e in epochs(some)), choice.__name__
