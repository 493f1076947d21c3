"""What implementations do differently although the drafts define it: facts, each read from the writer's source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Writer:
    name: str
    encoded_ack_delay: bool = False
    """`ack_delay` is the field of the frame as it stands on the wire, in thousandths, without the peer's
    `ack_delay_exponent`. The drafts want ms."""
    pacing_unit: float = 1.0
    """bit/s of one unit of `pacing_rate`. The drafts want bit/s."""
    tells_losses: bool = False
    """Every packet that it declares lost has an event, so that a trace without such events is one without losses."""
    mark: str | None = None
    """What it calls itself in a header, in lower case, if that is not its name."""


QUICHE = Writer("quiche", encoded_ack_delay=True, pacing_unit=8.0)
QVIS_EXPORT = Writer("qlog-analysis (export for qvis)", encoded_ack_delay=True, tells_losses=True)
QVIS_CONVERSION = Writer("qlog-analysis (conversion for qvis)", tells_losses=True)
"""The same of another writer's trace, with delays in ms."""
QUINN = Writer("quinn", tells_losses=True)
"""Names itself nowhere, and writes packets without frames; see `header.Known.anonymous`."""
UNKNOWN = Writer("unknown")

_WRITERS = (
    QVIS_EXPORT,
    QVIS_CONVERSION,
    QUICHE,
    Writer("neqo", encoded_ack_delay=True, tells_losses=True),
    Writer("picoquic", encoded_ack_delay=True, tells_losses=True),
    Writer("aioquic", tells_losses=True),
    Writer("quic-go", tells_losses=True),
    Writer("kwik", tells_losses=True),
    Writer("golang.org/x/net/quic", tells_losses=True, mark="go quic"),
    Writer("ngtcp2", tells_losses=True),
    Writer("mvfst", tells_losses=True),
)


def named_in(*texts: str | None) -> Writer:
    """The writer that a header names anywhere; the first of the list if it names several."""
    everything = " ".join(t for t in texts if t).lower()
    return next((w for w in _WRITERS if (w.mark or w.name.lower()) in everything), UNKNOWN)
