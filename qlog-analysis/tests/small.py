"""Traces of a few packets, whose figures can be computed by hand. Times in ms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tracewriter
from qlog_analysis.load import load
from qlog_analysis.model import Trace
from tracewriter import Json

SIZE = 1000
PAYLOAD = 900


class Small:
    """A server that sends packets 0, 1, ... of `SIZE` bytes in the application space on one stream."""

    def __init__(self, *, began: str | None = None, title: str = "simulated") -> None:
        self.records = [tracewriter.header("cubic")]
        self.records[0]["trace"]["title"] = title
        if began is not None:
            self.records[0]["trace"]["common_fields"]["reference_time"]["wall_clock_time"] = began
        self.next_number = 0
        self.acks = 0
        self.payload = 0

    def event(self, time: float, name: str, data: Json, **more: Any) -> None:
        self.records.append({"time": time, "name": f"quic:{name}", "data": data, **more})

    def send(self, *times: float, size: int = SIZE) -> None:
        for time in times:
            frame = {"frame_type": "stream", "stream_id": 0, "offset": self.payload, "raw": {"payload_length": PAYLOAD}}
            header = {"packet_type": "1RTT", "packet_number": self.next_number}
            self.event(time, "packet_sent", {"header": header, "raw": {"length": size}, "frames": [frame]})
            self.next_number += 1
            self.payload += PAYLOAD

    def send_ack(self, time: float) -> None:
        header = {"packet_type": "1RTT", "packet_number": self.next_number}
        frames = [{"frame_type": "ack", "ack_delay": 0.0, "acked_ranges": [[0]]}]
        self.event(time, "packet_sent", {"header": header, "raw": {"length": 40}, "frames": frames})
        self.next_number += 1

    def ack(self, time: float, *ranges: list[int], timestamps: list[list[int]] | None = None) -> None:
        frames = [{"frame_type": "ack", "ack_delay": 0.0, "acked_ranges": list(ranges)}]
        header = {"packet_type": "1RTT", "packet_number": self.acks}
        more = {} if timestamps is None else {"receive_timestamps": timestamps}
        self.event(time, "packet_received", {"header": header, "raw": {"length": 50}, "frames": frames}, **more)
        self.acks += 1

    def receive(self, time: float, number: int, *, space: str = "1RTT", size: int = SIZE) -> None:
        header = {"packet_type": space, "packet_number": number}
        frames = [{"frame_type": "ping"}]
        self.event(time, "packet_received", {"header": header, "raw": {"length": size}, "frames": frames})

    def metrics(self, time: float, **values: Any) -> None:
        """`lost` is quiche's counter; the pacing rate is in bytes/s."""
        lost = values.pop("lost", None)
        if lost is not None:
            values["cf_lost_packets"] = {"total": lost}
        self.event(time, "recovery_metrics_updated", values)

    def trace(self, folder: Path) -> Trace:
        return load(tracewriter.write(folder / "small.sqlog", self.records))
