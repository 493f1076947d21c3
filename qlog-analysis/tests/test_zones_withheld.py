"""Start-up that does not raise R has a reason, or is refused."""

from __future__ import annotations

from pathlib import Path as FilePath

from hybrid_sender import HybridSender
from qlog_analysis.hybrid import spec as option_string
from simulation import PACKET, Path, Simulation
from traces import epochs, named, verdict_of
from tracewriter import Json

MUCH = 1 << 40
FAST = Path(rate=5e7, delay=0.03, buffer=400_000)
SECONDS = 0.8


class Still(HybridSender):
    """What comes back does not raise R, whatever waits."""

    def _grow(self, now: float, acked_bytes: int, above: float | None) -> None:
        super()._grow(now, 0 * acked_bytes, above)


def traced(kind: type[HybridSender], path: Path = FAST, written: int | None = MUCH) -> list[Json]:
    """The trace of a sender whose application has written so many bytes at once, which the peer allows."""
    simulation = Simulation(path)
    simulation.cc = kind(option_string.parse("hybrid"), "hybrid", PACKET)
    some = simulation.run(SECONDS)
    remote = named(some, "quic:parameters_set")[1]
    limits = ("data", "stream_data_bidi_local", "stream_data_bidi_remote", "stream_data_uni")
    remote["data"].update({f"initial_max_{limit}": MUCH for limit in limits})
    if written is not None:
        moved = {"stream_id": 0, "offset": 0, "raw": {"length": written}, "from": "application", "to": "transport"}
        some.insert(some.index(remote) + 1, {"time": remote["time"], "name": "quic:stream_data_moved", "data": moved})
    return some


def told(folder: FilePath, some: list[Json]) -> set[str]:
    return {f.message for f in verdict_of(folder, some).findings}


def test_start_up_that_does_not_raise_the_rate_while_data_waits_is_refused(tmp_path: FilePath) -> None:
    some = traced(Still)
    assert not any(e["app_limited"] for e in epochs(some))
    why = "an ACK did not raise R, but data waited all the time, and R was not far beyond its use"
    assert told(tmp_path, some) == {why}


def test_start_up_that_raises_it_passes(tmp_path: FilePath) -> None:
    assert told(tmp_path, traced(HybridSender)) == set()


def test_an_application_that_has_no_data_may_be_the_reason(tmp_path: FilePath) -> None:
    some = traced(Still, written=40 * PACKET)
    assert told(tmp_path, some) == set()


def test_nothing_is_said_where_it_is_not_known_what_waits(tmp_path: FilePath) -> None:
    assert told(tmp_path, traced(Still, written=None)) == set()
