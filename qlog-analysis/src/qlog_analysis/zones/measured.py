"""What is taken from the packets and ACKs of one epoch."""

from __future__ import annotations

from dataclasses import dataclass

from ..measure.sliding import Source
from ..model import TIME_RESOLUTION, Feedback

DELTA_TOLERANCE = 5 * TIME_RESOLUTION
"""Each OWD is the difference of two times truncated to 1 us, and so is its minimum."""

HANDSHAKE_EPOCHS = 5
"""Epochs after which nothing of the handshake is in flight any more."""


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
    blackout: set[bool]
    """Whether it showed persistent congestion (RFC 9002, section 7.6), as far as rounding leaves that open."""

    @property
    def duration(self) -> float:
        return self.end - self.start
