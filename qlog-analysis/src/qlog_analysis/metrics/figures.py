"""All figures of one trace. The README of qlog-analysis defines them, with units, sources and limits."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Any

from .ack_frequency import AckFrequency
from .application import ApplicationLimited
from .distribution import Distribution
from .fairness import Fairness
from .pacing import Pacing
from .reordering import Reordering

OF_DELAY = ("rtt_ms", "queueing_delay_ms", "queueing_delay_over_time_ms", "rtt_from")
OF_STREAMS = ("stream_bytes_sent", "stream_bytes_acked", "stream_bytes_received")
OF_LOSSES = ("packets_lost", "loss_percent", "spurious_losses", "losses_from")
BASIC = ("bytes_sent", "goodput_bps", "received_goodput_bps", *OF_DELAY, *OF_STREAMS, *OF_LOSSES)
"""Figures that `explain` and `report` show as well."""


@dataclass(frozen=True, slots=True)
class TraceMetrics:
    trace: str
    title: str
    controller: str
    vantage_point: str
    duration_s: float
    packets_sent: int
    bytes_sent: int | None
    packets_received: int
    packets_lost: int | None
    loss_percent: float | None
    spurious_losses: int | None
    """Packets that were declared lost and acknowledged afterwards."""
    losses_from: str | None
    """What tells of losses: a counter, events, or else the packet threshold of RFC 9002."""
    stream_bytes_sent: int | None
    """Distinct bytes of streams."""
    stream_bytes_acked: int | None
    stream_bytes_received: int | None
    goodput_bps: float | None
    """Distinct stream bytes acknowledged, from the first STREAM frame sent to the last ACK of one."""
    received_goodput_bps: float | None
    """Distinct stream bytes received, from the first to the last STREAM frame received."""
    rtt_from: str | None
    """What tells of round trips: ACK frames, or else what the sender says of them."""
    rtt_ms: Distribution
    queueing_delay_ms: Distribution
    """Per packet: ROWD of every sample against the minimum of the whole trace, like sizes compared."""
    queueing_delay_over_time_ms: Distribution
    """The same samples, each weighed by the time until the next, as a log of the queue would be."""
    relative_one_way_delay_ms: Distribution
    """ROWD of packets against the minimum of the whole trace, like sizes compared; without the return path if it is
    from receive timestamps."""
    relative_one_way_delay_from: str | None
    """Receive timestamps, or else ACK arrivals."""
    delivery_rate_bps: Distribution
    """Per ACK, bytes on the wire; without samples that are application-limited."""
    delivery_rate_application_limited_bps: Distribution
    """Of these samples."""
    reordering_received: Reordering | None
    """Of packets received."""
    reordering_by_acks: Reordering | None
    """Of packets sent, by the order in which ACKs acknowledge them."""
    acks_received: AckFrequency | None
    acks_batched_percent: float | None
    """Share of the ACKs received that came together with others."""
    acks_sent: AckFrequency | None
    application_limited: ApplicationLimited | None
    """By packets and ACKs."""
    application_limited_told: ApplicationLimited | None
    """By what the sender says of itself."""
    pacing: Pacing | None
    fairness: Fairness | None
    """Among several traces that were given together."""
    not_measured: dict[str, str]
    """Why fields are None, or have no samples. A field within another has its name behind a dot."""
    notes: list[str]
    """Oddities of the trace, and records that were not used."""
    other_events: dict[str, int]
    """Events that none of these figures is made of: how many of each name."""

    def beside(self, fairness: Fairness | str) -> TraceMetrics:
        """The same with the fairness among several traces, or why it is not known."""
        why = {name: reason for name, reason in self.not_measured.items() if name != "fairness"}
        if isinstance(fairness, str):
            return replace(self, fairness=None, not_measured=why | {"fairness": fairness})
        return replace(self, fairness=fairness, not_measured=why)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def by_reason(self, names: Collection[str] = BASIC) -> dict[str, list[str]]:
        """`not_measured` the other way round, of these figures."""
        fields: dict[str, list[str]] = {}
        for name, reason in self.not_measured.items():
            if name not in names:
                continue
            fields.setdefault(reason, []).append(name)
        return fields
