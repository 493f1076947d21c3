"""Start-up that does not raise R has a reason, or is refused."""

from __future__ import annotations

from pathlib import Path as FilePath

from hybrid_sender import HybridSender
from qlog_analysis.hybrid import spec as option_string
from qlog_analysis.zones.measured import HANDSHAKE_EPOCHS
from simulation import PACKET, Path, Simulation
from traces import epochs, named, verdict_of
from tracewriter import Json

MUCH = 1 << 40
WITHHELD = "an ACK did not raise R, but data waited all the time, and R was not far beyond its use"
FAST = Path(rate=5e7, delay=0.03, buffer=400_000)
LONG = Path(rate=3e8, delay=0.03, buffer=3_000_000)
"""Start-up has more epochs than the handshake."""
SECONDS = 0.8


class Still(HybridSender):
    """What comes back does not raise R, whatever waits."""

    def _grow(self, now: float, acked_bytes: int, above: float | None) -> None:
        super()._grow(now, 0 * acked_bytes, above)


class StillAtFirst(HybridSender):
    """The same in the first epoch, which begins with the first ACK."""

    def _grow(self, now: float, acked_bytes: int, above: float | None) -> None:
        super()._grow(now, (self._epoch > 0) * acked_bytes, above)


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
    assert told(tmp_path, some) == {WITHHELD}


def test_start_up_that_raises_it_passes(tmp_path: FilePath) -> None:
    assert told(tmp_path, traced(HybridSender)) == set()


def test_an_application_that_has_no_data_may_be_the_reason(tmp_path: FilePath) -> None:
    some = traced(Still, written=2 * PACKET)  # what leaves before the first ACK
    assert told(tmp_path, some) == set()


def test_nothing_is_said_where_it_is_not_known_what_waits(tmp_path: FilePath) -> None:
    assert told(tmp_path, traced(Still, written=None)) == set()


def test_start_up_that_does_not_raise_it_in_the_first_epoch_is_refused(tmp_path: FilePath) -> None:
    assert told(tmp_path, traced(StillAtFirst)) == {WITHHELD}


def test_what_data_does_after_the_ack_is_no_reason(tmp_path: FilePath) -> None:
    """It waits until some time after the first ACK that does not raise the rate."""
    some = traced(StillAtFirst, written=24 * PACKET)
    assert told(tmp_path, some) == {WITHHELD}


class Heedless(HybridSender):
    """Grows whether the application limits or not."""

    def _grow(self, now: float, acked_bytes: int, above: float | None) -> None:
        limited, self.app_limited = self.app_limited, False
        super()._grow(now, acked_bytes, above)
        self.app_limited = limited


def test_start_up_that_goes_on_although_the_rate_is_not_used_is_refused(tmp_path: FilePath) -> None:
    source = Path(rate=5e7, delay=0.03, buffer=400_000, app_rate=1e6)
    assert "an ACK raised R, which was far beyond its use" in told(tmp_path, traced(Heedless, source, written=None))


def test_start_up_that_goes_on_after_a_packet_without_data_is_refused(tmp_path: FilePath) -> None:
    def refused(written: int) -> bool:
        some = traced(HybridSender, LONG, written=written)
        after = next(e["epoch"] for e in epochs(some) if e["epoch"] >= HANDSHAKE_EPOCHS and e["state"] == "startup")
        began = next(i for i, r in enumerate(some) if r.get("data", {}).get("epoch") == after - 1)
        sent = next(r for r in some[began:] if r.get("name") == "quic:packet_sent")
        sent["data"]["frames"] = [{"frame_type": "ping"}]
        return "an ACK raised R, but a packet without data had left when none waited" in told(tmp_path, some)

    assert refused(written=0)
    assert not refused(written=MUCH)
