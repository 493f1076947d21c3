"""What is taken from the packets and ACKs of one epoch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..check.numbers import TIME_TOLERANCE
from ..measure.sliding import Source
from ..model import TIME_RESOLUTION, Feedback
from . import rate as rates

DELTA_TOLERANCE = 5 * TIME_RESOLUTION
"""Each OWD is the difference of two times truncated to 1 us, and so is its minimum."""

HANDSHAKE_EPOCHS = 5
"""Epochs after which nothing of the handshake is in flight any more."""
GROWN_SHARE = 0.5
"""Of R: so much of it was there on average of an epoch of start-up, in which it grows up to about twice."""


def surely_unused(rate: float, duration: float) -> float:
    """With fewer bits sent in so many seconds, whatever the rounding, R was not used."""
    return 0.8 * rate * (duration - TIME_TOLERANCE)


@dataclass(slots=True)
class Step:
    """The state after one feedback."""

    feedback: Feedback
    lengths: tuple[float, ...]
    """Values that L may have."""
    in_flight: int
    """Bytes of ack-eliciting packets of the application space that are neither acknowledged nor lost."""
    in_flight_before: int
    """The same before it."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What the first epoch starts from."""

    initial_window: int
    """Packets."""
    blackout: set[bool]
    """Whether the handshake showed persistent congestion, as far as rounding leaves that open."""

    def rates(self, length: float, packet_bytes: int, given: float | None) -> list[float]:
        """What R may be if L is this, s, and `initial_rate` may be given, bit/s."""
        rate = rates.initial_rate(self.initial_window, packet_bytes, length, given)
        return [rates.restarted(rate, length, packet_bytes) if less else rate for less in self.blackout]

    def around(self, lengths: Iterable[float], packet_bytes: int, given: float | None) -> list[float]:
        """The same for lengths with the error of times."""
        ends = [max(x + shift, 1e-9) for x in lengths for shift in (-TIME_TOLERANCE, TIME_TOLERANCE)]
        return [rate for x in ends for rate in self.rates(x, packet_bytes, given)]


@dataclass(slots=True)
class Shown:
    """One epoch as packets and ACKs show it."""

    start: float
    end: float
    on_feedback: bool
    """Whether the epoch ended at a feedback event."""
    overdue: float | None
    """Time of an earlier feedback that should have ended the epoch."""
    max_datagram_size: int
    lengths: tuple[float, ...]
    """Values that L may have at the end; more than one only where rounding decides what has been forgotten."""
    source: Source
    samples: int
    """Samples that count."""
    deltas: list[float]
    """What delta may be; nothing without samples."""
    lost: tuple[int, int]
    """Losses that count: at least and at most (packets that are not ack-eliciting are in the latter only)."""
    lost_total: tuple[int, int]
    """The same of all losses of the application space, whether they count or not."""
    acked: int
    """Packets newly acknowledged in the application space."""
    sent_bits: float
    return_delay: float
    """Queueing of the return path, before rounding."""
    first_length: float | None
    """L at the first feedback, in the first epoch only."""
    beginning: Beginning
    blackout: set[bool]
    """Whether it showed persistent congestion (RFC 9002, section 7.6), as far as rounding leaves that open."""

    @property
    def duration(self) -> float:
        return self.end - self.start
