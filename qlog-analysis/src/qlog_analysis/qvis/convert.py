"""One event of quiche's schema (quic-12, http3-12) as an event of qlog 0.3 (draft-02), which is what qvis looks up.

qvis finds events by exact category and name, and ignores what it does not know.
"""

from __future__ import annotations

from typing import Any

from .. import __version__
from ..dialect.writers import Writer

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

_RTTS = ("min_rtt", "smoothed_rtt", "rtt_variance")

_OURS = {"cc:parameters_set": "cc:controller_parameters_set"}
"""qvis takes any `parameters_set` for one of QUIC, and labels it `6 UNKNOWN parameters set`."""

_AEAD_TAG = 16
"""Bytes at the end of a packet, with every cipher suite of QUIC version 1 (RFC 9001 section 5.3)."""
_NO_THRESHOLD = 1 << 63
"""quiche writes the largest integer as long as there was no loss; beyond 2^53 JavaScript cannot even show it."""


def name(of: str) -> str:
    """The name of an event for qvis."""
    namespace, _, event = of.partition(":")
    if namespace == "http3":
        return f"http:{event}"
    if namespace != "quic":
        return _OURS.get(of, of)
    for category, names in (("recovery", _RECOVERY), ("connectivity", _CONNECTIVITY), ("security", _SECURITY)):
        if event in names:
            return f"{category}:{names[event]}"
    return f"transport:{_TRANSPORT.get(event, event)}"


class Conversion:
    """Converts the events of one trace, in their order."""

    def __init__(self, shown_streams: dict[int, int]) -> None:
        self._shown_streams = shown_streams
        self._rtt_known = False
        self._marked: dict[str, int] = {}

    def event(self, event: Json) -> list[Json]:
        """An event as qvis takes it, and what is to be seen beside it; nothing if nothing of it is left."""
        of, data = event.get("name"), event.get("data")
        if not isinstance(of, str) or not isinstance(data, dict):
            return []
        beside: list[Json] = []
        if of in ("quic:packet_sent", "quic:packet_received"):
            beside = self._marks(event["time"], data)
            self._packet(data, sent=of == "quic:packet_sent")
        elif of == "quic:recovery_metrics_updated":
            self._metrics(data)
            if not data:
                return []
        elif of.startswith("http3:"):
            _http(data)
        if "initiator" in data and of in ("quic:parameters_set", "http3:stream_type_set", "http3:parameters_set"):
            data["owner"] = data.pop("initiator")
        return [{**event, "name": name(of), "data": data}, *beside]

    def _packet(self, data: Json, *, sent: bool) -> None:
        raw = data.get("raw")
        if sent and isinstance(raw, dict) and isinstance(raw.get("payload_length"), int):
            # quiche counts the tag in what it receives, not in what it sends; qvis subtracts it from both.
            raw["payload_length"] += _AEAD_TAG
        frames = data.get("frames")
        if isinstance(frames, list):
            for frame in frames:
                self._frame(frame)
            if not frames:
                del data["frames"]  # qvis looks at the first one without asking whether it is there

    def _frame(self, frame: Any) -> None:
        """STREAM and CRYPTO frames carry their `length` directly."""
        if not isinstance(frame, dict):
            return
        if frame.get("frame_type") in ("stream", "crypto"):
            raw = frame.pop("raw", None)
            if isinstance(raw, dict) and "payload_length" in raw:
                frame["length"] = raw["payload_length"]
        stream = frame.get("stream_id")
        if stream in self._shown_streams:
            frame["stream_id"] = self._shown_streams[stream]

    def _marks(self, time: float, data: Json) -> list[Json]:
        """qvis shows ECN counts nowhere: a message says how many packets the peer newly saw marked."""
        packet = data.get("header")
        space = str(packet.get("packet_type")) if isinstance(packet, dict) else ""
        out = []
        for frame in data.get("frames") or []:
            count = frame.get("ce") if isinstance(frame, dict) else None
            if isinstance(count, int) and frame.get("frame_type") == "ack":
                more = count - self._marked.get(space, 0)
                if more > 0:
                    self._marked[space] = count
                    out.append(_message(time, f"ECN: {more} more marked CE, {count} so far"))
        return out

    def _metrics(self, data: Json) -> None:
        # Before the first sample of a path quiche writes its guess of 333 ms; qvis would draw it.
        if "latest_rtt" in data:
            self._rtt_known = True
        elif is_guess(data):
            self._rtt_known = False
        if not self._rtt_known:
            for guess in _RTTS:
                data.pop(guess, None)
        if isinstance(data.get("pacing_rate"), int):
            data["pacing_rate"] *= 8  # quiche writes bytes/s, the schema says bit/s
        if isinstance(data.get("ssthresh"), int) and data["ssthresh"] >= _NO_THRESHOLD:
            del data["ssthresh"]
        for counter, value in data.items():
            if isinstance(value, dict) and "total" in value:  # would be shown as [object Object]
                data[counter] = value["total"]


def is_guess(metrics: Json) -> bool:
    """Whether the RTTs are those of a path without a sample, as at the start and after a change of the path."""
    return "latest_rtt" not in metrics and metrics.get("min_rtt", 0) == metrics.get("smoothed_rtt")


def _http(data: Json) -> None:
    if "frame" in data and "length" in data:
        data["byte_length"] = data["length"]


def _message(time: float, text: str) -> Json:
    return {"time": time, "name": "info:message", "data": {"message": text}}


def shown_streams(streams: set[int]) -> dict[int, int]:
    """The multiplexing view shows only streams that a client opens in both directions (RFC 9000 section 2.1). Where a
    trace has none, those of the server take their numbers: 0 for 1, 4 for 5, or else 0 for 3, 4 for 7."""
    kinds = {stream % 4 for stream in streams}
    shown = next((kind for kind in (1, 3, 2) if kind in kinds), None)
    if 0 in kinds or shown is None:
        return {}
    return {stream: stream - shown for stream in streams if stream % 4 == shown}


def header(of: Json, began_ms: float, renumbered: dict[int, int], writer: Writer, left_out: str | None) -> Json:
    """The first record: qvis insists on version, format and trace. `writer` is us."""
    trace = of.get("trace")
    trace = trace if isinstance(trace, dict) else {}
    out_trace: Json = {k: trace[k] for k in ("title", "description", "vantage_point") if k in trace}
    out_trace["common_fields"] = {"reference_time": began_ms, "time_format": "relative", "protocol_type": ["QUIC"]}
    out: Json = {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "code_version": f"{writer.name} {__version__}",
    }
    out.update({k: of[k] for k in ("title", "description") if k in of})
    if renumbered:
        streams = ", ".join(f"{theirs} as {shown}" for theirs, shown in sorted(renumbered.items())[:8])
        _describe(out_trace, f"streams renumbered for qvis: {streams}")
    if left_out is not None:
        _describe(out_trace, left_out)
    out["trace"] = out_trace
    return out


def _describe(trace: Json, what: str) -> None:
    trace["description"] = f"{trace.get('description', '')} ({what})".strip()


def packet_lost(time: float, packet_type: str, number: int, size: int) -> Json:
    """quiche writes no such event; `time` in ms."""
    return {
        "time": time,
        "name": "recovery:packet_lost",
        "data": {"header": {"packet_type": packet_type, "packet_number": number}, "raw": {"length": size}},
    }
