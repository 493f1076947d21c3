"""What is taken from the packets and ACKs of one epoch."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..measure.sliding import Source
from ..model import TIME_RESOLUTION, Feedback
from .parameters import Parameters
from .startup import GrowingRate
from .tally import Tally

DELTA_TOLERANCE = 5 * TIME_RESOLUTION
"""Each OWD is the difference of two times truncated to 1 us, and so is its minimum."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What `cc:parameters_set` says besides the parameters."""

    parameters: Parameters
    max_datagram_size: int
    initial_window: int
    """Packets."""
    max_ack_delay: float


@dataclass(frozen=True, slots=True)
class Step:
    """The state after one feedback."""

    feedback: Feedback
    lengths: tuple[float, ...]
    """Values that L may have."""
    transmission: float
    """T as it counts, s."""
    in_flight: int
    """Bytes of ack-eliciting packets of the application space that are neither acknowledged nor lost."""
    in_flight_before: int
    """The same before it."""
    rates: tuple[float, float] | None
    """R in start-up, before what the end of an epoch does to it; None where it is that of the epoch before."""


@dataclass(slots=True)
class Measured:
    """One epoch as packets and ACKs show it."""

    start: float
    end: float
    end_record: int
    on_feedback: bool
    """Whether the epoch ended at a feedback event."""
    overdue: float | None
    """Time of an earlier feedback that should have ended the epoch."""
    limits: Limits
    lengths: tuple[float, ...]
    """Values that L may have at the end; more than one only where rounding decides what has been forgotten."""
    source: Source
    rowds: list[list[float]]
    """ROWDs of the samples that count, in order of arrival; one list per entry of `lengths`."""
    means: list[float]
    """Their means."""
    deltas: list[float]
    """What delta may be; nothing without samples."""
    lost: tuple[int, int]
    """Losses that count: at least and at most (packets that are not ack-eliciting are in the latter only)."""
    loss_reports: tuple[int, int]
    """Feedbacks that told of them, likewise."""
    lost_in_all: tuple[int, int]
    """The same of all losses of the application space, whether they count or not."""
    acked: int
    """Packets newly acknowledged in the application space."""
    acked_bits: float
    sent_bits: float
    skews: list[float | None]
    """By how much the peer's clock may be taken to be fast, ppm; nothing where minima do not follow it."""
    transmission: float
    """T, s."""
    believed: float
    """T as it counts in the laws, s."""
    believed_next: float
    """The same once the epoch is over, when its source may have been given up."""
    return_delay: float
    """Queueing of the return path, before rounding."""
    first_length: float | None
    """L at the first feedback, in the first epoch only."""
    longest: list[float]
    """The longest queue of late, s; one per entry of `lengths`."""
    queues: set[bool] = field(default_factory=lambda: {False})
    """Whether start-up has met a queue for long enough."""
    fills: set[bool] = field(default_factory=lambda: {False})
    """Whether start-up has come to what the slowest link carries."""
    overlaps: set[bool] = field(default_factory=lambda: {False})
    """Whether its end acknowledges a packet that was sent before it began, as far as rounding leaves that open."""
    shows_decrease: bool = False
    """Whether its end acknowledges the first packet sent after a decrease."""
    blackout: set[bool] = field(default_factory=lambda: {False})
    """Whether it showed persistent congestion (RFC 9002, section 7.6), as far as rounding leaves that open."""
    growing: GrowingRate | None = None
    """R at the end of an epoch of start-up, before the update."""
    steps: list[Step] = field(default_factory=list)
    tallies: dict[Source, Tally] = field(default_factory=dict)

    def least(self, source: Source) -> list[float]:
        """What the delay under the jitter may be by a source, s; nothing without samples."""
        return self.tallies[source].least()
