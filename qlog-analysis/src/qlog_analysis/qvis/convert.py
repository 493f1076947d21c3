"""One event of quiche's schema (quic-12, http3-12) as an event of qlog 0.3 (draft-02), which is what qvis looks up.

qvis finds events by exact category and name, and ignores what it does not know.
"""

from __future__ import annotations

from typing import Any

from .. import __version__
from ..dialect.writers import QVIS_EXPORT

Json = dict[str, Any]

_RECOVERY = {
    "recovery_metrics_updated": "metrics_updated",
    "recovery_parameters_set": "parameters_set",
    "congestion_state_updated": "congestion_state_updated",
    "packet_lost": "packet_lost",
    "marked_for_retransmit": "marked_for_retransmit",
    "timer_updated": "loss_timer_updated",
}
_CONNECTIVITY = {
    "server_listening": "server_listening",
    "connection_started": "connection_started",
    "connection_closed": "connection_closed",
    "connection_id_updated": "connection_id_updated",
    "connection_state_updated": "connection_state_updated",
    "spin_bit_updated": "spin_bit_updated",
}
_SECURITY = {"key_updated": "key_updated", "key_discarded": "key_retired"}
_TRANSPORT = {"stream_data_moved": "data_moved", "version_information": "version_information"}

_GUESSES = ("min_rtt", "smoothed_rtt", "rtt_variance")
"""Before the first RTT sample quiche writes its initial guess of 333 ms into these; qvis would draw it."""


def name(of: str) -> str:
    """The name of an event for qvis."""
    namespace, _, event = of.partition(":")
    if namespace == "http3":
        return f"http:{event}"
    if namespace != "quic":
        return of
    for category, names in (("recovery", _RECOVERY), ("connectivity", _CONNECTIVITY), ("security", _SECURITY)):
        if event in names:
            return f"{category}:{names[event]}"
    return f"transport:{_TRANSPORT.get(event, event)}"


def data(of: str, event: Json, *, rtt_known: bool) -> Json | None:
    """The data of an event for qvis; None if nothing of it is left. `of` is quiche's name."""
    if of in ("quic:packet_sent", "quic:packet_received"):
        frames = event.get("frames")
        if isinstance(frames, list):
            event["frames"] = [_frame(f) for f in frames]
    elif of == "quic:parameters_set":
        if "initiator" in event:
            event["owner"] = event.pop("initiator")
    elif of == "quic:recovery_metrics_updated":
        return _metrics(event, rtt_known=rtt_known)
    return event


def _frame(frame: Any) -> Any:
    """STREAM and CRYPTO frames carry their `length` directly."""
    if isinstance(frame, dict) and frame.get("frame_type") in ("stream", "crypto"):
        raw = frame.pop("raw", None)
        if isinstance(raw, dict) and "payload_length" in raw:
            frame["length"] = raw["payload_length"]
    return frame


def _metrics(event: Json, *, rtt_known: bool) -> Json | None:
    if not rtt_known:
        for guess in _GUESSES:
            event.pop(guess, None)
    if isinstance(event.get("pacing_rate"), int):
        event["pacing_rate"] *= 8  # quiche writes bytes/s, the schema says bit/s
    return event or None


def header(of: Json, began_ms: float) -> Json:
    """The first record: qvis insists on version, format and trace."""
    trace = of.get("trace")
    trace = trace if isinstance(trace, dict) else {}
    out_trace: Json = {k: trace[k] for k in ("title", "description", "vantage_point") if k in trace}
    out_trace["common_fields"] = {"reference_time": began_ms, "time_format": "relative", "protocol_type": ["QUIC"]}
    out: Json = {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "code_version": f"{QVIS_EXPORT.name} {__version__}",
    }
    out.update({k: of[k] for k in ("title", "description") if k in of})
    out["trace"] = out_trace
    return out


def packet_lost(time: float, packet_type: str, number: int, size: int) -> Json:
    """quiche writes no such event; `time` in ms."""
    return {
        "time": time,
        "name": "recovery:packet_lost",
        "data": {"header": {"packet_type": packet_type, "packet_number": number}, "raw": {"length": size}},
    }
