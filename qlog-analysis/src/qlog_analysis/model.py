"""A trace in memory: what was sent, what came back, and what the controller said.

Columns are packed, because a minute at 100 Mbit/s is half a million packets. Times are seconds since the
trace began; trace times are truncated to 1 us (`TIME_RESOLUTION`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from . import events, wire
from .arrays import Floats
from .dialect.writers import QUICHE, Writer
from .feedback import NEVER, Feedback, Feedbacks, Space
from .packed import Column, floats, ints, opened, pack, part, parts

__all__ = ["NEVER", "Feedback", "Feedbacks", "Space"]
"""Of what is imported here, what is a part of the model."""

TIME_RESOLUTION = 1e-6
NO_SPACE = 255
"""Of packets without a number, as Retry."""

SPACE_OF_PACKET_TYPE = {
    "initial": Space.INITIAL,
    "handshake": Space.HANDSHAKE,
    "0RTT": Space.APPLICATION,
    "1RTT": Space.APPLICATION,
}


class LossesFrom(str, Enum):
    """Where it is known from what was lost; the values stand in the JSON of metrics."""

    COUNTER = "counter of quiche"
    EVENTS = "events packet_lost"
    THRESHOLD = "packet threshold of RFC 9002"


@dataclass(slots=True)
class StreamFrames:
    """STREAM frames in order of appearance."""

    stream: Column[int] = field(default_factory=ints)
    offset: Column[int] = field(default_factory=ints)
    length: Column[int] = field(default_factory=ints)
    time: Column[float] = field(default_factory=floats)

    def __len__(self) -> int:
        return len(self.stream)

    def append(self, stream: int, offset: int, length: int, time: float) -> None:
        self.stream.append(stream)
        self.offset.append(offset)
        self.length.append(length)
        self.time.append(time)


@dataclass(slots=True)
class Written:
    """What the application gave the transport to send: up to which byte of a stream, and when."""

    record: Column[int] = field(default_factory=ints)
    time: Column[float] = field(default_factory=floats)
    stream: Column[int] = field(default_factory=ints)
    end: Column[int] = field(default_factory=ints)

    def __len__(self) -> int:
        return len(self.record)


@dataclass(slots=True)
class SentPackets:
    """Sent packets in the order of the trace; index = position."""

    record: Column[int] = field(default_factory=ints)
    time: Column[float] = field(default_factory=floats)
    space: bytearray = field(default_factory=bytearray)
    number: Column[int] = field(default_factory=ints)
    size: Column[int] = field(default_factory=ints)
    ack_eliciting: bytearray = field(default_factory=bytearray)
    probe: bytearray = field(default_factory=bytearray)
    """Path MTU probes: only PING and PADDING. Their loss says nothing about congestion and is not counted."""
    ack: bytearray = field(default_factory=bytearray)
    """Whether it has an ACK frame."""
    first_frame: Column[int] = field(default_factory=ints)
    """Index of the packet's first STREAM frame in `frames`; they end where the next packet's begin."""
    frames: StreamFrames = field(default_factory=StreamFrames)

    def __len__(self) -> int:
        return len(self.time)

    def frames_of(self, packet: int) -> range:
        end = self.first_frame[packet + 1] if packet + 1 < len(self.first_frame) else len(self.frames)
        return range(self.first_frame[packet], end)


@dataclass(frozen=True, slots=True)
class Miscount:
    """A count of losses that packets do not allow."""

    record: int
    time: float
    counted: int
    outstanding: int

    def __str__(self) -> str:
        return f"{self.counted} packets were counted as lost, but only {self.outstanding} were outstanding"


@dataclass(frozen=True, slots=True)
class Signal:
    """A frame about the connection itself: flow control, paths, the end of the handshake, the close."""

    record: int
    time: float
    kind: str
    """qlog's `frame_type`, one of `SIGNALS`."""
    sent: bool
    stream: int | None = None
    limit: int | None = None
    """Bytes, of flow control."""
    reason: str | None = None
    """Of a close, as the trace has it."""


SIGNALS = frozenset(
    {
        "max_data",
        "max_stream_data",
        "data_blocked",
        "stream_data_blocked",
        "path_challenge",
        "path_response",
        "handshake_done",
        "connection_close",
    }
)


@dataclass(frozen=True, slots=True)
class FirstLimits:
    """What the peer allowed before its first MAX_DATA and MAX_STREAM_DATA (RFC 9000 section 18.2), bytes."""

    data: int
    bidi_local: int
    """Per stream that the peer opened."""
    bidi_remote: int
    """Per stream that this side opened."""
    uni: int


@dataclass(slots=True)
class Metrics:
    """`quic:recovery_metrics_updated`, carried forward; NaN where nothing was said yet."""

    record: Column[int] = field(default_factory=ints)
    time: Column[float] = field(default_factory=floats)
    congestion_window: Column[float] = field(default_factory=floats)
    bytes_in_flight: Column[float] = field(default_factory=floats)
    pacing_rate: Column[float] = field(default_factory=floats)
    """bit/s (quiche writes bytes/s)."""
    latest_rtt: Column[float] = field(default_factory=floats)
    smoothed_rtt: Column[float] = field(default_factory=floats)
    min_rtt: Column[float] = field(default_factory=floats)
    lost_packets: Column[float] = field(default_factory=floats)

    def __len__(self) -> int:
        return len(self.time)

    def row_before(self, record: int) -> int:
        """That stood before a record; -1 if nothing was said yet."""
        return self.record.left(record) - 1


@dataclass(frozen=True, slots=True)
class State:
    """`quic:congestion_state_updated`"""

    record: int
    time: float
    name: str


@dataclass(frozen=True, slots=True)
class ParametersEvent:
    record: int
    time: float
    data: events.ControllerParameters
    parameters: Any
    """The decoded map, one of `events.PARAMETERS`; None if the controller is unknown."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Update(Generic[T]):
    """What a controller said of one of its updates."""

    record: int
    time: float
    data: T
    """One of `events.UPDATES`."""


@dataclass(slots=True)
class Trace:
    path: Path
    header: wire.Header
    writer: Writer = QUICHE
    connection: str | None = None
    """Of several in the file, as it was asked for; its number if that was how a name begins with digits alone."""
    native: bool = True
    """As quiche 0.30 writes it: what cannot be said of a conversion or of another writer can be checked."""
    sent: SentPackets = field(default_factory=SentPackets)
    acked: Column[int] = field(default_factory=ints)
    """Newly acknowledged packets, in order of acknowledgement."""
    feedback: Feedbacks = field(default_factory=Feedbacks)
    metrics: Metrics = field(default_factory=Metrics)
    states: list[State] = field(default_factory=list)
    parameters: list[ParametersEvent] = field(default_factory=list)
    chosen: list[events.ControllerChosen] = field(default_factory=list)
    """By the rules of a server, the last one counts; none if it has no rules."""
    updates: list[Update[Any]] = field(default_factory=list)
    ecn_states: list[tuple[int, str]] = field(default_factory=list)
    """`quic:ecn_state_updated`: record and new state."""
    estimates: list[Update[events.Estimate]] = field(default_factory=list)
    received: StreamFrames = field(default_factory=StreamFrames)
    received_packets: int = 0
    received_at: Column[float] = field(default_factory=floats)
    """When packets came, whatever was in them."""
    received_space: bytearray = field(default_factory=bytearray)
    """Of each of these; `NO_SPACE` for packets that have no number."""
    received_number: Column[int] = field(default_factory=ints)
    received_size: Column[int] = field(default_factory=ints)
    """Bytes; 0 if the trace does not tell."""
    signals: list[Signal] = field(default_factory=list)
    first_limits: FirstLimits | None = None
    """None if the trace does not have the peer's transport parameters."""
    finished: set[int] = field(default_factory=set)
    """Streams whose end was sent."""
    written: Written = field(default_factory=Written)
    abandoned: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Streams that were reset here or that the peer asked to stop, and record and time of what says so."""
    came_late: list[int] = field(default_factory=list)
    """Packets (positions in `sent`) that were declared lost and acknowledged afterwards."""
    came_late_at: Column[float] = field(default_factory=floats)
    """When the ACK of each of these came."""
    spurious_losses: int = 0
    miscounted: list[Miscount] = field(default_factory=list)
    losses_from: LossesFrom | None = None
    """None if no loss was told."""
    sizes_known: bool = True
    """Whether every packet sent has a size."""
    frames_known: bool = False
    """Whether any packet has frames; some writers leave them out."""
    ack_frames: int = 0
    """Received."""
    reference: float | None = None
    """Unix time of time 0, in s, if the trace says it."""
    peer_max_ack_delay: float = 0.025
    """s; RFC 9000 section 18.2 has 25 ms where the peer says nothing."""
    ack_delay_exponent: int = 3
    """The peer's (RFC 9000 section 18.2)."""
    peer_max_udp_payload_size: int | None = None
    """Bytes."""
    notes: list[str] = field(default_factory=list)
    """What a reader should know: oddities that do not keep the trace from being used."""
    unused: list[str] = field(default_factory=list)
    """Of the notes, those about records that were not used."""
    unused_records: set[int] = field(default_factory=set)
    """Their numbers."""
    others: dict[str, int] = field(default_factory=dict)
    """Events that nothing is made of, by name: how many."""
    records: int = 0
    end: float = 0.0
    """Time of the last event."""

    @property
    def vantage_point(self) -> str:
        point = self.header.trace.vantage_point
        return "unknown" if point is None else point.type

    @property
    def losses_known(self) -> bool:
        """Whether it is known what was lost, also if nothing was: by ACKs, or where packets have no frames by what the
        sender says."""
        return bool(self.ack_frames) or (
            not self.frames_known and (self.losses_from is LossesFrom.EVENTS or self.writer.tells_losses)
        )

    @property
    def title(self) -> str:
        return self.header.trace.title or self.header.title or self.path.name

    @property
    def controller(self) -> str | None:
        """The controller that writes events of its own, if one does; the one that a server's rule put in the place of
        another."""
        return self.parameters[-1 if self.chosen else 0].data.controller if self.parameters else None

    @property
    def first_window(self) -> float:
        """The congestion window before any feedback, bytes; NaN if the trace does not say."""
        return next((w for w in self.metrics.congestion_window if not math.isnan(w)), math.nan)

    def pack(self) -> None:
        """What was added since the last time."""
        pack(self)

    def opened(self) -> Trace:
        """The same, with the columns that equations of controllers look at packet by packet as arrays."""
        sent = replace(self.sent, time=opened(self.sent.time), size=opened(self.sent.size))
        return replace(self, sent=sent, acked=opened(self.acked))

    def acked_at(self) -> Floats:
        """Of each packet sent, when the ACK came; NaN if none did."""
        out = np.full(len(self.sent), np.nan)
        begin = 0
        for ends, time in zip(parts(self.feedback.acked_end), parts(self.feedback.time), strict=True):
            out[part(self.acked, begin, int(ends[-1]))] = np.repeat(time, np.diff(ends, prepend=begin))
            begin = int(ends[-1])
        return out

    def acked_by(self, f: Feedback) -> Sequence[int]:
        """The packets that a feedback newly acknowledges."""
        return self.acked[f.acked.start : f.acked.stop]

    def ecn_works(self, before: int) -> bool:
        """Whether quiche took the peer's ECN counts for right until a record."""
        return all(name != "failed" for record, name in self.ecn_states if record < before)

    def updates_of(self, kind: type[T]) -> list[Update[T]]:
        """The updates of one kind of controller."""
        return [u for u in self.updates if isinstance(u.data, kind)]

    @property
    def controller_label(self) -> str:
        """For people: the name that the trace gives its controller."""
        nobody = "unknown controller" if self.writer is QUICHE else f"unknown controller of {self.writer.name}"
        return self.controller_name or nobody

    @property
    def controller_name(self) -> str | None:
        """What a server's rules have chosen, or the option string, or else what the description of the trace says."""
        if self.chosen:
            return self.chosen[-1].spec
        if self.parameters:
            return self.parameters[0].data.spec
        _, _, name = (self.header.trace.description or "").partition("congestion controller ")
        # After it stand cc-lab's run, that cc-server has rules, and what an export for qvis leaves out.
        return re.split(r", run |, unless | \(", name, maxsplit=1)[0] or None
