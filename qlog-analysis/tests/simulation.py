"""One sender, one bottleneck, one receiver, in simulated time; writes the sender's trace. Seeded."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field
from typing import Any

import paper_sender
from estimate_teller import EstimateTeller
from hybrid_sender import HybridSender
from paper_sender import PaperSender
from qlog_analysis.hybrid import spec as option_string
from sender import Delivered, Sender
from tracewriter import Json, TraceWriter

PACKET = 1250
HEADER = 42
WRITE = 3000
"""Bytes that the application writes at a time: two full packets and a small one."""
PROBE = 0.3
"""s without an ACK until a packet leaves in any case, where there is an outage."""
PROCESSING = 20e-6
"""s from an ACK to the packet that it allows."""
NEVER = float("inf")
EXPONENT = 3


@dataclass(frozen=True, slots=True)
class Path:
    rate: float = 5e6
    """bit/s"""
    delay: float = 0.02
    """One way, s."""
    buffer: int = 60_000
    """Bytes, drop-tail."""
    loss: float = 0.0
    jitter: float = 0.0
    """Largest extra delay of an ACK, s."""
    reorder: float = 0.0
    """Share of packets that arrive 1.5 packet times later."""
    ack_every: int = 1
    app_rate: float | None = None
    """bit/s that the application writes; None is without limit."""
    drift: float = 0.0
    outage: tuple[float, float] = (NEVER, NEVER)
    """From and until when, s, everything is lost."""
    longer: float = 0.0
    """s. By so much the way there is longer then."""


@dataclass(slots=True)
class Packet:
    number: int
    sent: float
    size: int


def sender_of(spec: str) -> Sender:
    """The sender that an option string selects."""
    if spec.startswith("hybrid:paper"):
        return PaperSender(paper_sender.parameters(spec), spec, PACKET)
    return HybridSender(option_string.parse(spec), spec, PACKET)


@dataclass(slots=True)
class Simulation:
    path: Path
    spec: str = "hybrid"
    seed: int = 1
    log: TraceWriter = field(init=False)
    cc: Sender = field(init=False)
    rng: random.Random = field(init=False)
    now: float = 0.0
    _events: list[tuple[float, int, str, Any]] = field(default_factory=list)
    _order: int = 0
    _outstanding: dict[int, Packet] = field(default_factory=dict)
    _next_number: int = 0
    _release: float = 0.0
    _free: float = 0.0
    _in_flight: int = 0
    _largest_acked: int = -1
    _lost_total: int = 0
    _written: int = 0
    _received: list[list[int]] = field(default_factory=list)
    _unacked_arrivals: int = 0
    _rtt: float = 0.0
    _srtt: float = 0.0
    _min_rtt: float = 1e9
    _ack_number: int = 0
    _attempt: float = NEVER
    _busy_until: float = 0.0
    _teller: EstimateTeller | None = None
    """Made with the first epoch: tests put senders of their own in the place of `cc`."""

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.log = TraceWriter(self.spec)
        self.cc = sender_of(self.spec)

    def run(self, duration: float) -> list[Json]:
        self._handshake()
        self._plan_send(self.now)
        while self._events and self._events[0][0] < duration:
            self.now, _, kind, what = heapq.heappop(self._events)
            getattr(self, f"_on_{kind}")(what)
        return self.log.records

    def _at(self, time: float, kind: str, what: Any) -> None:
        self._order += 1
        heapq.heappush(self._events, (time, self._order, kind, what))

    def _handshake(self) -> None:
        local = {"initiator": "local", "ack_delay_exponent": 3, "max_ack_delay": 25}
        self.log.event(0.0, "quic:parameters_set", local)
        sent = {"header": {"packet_type": "initial", "packet_number": 0}, "raw": {"length": 1200}}
        crypto = {"frame_type": "crypto", "offset": 0, "raw": {"payload_length": 90}}
        self.log.event(0.001, "quic:packet_sent", {**sent, "frames": [crypto]})
        self.log.metrics(0.001, 0, min_rtt=333.0, smoothed_rtt=333.0, congestion_window=12500, bytes_in_flight=1200)
        self.now = 0.001 + 2 * self.path.delay + 0.0004
        self._rtt = self._srtt = self._min_rtt = self.now - 0.001
        ack = {"frame_type": "ack", "ack_delay": 0.04, "acked_ranges": [[0]]}
        self.log.event(self.now, "quic:packet_received", {**sent, "frames": [ack]})
        self._log_metrics()
        remote = {"initiator": "remote", "ack_delay_exponent": EXPONENT, "max_ack_delay": 25}
        self.log.event(self.now, "quic:parameters_set", remote)

    # -- sender -------------------------------------------------------------------------------------------------

    def _plan_send(self, time: float) -> None:
        """One attempt is planned at a time: the earliest."""
        if time < self._attempt:
            self._attempt = time
            self._at(time, "send", time)

    def _on_send(self, planned: float) -> None:
        """Sends what pacing, window and application allow, and plans the next attempt."""
        if planned != self._attempt:
            return
        self._attempt = NEVER
        if self.now < self._busy_until:
            self._plan_send(self._busy_until)
            return
        while self.now >= self._release - 1e-9:
            size = self._available()
            if size == 0:
                self.cc.app_limited = self.cc.app_limited or self._in_flight < self.cc.window
                self._plan_send(self.now + 0.002)
                return
            if self._in_flight + size > self.cc.window:
                return  # the next ACK tries again
            self._send(size)
        self._plan_send(self._release)

    def _available(self) -> int:
        if self.path.app_rate is None:
            return PACKET
        waiting = int(self.path.app_rate * self.now / 8 / WRITE) * WRITE - self._written
        return min(PACKET, waiting + HEADER) if waiting > 0 else 0

    def _send(self, size: int) -> None:
        number = self._next_number
        self._next_number += 1
        self._outstanding[number] = Packet(number, self.now, size)
        payload = size - HEADER
        frame = {"frame_type": "stream", "stream_id": 0, "offset": self._written, "raw": {"payload_length": payload}}
        data = {"header": {"packet_type": "1RTT", "packet_number": number}, "raw": {"length": size}, "frames": [frame]}
        self.log.event(self.now, "quic:packet_sent", data)
        self._written += payload
        self._in_flight += size
        self.cc.sent_bytes += size
        pacing = self.cc.pacing
        gap = 8.0 * size / pacing if pacing is not None else 0.0
        self._release = max(self.now - 0.001, self._release) + gap
        self._log_metrics()
        self._into_bottleneck(number, size)

    def _log_metrics(self) -> None:
        # What goes before the first epoch, the controller's law, is that of whole connections only (`lab`).
        pacing = self.cc.pacing if self.cc.started else None
        self.log.metrics(
            self.now,
            self._lost_total,
            min_rtt=self._min_rtt * 1e3,
            smoothed_rtt=self._srtt * 1e3,
            latest_rtt=self._rtt * 1e3,
            congestion_window=self.cc.window,
            bytes_in_flight=self._in_flight,
            pacing_rate=None if pacing is None else round(pacing / 8),
        )
        self.log.state(self.now, self.cc.state)

    def _on_ack(self, ack: tuple[list[list[int]], int]) -> None:
        ranges, raw_delay = ack
        frame = {"frame_type": "ack", "ack_delay": raw_delay / 1000.0, "acked_ranges": ranges}
        numbers = sorted(n for n in self._outstanding if any(r[0] <= n <= r[-1] for r in ranges))
        newly = [self._outstanding.pop(n) for n in numbers]
        self._ack_number += 1
        received = {"packet_type": "1RTT", "packet_number": self._ack_number}
        self.log.event(self.now, "quic:packet_received", {"header": received, "raw": {"length": 44}, "frames": [frame]})
        if not newly:
            return
        if self.path.outage[0] < NEVER:
            self._at(self.now + PROBE, "probe", self._ack_number)
        self._in_flight -= sum(p.size for p in newly)
        sample = None
        if newly[-1].number > self._largest_acked:
            self._largest_acked = newly[-1].number
            self._rtt = self.now - newly[-1].sent
            self._srtt = 0.875 * self._srtt + 0.125 * self._rtt
            self._min_rtt = min(self._min_rtt, self._rtt)
            sample = (newly[-1].sent, newly[-1].size, raw_delay * 2**EXPONENT * 1e-6)
        self._feedback(sample, newly)

    def _feedback(self, sample: tuple[float, int, float] | None, newly: list[Packet]) -> None:
        in_flight = self._in_flight + sum(p.size for p in newly)
        lost = self._detect_losses()
        self._lost_total += len(lost)
        self._in_flight -= sum(p.size for p in lost)
        acked, sent = [p.sent for p in newly], [p.sent for p in lost]
        events = self.cc.feedback(Delivered(self.now, sample, acked, sum(p.size for p in newly), sent, in_flight))
        self._log_metrics()
        for name, data in events:
            self.log.event(self.now, name, data)
            if name == "cc:hybrid_epoch_updated":
                self._tell_estimate(data)
        self._busy_until = self.now + PROCESSING
        self._plan_send(max(self._busy_until, self._release))

    def _tell_estimate(self, report: Json) -> None:
        if isinstance(self.cc, HybridSender):
            self._teller = self._teller or EstimateTeller(self.cc)
            for name, data in self._teller.after(self.now, report):
                self.log.event(self.now, name, data)

    def _detect_losses(self) -> list[Packet]:
        """RFC 9002 section 6.1."""
        delay = 1.125 * max(self._rtt, self._srtt)
        lost = []
        for p in sorted(self._outstanding.values(), key=lambda packet: packet.number):
            if p.number > self._largest_acked:
                break
            if self._largest_acked >= p.number + 3 or p.sent <= self.now - delay:
                lost.append(self._outstanding.pop(p.number))
            else:
                self._at(p.sent + delay, "timer", None)
                break
        return lost

    def _on_probe(self, ack: int) -> None:
        """Sends a packet, whatever the window says, if nothing has come since that ACK, and so on."""
        if ack == self._ack_number:
            self._send(PACKET)
            self._at(self.now + PROBE, "probe", ack)

    def _on_timer(self, _: Any) -> None:
        delay = 1.125 * max(self._rtt, self._srtt)
        due = [p for p in self._outstanding.values() if p.number <= self._largest_acked and p.sent <= self.now - delay]
        if due:
            self._feedback(None, [])

    # -- path and receiver --------------------------------------------------------------------------------------

    def _into_bottleneck(self, number: int, size: int) -> None:
        path = self.path
        begins, ends = path.outage
        queued = max(self._free - self.now, 0.0) * path.rate / 8
        if self.rng.random() < path.loss or queued + size > path.buffer or begins <= self.now < ends:
            return
        self._free = max(self._free, self.now) + 8.0 * size / path.rate
        late = 1.5 * 8.0 * PACKET / path.rate if self.rng.random() < path.reorder else 0.0
        late += path.longer if self.now >= ends else 0.0
        self._at(self._free + path.delay + late, "arrival", number)

    def _on_arrival(self, number: int) -> None:
        in_order = not self._received or number == self._received[-1][1] + 1
        self._merge(number)
        self._unacked_arrivals += 1
        if not in_order or self._unacked_arrivals >= self.path.ack_every:
            self._ack(0.000_05)
        else:
            self._at(self.now + 0.025, "delayed_ack", self._unacked_arrivals)

    def _on_delayed_ack(self, arrivals: int) -> None:
        if self._unacked_arrivals >= arrivals:
            self._ack(0.025)

    def _ack(self, delay: float) -> None:
        self._unacked_arrivals = 0
        ranges = [r if r[0] != r[1] else r[:1] for r in ([*x] for x in self._received[-8:])]
        back = self.path.delay + self.rng.uniform(0.0, self.path.jitter) + self.path.drift * self.now
        self._at(self.now + back, "ack", (ranges, int(delay * 1e6) >> EXPONENT))

    def _merge(self, number: int) -> None:
        self._received.append([number, number])
        self._received.sort()
        merged = [self._received[0]]
        for low, high in self._received[1:]:
            if low <= merged[-1][1] + 1:
                merged[-1][1] = max(merged[-1][1], high)
            else:
                merged.append([low, high])
        self._received = merged[-12:]


def simulate(path: Path, duration: float = 6.0, spec: str = "hybrid", seed: int = 1) -> list[Json]:
    return Simulation(path, spec, seed).run(duration)
