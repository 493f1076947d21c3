"""The rate that the path has been found to carry: an honest trace passes, and what is told wrongly of it fails."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path as FilePath

import pytest

import tampering_additions as t
import tampering_carried as c
from qlog_analysis.check.verdict import Outcome
from simulation import Path
from traces import DEFAULT, Table, Tamper, assert_refused, epochs, records, verdict_of
from tracewriter import Json

SHORT = Path(rate=8e6, delay=0.02, buffer=3_000)
"""What is sent beyond the link is lost before a queue is long."""


def short() -> list[Json]:
    return records(SHORT, 4.0, DEFAULT)


FALSIFIED: Table = {
    "a higher rate found": (t.scaled(t.raises, 1.001, "carried_rate"), {"carried_rate"}),
    "a lower rate found": (t.scaled(t.raises, 0.999, "carried_rate"), {"carried_rate"}),
    "none found": (t.where(t.raises, carried_rate=0.0), {"carried_rate"}),
    "found while it is tried": (t.where(c.is_beyond, carried_rate=1e9), {"carried_rate"}),
    "B learnt while R is beyond": (c.taught_by_losses_beyond, {"background_loss", "background_lost"}),
    "an increase with unusual losses": (c.increased_with_unusual_losses, {"alpha", "rate"}),
    "excessive losses beyond ignored": (c.losses_beyond_ignored, {"excessive_loss"}),
}


def test_an_untouched_trace_passes_and_tries_what_is_beyond(tmp_path: FilePath) -> None:
    some = short()
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()
    for choice in (c.is_beyond, c.would_teach, c.loses_more_than_usual, c.loses_beyond):
        assert t.chosen(some, choice), choice.__name__


def test_losses_beyond_teach_nothing_of_those_without_a_queue() -> None:
    for before, e in pairwise(epochs(short())):
        if c.would_teach(e, before):
            assert e["background_loss"] == before["background_loss"]
            assert e["background_packets"] == before["background_packets"]


def test_time_with_unusual_losses_does_not_count() -> None:
    some = epochs(short())
    lost = [(e, after) for e, after in pairwise(some) if e["alpha"] == 0.0 and e["rate_tried"]]
    assert lost
    assert all(after["since_decrease"] == e["since_decrease"] for e, after in lost)


@pytest.mark.parametrize(("tamper", "laws"), FALSIFIED.values(), ids=FALSIFIED.keys())
def test_a_falsified_trace_fails(tmp_path: FilePath, tamper: Tamper, laws: set[str]) -> None:
    assert_refused(tmp_path, short, tamper, laws)
