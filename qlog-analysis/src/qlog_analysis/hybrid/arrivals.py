"""What came back in an epoch: "Delivery rate" and "Packet trains" in docs/papers/hybrid-measuring.md."""

from __future__ import annotations

from dataclasses import dataclass, field

from .batch import Batch
from .trains import Trains


@dataclass(slots=True)
class Arrivals:
    """Batches of ACKs go over to the epoch that begins amid them."""

    _acked: int = 0
    """Bytes."""
    _batch: Batch = field(default_factory=Batch)
    _began_amid: tuple[int, int] = (0, 0)
    """What of a batch came before the epoch began, bytes: at least and at most."""
    trains: Trains = field(default_factory=Trains)
    _rate: tuple[float, float] = (0.0, 0.0)

    def tell_rate(self, low: float, high: float) -> None:
        """R lies between these until something else is told, bit/s."""
        self._rate = (low, high)

    def record(self, came: float, left: float, acked: int, lengths: tuple[float, ...], packet_bytes: int) -> None:
        """An ACK that came then acknowledges so many bytes; its newest packet left then, and L is one of `lengths`,
        s."""
        self._acked += acked
        self._batch.record(came, left, acked)
        self.trains.record(came, left, acked, self._rate, (lengths, packet_bytes))

    def take_bits(self, *, ends_with_ack: bool) -> tuple[float, float]:
        """At the end of an epoch: what came back in it, at least and at most."""
        (least, most), acked = self._began_amid, self._acked
        self._began_amid, self._acked = self._batch.cut(acks=ends_with_ack), 0
        return 8.0 * max(acked + least - self._began_amid[1], 0), 8.0 * max(acked + most - self._began_amid[0], 0)
