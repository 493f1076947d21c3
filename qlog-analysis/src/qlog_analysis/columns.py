"""What the records of a block say, as columns: the events that make up nearly all of a trace of quiche.

Everything that is not as usual is left to `Builder`, which takes records one by one: other events, records that cannot
be decoded, and those that say more than the columns hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Bytes, Floats, Ints

RTTS = ("latest_rtt", "smoothed_rtt", "min_rtt")
METRICS = ("congestion_window", "bytes_in_flight", "pacing_rate", *RTTS)
"""Columns of `Metrics`."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Events of one kind."""

    at: Ints
    """Their places in the block."""
    time: Floats
    """ms"""

    def between(self, first: int, end: int) -> slice:
        """Those of records at these places."""
        return slice(*np.searchsorted(self.at, (first, end)).tolist())


@dataclass(frozen=True, slots=True)
class Packets(Rows):
    """Packets of one direction, with their STREAM frames one after the other."""

    stream_frames: Ints
    """How many a packet has."""
    stream: Ints
    offset: Ints
    length: Ints


@dataclass(frozen=True, slots=True)
class Sent(Packets):
    space: Bytes
    number: Ints
    size: Ints
    ack_eliciting: Bytes
    probe: Bytes
    ack: Bytes


@dataclass(frozen=True, slots=True)
class Received(Packets):
    space: Bytes
    number: Ints
    size: Ints
    """0 if it is not told."""


@dataclass(frozen=True, slots=True)
class Acks(Rows):
    """ACK frames received, one in a packet."""

    space: Bytes
    ack_delay: Floats
    """As the frame has it."""
    ranges: Ints
    """How many."""
    low: Ints
    high: Ints
    ect: Ints
    """Count of ECT (0 and 1)."""
    ce: Ints
    """-1 if the frame has no counts."""
    told: Ints
    """How many receive timestamps it has."""
    told_number: Ints
    """Packets of these."""
    told_time: Ints
    """us"""


@dataclass(frozen=True, slots=True)
class Metrics(Rows):
    """NaN is what did not change, and so is not there."""

    congestion_window: Floats
    bytes_in_flight: Floats
    pacing_rate: Floats
    latest_rtt: Floats
    smoothed_rtt: Floats
    min_rtt: Floats


@dataclass(frozen=True, slots=True)
class Written(Rows):
    """What the application gave the transport."""

    stream: Ints
    end: Ints


@dataclass(frozen=True, slots=True)
class Columns:
    sent: Sent
    received: Received
    acks: Acks
    metrics: Metrics
    written: Written
    finished: list[tuple[int, int]]
    """Places of packets that end a stream, and which."""
    apart: list[int]
    """Places of records that bear on none of the columns."""
    single: list[int]
    """Places of records that may bear on packets after them, and are no rows here."""
    end: float
    """The latest time, ms."""


def forward_filled(values: Floats, before: float) -> Floats:
    """With the value before it in place of each that is NaN."""
    newest = np.maximum.accumulate(np.where(np.isnan(values), -1, np.arange(len(values))))
    return np.where(newest >= 0, values[newest], before)
