"""By what else connections are told apart: the source of one-way delays, and the peer."""

from __future__ import annotations

from collections import Counter

from ..measure.sliding import Source
from ..model import Trace


def rowd_source_of(trace: Trace) -> str | None:
    """Of controllers that say so, what most of their updates used; else whether ACKs brought receive timestamps.
    None if nothing was acknowledged."""
    sources = (getattr(u.data, "source", None) for u in trace.updates)
    said = Counter(source for source in sources if isinstance(source, str))
    if said:
        return str(said.most_common(1)[0][0])
    if not trace.ack_frames:
        return None
    source = Source.TIMESTAMPS if trace.feedback.received_packet else Source.ACK
    return str(source.value)


def peer_of(trace: Trace) -> str | None:
    """The peer's transport parameters (RFC 9000 section 18.2), by which implementations and their settings differ; no
    trace has its name. None if they are not in the trace."""
    limits, payload = trace.first_limits, trace.peer_max_udp_payload_size
    if limits is None and payload is None:
        return None
    words = [f"max_ack_delay={trace.peer_max_ack_delay * 1e3:g}ms", f"ack_delay_exponent={trace.ack_delay_exponent}"]
    if payload is not None:
        words.append(f"max_udp_payload_size={payload}")
    if limits is not None:
        words.append(f"initial_max_data={limits.data}")
        streams = max(limits.bidi_local, limits.bidi_remote, limits.uni)
        words.append(f"initial_max_stream_data={streams}")
    return " ".join(words)
