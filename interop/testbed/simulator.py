"""The quic-interop-runner's network, as far as `cc-link` does not play it: captures, corruption, rebinding NATs.

Clients send to the simulator, which relays to the server from addresses of its own. It sees, and may change, what
passes where it stands: right in front of the server, or, as a NAT, right in front of the client.
"""

from __future__ import annotations

import random
import selectors
import socket
import struct
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from quic_packets import Packet, packets

NOT_ECT, ECT_1, ECT_0, CE = range(4)
_LARGEST = 65536
# More datagrams than can be between the two ends of a path.
_UNDER_WAY = 1000
# Small messages of the kernel beside a datagram: its ECN bits.
_ANCILLARY = socket.CMSG_SPACE(64)


@dataclass(frozen=True)
class Captured:
    """A datagram that was not dropped, as its sender sent it."""

    time: float
    from_client: bool
    address: tuple[str, int]  # of the client, as the server sees it
    data: bytes
    ecn: int

    @property
    def packets(self) -> list[Packet]:
        return packets(self.data)


@dataclass(frozen=True)
class Mischief:
    """What goes wrong on the way."""

    corrupt: float = 0.0  # share of datagrams of which one byte is changed, each way
    drop_to_server: frozenset[int] = frozenset()  # numbers of datagrams, the client's first is 1
    rebind: Sequence[float] = ()  # seconds after the first datagram at which the client gets another port
    own_addresses: bool = False  # whether each port that the server sees has an address of its own
    seed: int = 1


@dataclass
class _Client:
    """A client and the address that the server knows it by."""

    address: tuple[str, int]
    upstream: socket.socket


class Simulator:
    """Relays between clients and the server at `to` in a thread of its own, and captures all."""

    def __init__(self, to: tuple[str, int], mischief: Mischief, behind: Simulator | None = None) -> None:
        """`behind`: a NAT at the other end of the path. What it relayed before it rebound is not delivered any more."""
        self.to = to
        self.behind = behind
        self.outdated: set[bytes] = set()
        self.mischief = mischief
        self.captured: list[Captured] = []
        self.damaged = 0
        self._random = random.Random(mischief.seed)
        self._family = socket.AF_INET6 if ":" in to[0] else socket.AF_INET
        self._entrance = self._socket("::1" if ":" in to[0] else "127.0.0.1")
        self._clients: dict[tuple[str, int], _Client] = {}
        self._rebinds = list(mischief.rebind)
        self._from_clients = 0
        self._upstreams = 0
        self._start: float | None = None
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._entrance, selectors.EVENT_READ)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def address(self) -> tuple[str, int]:
        """Where clients send to."""
        host, port = self._entrance.getsockname()[:2]
        return host, port

    def __enter__(self) -> Simulator:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]

    def _socket(self, host: str) -> socket.socket:
        made = socket.socket(self._family, socket.SOCK_DGRAM)
        made.bind((host, 0))
        made.setblocking(False)
        if self._family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, 1)
        else:
            made.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        return made

    def _run(self) -> None:
        while not self._stopping.is_set():
            for key, _ in self._selector.select(0.05):
                source = key.fileobj
                assert isinstance(source, socket.socket)
                while (received := _receive(source)) is not None:
                    data, ecn, sender = received
                    if key.data is None:
                        self._from_client(sender, data, ecn)
                    else:
                        self._from_server(key.data, source, data, ecn)
            self._rebind_if_due()

    def _from_client(self, sender: tuple[str, int], data: bytes, ecn: int) -> None:
        if self._start is None:
            self._start = time.monotonic()
        client = self._clients.get(sender)
        if client is None:
            client = _Client(sender, self._upstream(sender))
            self._clients[sender] = client
        self._from_clients += 1
        if self._from_clients in self.mischief.drop_to_server:
            return
        self._capture(client.upstream, True, data, ecn)
        self._send(client.upstream, self._damage(data), ecn, self.to)

    def _from_server(self, sender: tuple[str, int], source: socket.socket, data: bytes, ecn: int) -> None:
        client = self._clients[sender]
        self._capture(source, False, data, ecn)
        # A NAT that has forgotten an address delivers nothing that is sent there.
        forgotten = source is not client.upstream or (self.behind is not None and data in self.behind.outdated)
        if not forgotten:
            self._send(self._entrance, self._damage(data), ecn, sender)

    def _upstream(self, client: tuple[str, int]) -> socket.socket:
        self._upstreams += 1
        made = self._socket(f"127.0.0.{self._upstreams}" if self.mischief.own_addresses else self.address[0])
        self._selector.register(made, selectors.EVENT_READ, client)
        return made

    def _capture(self, upstream: socket.socket, from_client: bool, data: bytes, ecn: int) -> None:
        host, port = upstream.getsockname()[:2]
        self.captured.append(Captured(time.monotonic(), from_client, (host, port), data, ecn))

    def _rebind_if_due(self) -> None:
        if self._start is None or not self._rebinds or time.monotonic() < self._start + self._rebinds[0]:
            return
        self._rebinds.pop(0)
        self.outdated = {seen.data for seen in self.captured[-_UNDER_WAY:] if not seen.from_client}
        for client in self._clients.values():
            client.upstream = self._upstream(client.address)

    def _damage(self, data: bytes) -> bytes:
        if self._random.random() >= self.mischief.corrupt:
            return data
        self.damaged += 1
        damaged = bytearray(data)
        damaged[self._random.randrange(len(data))] ^= self._random.randrange(1, 256)
        return bytes(damaged)

    def _send(self, source: socket.socket, data: bytes, ecn: int, to: tuple[str, int]) -> None:
        if self._family == socket.AF_INET6:
            kind = (socket.IPPROTO_IPV6, socket.IPV6_TCLASS)
        else:
            kind = (socket.IPPROTO_IP, socket.IP_TOS)
        source.sendmsg([data], [(*kind, struct.pack("i", ecn))], 0, to)


def _receive(source: socket.socket) -> tuple[bytes, int, tuple[str, int]] | None:
    """The next datagram, its ECN bits and its sender."""
    try:
        data, ancillary, _, sender = source.recvmsg(_LARGEST, _ANCILLARY)
    except BlockingIOError:
        return None
    traffic_class = next((content[0] for _, _, content in ancillary), 0)
    return data, traffic_class & 3, (sender[0], sender[1])
