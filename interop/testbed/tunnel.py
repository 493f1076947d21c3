"""Two network namespaces with a TUN device each and `cc-link` in between: the kernel's TCP shares our bottleneck.

Every IP packet travels through the link as the payload of a datagram; with `--overhead 0` the link's rate is one of
IP packets. `tunnel.py SPECIFICATION` is one side in a namespace of its own: `far` a server and a TCP sender, `near` a
client that begins while a TCP download runs. Without a specification it tries whether that can be here. Needs root, or
to be root in a user namespace, and /dev/net/tun.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NEAR, FAR = "10.98.0.1", "10.98.0.2"
PREFIX = 24
# Whole packets of the endpoints fit, and the outer datagram fits loopback's.
MTU = 1500
TCP_PORT = 5001
_DEVICE = "/dev/net/tun"
# linux/if_tun.h, linux/sockios.h, linux/if.h
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_SIOCSIFADDR, _SIOCSIFNETMASK, _SIOCSIFMTU = 0x8916, 0x891C, 0x8922
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_CHUNK = bytes(1 << 16)
_STARTING = 30.0  # seconds until the other side is there


def bring_up_loopback() -> None:
    """A new network namespace has it, and it is down."""
    _up(b"lo")


def _up(name: bytes) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sH14x", name, 0)
        _, flags = struct.unpack("16sH14x", fcntl.ioctl(control, _SIOCGIFFLAGS, request))
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH14x", name, flags | _IFF_UP))


def open_device(address: str) -> int:
    """A TUN device of this namespace with `address`; its file descriptor."""
    device = os.open(_DEVICE, os.O_RDWR)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH14x", b"path", _IFF_TUN | _IFF_NO_PI))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for request, value in ((_SIOCSIFADDR, address), (_SIOCSIFNETMASK, "255.255.255.0")):
            content = struct.pack("16sHH4s8x", b"path", socket.AF_INET, 0, socket.inet_aton(value))
            fcntl.ioctl(control, request, content)
        fcntl.ioctl(control, _SIOCSIFMTU, struct.pack("16si12x", b"path", MTU))
    _up(b"path")
    return device


def carry(device: int, through: socket.socket, to: tuple[str, int] | None) -> None:
    """Moves packets between the device and a socket, in two threads that end with the process.

    Without `to` the other end is whoever sent last.
    """
    other = [to]

    def outwards() -> None:
        while True:
            packet = os.read(device, 1 << 16)
            if other[0] is not None:
                through.sendto(packet, other[0])

    def inwards() -> None:
        while True:
            packet, sender = through.recvfrom(1 << 16)
            other[0] = to or sender
            # The kernel refuses a packet that is none; there is nobody to tell.
            try:
                os.write(device, packet)
            except OSError:
                continue

    for direction in (outwards, inwards):
        threading.Thread(target=direction, daemon=True).start()


@dataclass
class Download:
    """A TCP download with the kernel's cubic, as long as it is not stopped."""

    bytes: int = 0
    began: float = field(default_factory=time.monotonic)
    stopped: bool = False

    def start(self) -> Download:
        threading.Thread(target=self._run, daemon=True).start()
        return self

    def _run(self) -> None:
        with self._connected() as connection:
            while not self.stopped and (content := connection.recv(1 << 16)):
                self.bytes += len(content)

    def _connected(self) -> socket.socket:
        """The other side may still be starting."""
        deadline = self.began + _STARTING
        while True:
            try:
                return socket.create_connection((FAR, TCP_PORT), timeout=_STARTING)
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def wait_for_data(self) -> None:
        """Until the first bytes are there."""
        while not self.bytes:
            if time.monotonic() > self.began + _STARTING:
                raise TimeoutError(f"no byte of the TCP download came within {_STARTING:.0f} s")
            time.sleep(0.05)

    def mbps(self) -> float:
        """Until now."""
        return 8e-6 * self.bytes / (time.monotonic() - self.began)


def _send_forever(listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        with connection:
            try:
                while True:
                    connection.sendall(_CHUNK)
            except OSError:
                continue


def far_side(specification: dict[str, Any]) -> int:
    """A server, and TCP for whoever connects."""
    carry(open_device(FAR), socket.socket(fileno=specification["socket"]), None)
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server((FAR, TCP_PORT)))
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
        threading.Thread(target=_send_forever, args=(listener,), daemon=True).start()
        with _started(specification) as server:
            try:
                return server.wait()
            finally:
                server.terminate()
                server.wait()


def near_side(specification: dict[str, Any]) -> int:
    """A client beside a TCP download. Prints its exit code, its seconds, and what TCP got in them."""
    host, port = specification["to"]
    carry(open_device(NEAR), socket.socket(fileno=specification["socket"]), (host, port))
    tcp = Download().start()
    tcp.wait_for_data()
    time.sleep(specification["head_start"])
    before, began = tcp.bytes, time.monotonic()
    with _started(specification) as client:
        code = client.wait()
    print(json.dumps({"code": code, "seconds": time.monotonic() - began, "tcp_bytes": tcp.bytes - before}))
    return 0


def _started(specification: dict[str, Any]) -> subprocess.Popen[bytes]:
    with Path(specification["log"]).open("wb") as log:
        return subprocess.Popen(specification["command"], env=specification["environment"], stdout=log, stderr=log)


def main() -> int:
    """One side. The socket towards the link was inherited, and belongs to another namespace."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    bring_up_loopback()
    if len(sys.argv) == 1:
        open_device(NEAR)
        return 0
    specification: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
    sides = {"far": far_side, "near": near_side}
    return sides[specification["side"]](specification)


if __name__ == "__main__":
    sys.exit(main())
