"""Typed views of the events that controllers write: the namespace `cc` of docs/qlog.md, field by field."""

from __future__ import annotations

from typing import Annotated

import msgspec

from .wire import Uint

LARGEST = 1e18
"""Of a number in a report, in its unit. No honest one comes near it: a rate that was computed from 10 MB within a
nanosecond is a tenth of it. What is computed from numbers up to it stays finite: of an infinite product there is no
whole number, and round() and ceil() raise."""
SMALLEST = 1e-6
"""That is not 0: controllers write six digits after the point. Of less, a division may leave 0 to divide by."""
NonNegative = Annotated[float, msgspec.Meta(ge=0.0, le=LARGEST)]
"""That of `wire` may be larger: other writers have values such as 2^64 - 1 there."""
Signed = Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]


class ControllerChosen(msgspec.Struct):
    """`cc:controller_chosen`: which rule of a server chose the controller."""

    spec: str
    rule: str | None = None
    server_name: str | None = None


class ControllerParameters(msgspec.Struct):
    """`cc:parameters_set`"""

    controller: str
    spec: str
    max_datagram_size: Annotated[int, msgspec.Meta(ge=1, le=65535)]
    initial_window: Uint
    max_ack_delay: NonNegative
    parameters: msgspec.Raw


class HybridParameters(msgspec.Struct):
    """The map `parameters` of the controller `hybrid`."""

    target_delay: NonNegative | str
    target_packets: NonNegative
    initial_rate: NonNegative | str
    base_delay_window: NonNegative
    growth: NonNegative
    growth_period: NonNegative
    drain_epochs: NonNegative
    min_decrease: NonNegative
    startup_gain: NonNegative
    without: str


class PaperParameters(msgspec.Struct):
    """The same of `hybrid:paper`."""

    amin: NonNegative
    amax: NonNegative
    bmin: NonNegative
    bmid: NonNegative
    bmax: NonNegative
    d0: NonNegative
    d1: NonNegative
    d2: NonNegative
    d3: NonNegative
    gamma: NonNegative
    base_delay_window: NonNegative
    initial_rate: NonNegative | str


class ZoneEpoch(msgspec.Struct):
    """`cc:hybrid_epoch_updated`: what both profiles write."""

    epoch: Uint
    duration: NonNegative
    length: NonNegative
    source: str
    samples: Uint
    lost: Uint
    lost_total: Uint
    acked: Uint
    delta: Signed | None
    d0: NonNegative
    d1: NonNegative
    d2: NonNegative
    d3: NonNegative
    zone: Annotated[int, msgspec.Meta(ge=1, le=3)] | None
    app_limited: bool
    alpha: NonNegative | None
    beta: NonNegative | None
    rate_before: NonNegative
    rate_after: NonNegative
    outcome: str | None
    window: Uint

    @property
    def has_length(self) -> bool:
        """Whether it can be divided by."""
        return self.length >= SMALLEST


class HybridEpoch(ZoneEpoch):
    """The same of the default profile."""

    loss_reports: Uint
    delivery_rate: NonNegative
    train_rate: NonNegative | None
    rate_tried: bool
    transmission_time: NonNegative
    skew: Signed | None
    jitter: NonNegative
    ack_jitter: NonNegative
    ack_gap: NonNegative
    background_loss: NonNegative
    background_lost: Uint
    background_packets: Uint
    full: NonNegative
    excessive_loss: bool
    stalled: bool
    variability: NonNegative
    state: str
    since_decrease: NonNegative
    carried_rate: NonNegative
    return_rate: NonNegative | None
    competing_queue: NonNegative
    held_rate: NonNegative | None
    return_delay: NonNegative

    @property
    def is_beyond(self) -> bool:
        """Whether R was more than the path had been found to carry."""
        return self.rate_before > self.carried_rate

    @property
    def by_trains(self) -> float:
        """D, bit/s; 0 where no train showed a rate."""
        return self.train_rate or 0.0


class PaperEpoch(ZoneEpoch):
    """The same of `hybrid:paper`."""

    trend: str


class Estimate(msgspec.Struct):
    """`cc:estimate_updated`: what a source may count on."""

    target: NonNegative | None
    least: NonNegative | None
    most: NonNegative | None
    queueing_delay: NonNegative | None
    state: str | None
    evidence_age: NonNegative | None


class SmallqParameters(msgspec.Struct):
    """The map `parameters` of the controller `smallq`."""

    ect: str | int
    pacing: NonNegative
    ssthresh: NonNegative | None


class SmallqUpdate(msgspec.Struct):
    """`cc:smallq_updated`"""

    update: Uint
    acked: Uint
    counted: Uint
    ect: Uint
    ce: Uint
    marks: Uint
    lost: Uint
    reaction: str | None
    used: Uint
    ecn: str
    phase: str
    window_before: NonNegative
    window_after: NonNegative
    ssthresh: NonNegative | None
    window: Uint
    srtt: NonNegative


class VegasParameters(msgspec.Struct):
    """The map `parameters` of the controller `vegas`."""

    alpha: NonNegative
    beta: NonNegative
    gamma: NonNegative
    slowstart: str
    rtt: str
    basewin: NonNegative
    pacing: NonNegative
    ssthresh: NonNegative | None


class VegasUpdate(msgspec.Struct):
    """`cc:vegas_updated`"""

    update: Uint
    cause: str
    samples: Uint
    rtt: NonNegative | None
    base_rtt: NonNegative | None
    diff: Signed | None
    counted: Uint
    growing: bool
    arrived: NonNegative | None
    phase: str
    window_before: NonNegative
    window_after: NonNegative
    ssthresh: NonNegative | None
    window: Uint
    srtt: NonNegative


class RrrParameters(msgspec.Struct):
    """The map `parameters` of the controller `rrr`."""

    feedback: str
    pfix: NonNegative
    ptlim: NonNegative
    xtlim: NonNegative
    cmax: NonNegative
    xt: NonNegative | str
    initial_rate: NonNegative | str
    n: NonNegative
    span: NonNegative
    qmax: NonNegative
    growth: NonNegative
    startup: bool


class RrrUpdate(msgspec.Struct):
    """`cc:rrr_updated`"""

    update: Uint
    cause: str
    source: str
    packets: Uint | None
    sent: Uint | None
    delivered: Uint | None
    sending: NonNegative | None
    arriving: NonNegative | None
    input: NonNegative | None
    output: NonNegative | None
    allowed_first: NonNegative | None
    allowed_last: NonNegative | None
    reduction: Signed | None
    wanted: Signed | None
    phase: str
    xt: NonNegative
    rate_before: NonNegative
    rate_after: NonNegative
    min_rtt: NonNegative
    window: Uint


class RaimdParameters(msgspec.Struct):
    """The map `parameters` of the controller `raimd`."""

    alpha: NonNegative
    beta: NonNegative
    target: NonNegative | str
    history: NonNegative
    startup: bool
    wgain: NonNegative
    cmax: NonNegative
    initial_rate: NonNegative | str


class RaimdUpdate(msgspec.Struct):
    """`cc:raimd_updated`"""

    update: Uint
    cause: str
    rounds: Uint
    rtt: NonNegative
    interval: Uint | None
    open: Uint
    loss: NonNegative
    target: NonNegative | None
    alpha: NonNegative | None
    rate_before: NonNegative
    rate_after: NonNegative
    window: Uint


class PaperMarks(msgspec.Struct):
    """What tells the two profiles of `hybrid` apart: of each only `hybrid:paper` has it."""

    amin: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """In the map of parameters."""
    trend: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """In an epoch."""

    def choose(self, kind: type) -> type:
        """The kind that is meant where a name stands for both profiles."""
        marked = self.amin is not msgspec.UNSET or self.trend is not msgspec.UNSET
        return PAPERS[kind] if marked else kind


PAPERS: dict[type, type] = {HybridParameters: PaperParameters, HybridEpoch: PaperEpoch}
"""What `hybrid:paper` writes under the same name."""

PARAMETERS: dict[str, type] = {
    "hybrid": HybridParameters,
    "smallq": SmallqParameters,
    "vegas": VegasParameters,
    "rrr": RrrParameters,
    "raimd": RaimdParameters,
}
"""By the name in `controller` of `cc:parameters_set`."""

UPDATES: dict[str, type] = {
    "cc:hybrid_epoch_updated": HybridEpoch,
    "cc:smallq_updated": SmallqUpdate,
    "cc:vegas_updated": VegasUpdate,
    "cc:rrr_updated": RrrUpdate,
    "cc:raimd_updated": RaimdUpdate,
}
"""By the name of the event."""
