"""All that is said of one connection."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..metrics import TraceMetrics, measure
from ..metrics.observed import Observed, observe
from ..model import Trace
from .controller import Controller, controller_of
from .delay import Delay, delay_of
from .interruptions import Interruption, interruptions_of
from .limits import Limit, Limits, limits_of
from .losses import Losses, losses_of
from .paths import Paths, paths_of
from .phases import Handshake, Startup, Stretch, handshake_of, startup_of, stretches_of

LONG_STARTUP, LONG_STARTUP_SHARE = 2.0, 0.2
"""s, and of the trace."""


class Role(str, Enum):
    """What the side that wrote the trace did: who received more than twice the stream bytes that it sent is the
    receiver. The values stand in JSON."""

    SENDER = "sender"
    RECEIVER = "receiver"


@dataclass(frozen=True, slots=True)
class Explanation:
    trace: Trace
    metrics: TraceMetrics
    observed: Observed
    role: Role
    handshake: Handshake
    startup: Startup | None
    limits: Limits
    stretches: list[Stretch]
    limited: dict[Limit, float]
    """Share of the time after the handshake."""
    interruptions: list[Interruption]
    losses: Losses
    delay: Delay | None
    paths: Paths
    controller: Controller

    @property
    def settled(self) -> float:
        """When handshake and start-up were over, as far as the trace tells."""
        return _settled(self.observed, self.handshake, self.startup)


def explain(trace: Trace) -> Explanation:
    o = observe(trace)
    metrics = measure(trace, o)
    handshake = handshake_of(o)
    startup = startup_of(o, handshake)
    interruptions = interruptions_of(o)
    controller = controller_of(trace)
    limits = limits_of(o, handshake.end, interruptions, controller.queue_spans)
    settled = _settled(o, handshake, startup)
    after_handshake = handshake.end if handshake.end is not None else o.begin
    received, sent = metrics.stream_bytes_received or 0, metrics.stream_bytes_sent or 0
    return Explanation(
        trace=trace,
        metrics=metrics,
        observed=o,
        role=Role.RECEIVER if received > 2 * sent else Role.SENDER,
        handshake=handshake,
        startup=startup,
        limits=limits,
        stretches=stretches_of(o, limits, settled if settled - after_handshake <= _long(o) else after_handshake),
        limited=limits.of(after_handshake, o.end),
        interruptions=interruptions,
        losses=losses_of(o, interruptions),
        delay=delay_of(o, metrics.rtt_ms),
        paths=paths_of(o, limits.edges, settled, interruptions),
        controller=controller,
    )


def _long(o: Observed) -> float:
    """A start-up that takes longer is told by what limited it as well."""
    return max(LONG_STARTUP, LONG_STARTUP_SHARE * (o.end - o.begin))


def _settled(o: Observed, handshake: Handshake, startup: Startup | None) -> float:
    if startup is not None and startup.end is not None:
        return startup.end
    return handshake.end if handshake.end is not None else o.begin
