"""Simulated traces, made once per test run, and what tests do with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path as FilePath

import msgspec
import pytest

import tracewriter
from qlog_analysis.check.run import check
from qlog_analysis.check.verdict import Outcome
from qlog_analysis.load import load
from qlog_analysis.model import Trace
from qlog_analysis.zones.verdict import ZonesVerdict
from simulation import Path, simulate
from tracewriter import Json

PAPER = "hybrid:paper,amin=100kbps,amax=200kbps"
"""The paper's thresholds and decreases, with increases for paths that are faster than the paper's."""
DEFAULT = "hybrid:min_decrease=0.02,startup_gain=2,target_packets=3,drain_epochs=3,growth=1.4,growth_period=50ms"
"""Named here so that the default profile may be tuned."""

SLOW = Path(rate=1e6, delay=0.05, buffer=50_000)
FAST = Path()
LONG = Path(rate=3e7, delay=0.04, buffer=300_000)
"""Holds more packets than the trend test takes as they are."""

FOLLOWS_MS = 500.0

Tamper = Callable[[list[Json]], None]
Table = dict[str, tuple[Tamper, set[str]]]
"""What falsifies a trace, by what it claims, with the laws that refuse it at least."""


@lru_cache(maxsize=128)
def _simulated(path: Path, duration: float, spec: str, seed: int) -> bytes:
    return msgspec.msgpack.encode(simulate(path, duration, spec, seed))


def records(path: Path = FAST, duration: float = 4.0, spec: str = PAPER, seed: int = 1) -> list[Json]:
    """A fresh copy of a simulated trace, header first."""
    out: list[Json] = msgspec.msgpack.decode(_simulated(path, duration, spec, seed))
    return out


def trace_of(folder: FilePath, some: list[Json]) -> Trace:
    return load(tracewriter.write(folder / "trace.sqlog", some))


def verdict_of(folder: FilePath, some: list[Json]) -> ZonesVerdict:
    verdict = check(trace_of(folder, some))
    assert isinstance(verdict, ZonesVerdict)
    return verdict


def changed(some: list[Json], before: list[Json], tamper: Tamper) -> None:
    """Tampers with `some`, and sees that something became different from `before`, which is as it was."""
    tamper(some)
    assert some != before


def up_to_what_follows(some: list[Json], before: list[Json]) -> list[Json]:
    """Reports of epochs that were changed, with what comes until so much later: the rest says nothing more of them and
    takes time to judge. What else was changed, as parameters, may show anywhere."""
    if len(some) != len(before):
        return some
    changes = [record for record, was in zip(some, before, strict=True) if record != was]
    if {record.get("name") for record in changes} != {"cc:hybrid_epoch_updated"}:
        return some
    end = changes[-1]["time"] + FOLLOWS_MS
    return [some[0], *(record for record in some[1:] if record["time"] <= end)]


@lru_cache(maxsize=4)
def _before(make: Callable[[], list[Json]]) -> list[Json]:
    """What is compared with, and never changed."""
    return make()


def assert_refused(folder: FilePath, make: Callable[[], list[Json]], tamper: Tamper, laws: set[str]) -> None:
    """What `tamper` makes of a trace fails, by these laws at least."""
    some, before = make(), _before(make)
    changed(some, before, tamper)
    v = verdict_of(folder, up_to_what_follows(some, before))
    assert v.outcome is Outcome.FAIL
    assert laws <= {f.law for f in v.findings}, v.to_text()


def falsified(*tables: tuple[Callable[[], list[Json]], Table]) -> pytest.MarkDecorator:
    """A test for every line of these tables, each with what makes the trace."""
    cases = [
        pytest.param(make, tamper, laws, id=f"{make.__name__}: {name}")
        for make, table in tables
        for name, (tamper, laws) in table.items()
    ]
    return pytest.mark.parametrize(("make", "tamper", "laws"), cases)


def named(some: list[Json], name: str) -> list[Json]:
    """The events of that name."""
    return [r for r in some if r.get("name") == name]


def epochs(some: list[Json]) -> list[Json]:
    """The data of all epochs."""
    return [r["data"] for r in named(some, "cc:hybrid_epoch_updated")]


def acks(some: list[Json]) -> list[Json]:
    """Received packets of the application space that hold an ACK frame."""
    return [
        r
        for r in named(some, "quic:packet_received")
        if r["data"]["header"]["packet_type"] == "1RTT" and r["data"]["frames"][0]["frame_type"] == "ack"
    ]
