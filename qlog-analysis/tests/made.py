"""Traces of a sender whose every limit is known: a fixed window, a pacing rate, an application, a receiver's limit and
a bottleneck, each of which can be made the one that holds it back."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import tracewriter
from qlog_analysis.explain.explanation import Explanation, explain
from qlog_analysis.explain.story import Story, tell
from qlog_analysis.load import load
from tracewriter import Json, TraceWriter

SIZE = 1250
PAYLOAD = 1200
BEGIN = 0.05
"""s; when the handshake is over."""
PROBE = 0.3
"""s without an ACK until a packet leaves in any case."""
MUCH = 1 << 40


def always(_: float) -> bool:
    return True


def no_delay(_: float) -> float:
    return 0.0


def never(_: int) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Plan:
    duration: float = 4.0
    window: Callable[[float], int] = lambda _: 40 * SIZE
    """Bytes, at a time."""
    pacing: float | None = None
    """bit/s"""
    app_rate: float | None = None
    """bit/s in full packets; None is without limit."""
    writes: Callable[[float], bool] = always
    """Whether the application has data at a time."""
    rate: float = 1e9
    """bit/s of the bottleneck."""
    delay: float = 0.02
    """s, one way."""
    buffer: int = 10_000
    """Packets."""
    others: Callable[[float], float] = no_delay
    """s that a packet takes longer, by when it is sent: a longer path, or a queue of others."""
    loses: Callable[[int], bool] = never
    """By packet number."""
    outage: tuple[float, float] = (1e9, 1e9)
    receiver: int | None = None
    """Bytes that it allows ahead of what it has read; None is without limit."""
    reads: float = 1e9
    """bit/s with which it makes room again."""


@dataclass(slots=True)
class _Made:
    plan: Plan
    log: TraceWriter = field(default_factory=lambda: TraceWriter("cubic"))
    now: float = BEGIN
    in_flight: dict[int, float] = field(default_factory=dict)
    arrives: dict[int, int] = field(default_factory=dict)
    """Bytes of the packets that will arrive."""
    next_number: int = 0
    free: float = 0.0
    release: float = 0.0
    written: float = 0.0
    allowed: int = MUCH
    sent_bytes: int = 0
    received: int = 0
    lost: int = 0
    largest: int = -1
    last_ack: float = BEGIN
    events: list[tuple[float, int, str, int]] = field(default_factory=list)
    order: int = 0

    def run(self) -> list[Json]:
        self.handshake()
        self.at(BEGIN, "wake", 0)
        while self.events and self.events[0][0] < self.plan.duration:
            self.now, _, kind, what = heapq.heappop(self.events)
            getattr(self, kind)(what)
            self.send()
        self.log.event(self.plan.duration, "quic:connection_state_updated", {"new": "closing"})
        return self.log.records

    def at(self, time: float, kind: str, what: int) -> None:
        self.order += 1
        heapq.heappush(self.events, (time, self.order, kind, what))

    def handshake(self) -> None:
        p = self.plan
        first = MUCH if p.receiver is None else p.receiver
        self.allowed = first
        remote = {"initiator": "remote", "ack_delay_exponent": 3, "max_ack_delay": 25, "initial_max_data": MUCH}
        limits = {f"initial_max_stream_data_{k}": first for k in ("bidi_local", "bidi_remote", "uni")}
        header = {"packet_type": "initial", "packet_number": 0}
        crypto = [{"frame_type": "crypto", "offset": 0, "raw": {"payload_length": 90}}]
        self.log.event(0.001, "quic:packet_received", {"header": header, "raw": {"length": 1200}, "frames": crypto})
        self.log.event(0.001, "quic:packet_sent", {"header": header, "raw": {"length": 1200}, "frames": crypto})
        self.log.state(0.001, "slow_start")
        ack = [{"frame_type": "ack", "ack_delay": 0.0, "acked_ranges": [[0]]}]
        self.log.event(
            BEGIN - 0.002,
            "quic:packet_received",
            {"header": {"packet_type": "initial", "packet_number": 1}, "raw": {"length": 60}, "frames": ack},
        )
        self.log.event(BEGIN - 0.001, "quic:parameters_set", {**remote, **limits})
        self.log.state(BEGIN, "congestion_avoidance")
        self.metrics()

    def metrics(self, **more: float) -> None:
        pacing = None if self.plan.pacing is None else self.plan.pacing / 8.0
        self.log.metrics(
            self.now,
            self.lost,
            congestion_window=self.plan.window(self.now),
            bytes_in_flight=SIZE * len(self.in_flight),
            pacing_rate=pacing and int(pacing),
            **more,
        )

    def wake(self, _: int) -> None:
        if self.now - self.last_ack >= PROBE and self.in_flight:
            self.last_ack = self.now
            self.packet(self.sent_bytes - PAYLOAD, PAYLOAD)
        self.at(self.now + 0.001, "wake", 0)

    def send(self) -> None:
        p = self.plan
        while self.now >= self.release - 1e-9 and SIZE * (len(self.in_flight) + 1) <= p.window(self.now):
            payload = min(PAYLOAD, self.allowed - self.sent_bytes)
            if not p.writes(self.now) or payload <= 0:
                break
            if p.app_rate is not None and self.sent_bytes + PAYLOAD > p.app_rate / 8.0 * (self.now - BEGIN):
                break
            self.packet(self.sent_bytes, payload)
            self.sent_bytes += payload
            if p.pacing is not None:
                self.release = max(self.release, self.now - 1e-9) + 8.0 * SIZE / p.pacing
                self.at(self.release, "timer", 0)
        self.metrics()

    def timer(self, _: int) -> None:
        """Pacing allows the next packet."""

    def packet(self, offset: int, payload: int) -> None:
        p, number = self.plan, self.next_number
        self.next_number += 1
        self.in_flight[number] = self.now
        frame = {"frame_type": "stream", "stream_id": 0, "offset": offset, "raw": {"payload_length": payload}}
        header = {"packet_type": "1RTT", "packet_number": number}
        self.log.event(self.now, "quic:packet_sent", {"header": header, "raw": {"length": SIZE}, "frames": [frame]})
        self.metrics()
        waiting = max(self.free - self.now, 0.0)
        full = waiting * p.rate / 8.0 / SIZE >= p.buffer
        if full or p.loses(number) or p.outage[0] <= self.now < p.outage[1]:
            return
        self.free = max(self.free, self.now) + 8.0 * SIZE / p.rate
        self.arrives[number] = payload
        self.at(self.free + 2.0 * p.delay + p.others(self.now), "ack", number)

    def ack(self, number: int) -> None:
        self.received += self.arrives.pop(number)
        if number not in self.in_flight:
            return
        frames: list[dict[str, Any]] = [{"frame_type": "ack", "ack_delay": 0.0, "acked_ranges": [[number]]}]
        room = self.room()
        if room is not None:
            frames.append({"frame_type": "max_stream_data", "stream_id": 0, "maximum": room})
        header = {"packet_type": "1RTT", "packet_number": number}
        self.log.event(self.now, "quic:packet_received", {"header": header, "raw": {"length": 60}, "frames": frames})
        rtt = 1e3 * (self.now - self.in_flight.pop(number))
        self.largest, self.last_ack = max(self.largest, number), self.now
        for n in [n for n in self.in_flight if n <= self.largest - 3]:
            del self.in_flight[n]
            self.lost += 1
        self.metrics(latest_rtt=rtt, smoothed_rtt=rtt, min_rtt=rtt)

    def room(self) -> int | None:
        """A larger limit, if the receiver has read enough for one."""
        p = self.plan
        if p.receiver is None:
            return None
        read = min(p.reads / 8.0 * (self.now - BEGIN), self.received)
        if read + p.receiver < self.allowed + p.receiver / 2:
            return None
        self.allowed = int(read) + p.receiver
        return self.allowed


def made(**how: Any) -> list[Json]:
    """The trace of a plan, header first."""
    return _Made(Plan(**how)).run()


def explained(folder: FilePath, some: list[Json]) -> Explanation:
    return explain(load(tracewriter.write(folder / "trace.sqlog", some)))


def told(folder: FilePath, some: list[Json]) -> Story:
    return tell(explained(folder, some))


def kinds(story: Story) -> list[str]:
    """Of the findings, the most important first."""
    return [f.kind for f in story.findings]
