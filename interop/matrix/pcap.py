"""Writes what the simulator saw as a pcapng file that Wireshark opens, with the keys inside.

pcapng: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-02.html. Packets are raw IP.
"""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterable
from pathlib import Path

from simulator import Captured

_RAW_IP = 101  # LINKTYPE_RAW
_SECTION, _INTERFACE, _PACKET, _SECRETS = 0x0A0D0D0A, 1, 6, 10
_TLS_KEY_LOG = 0x544C534B
_BYTE_ORDER = 0x1A2B3C4D
_UDP = 17


def write(target: Path, captured: Iterable[Captured], server: tuple[str, int], keylog: bytes) -> None:
    """Times are microseconds from the first packet on."""
    with target.open("wb") as file:
        file.write(_block(_SECTION, struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1)))
        file.write(_block(_INTERFACE, struct.pack("<HHI", _RAW_IP, 0, 0)))
        if keylog:
            file.write(_block(_SECRETS, struct.pack("<II", _TLS_KEY_LOG, len(keylog)) + keylog))
        start = None
        for seen in captured:
            start = seen.time if start is None else start
            ends = (seen.address, server) if seen.from_client else (server, seen.address)
            packet = _ip(*ends, seen.ecn, seen.data)
            time = int((seen.time - start) * 1e6)
            head = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(packet), len(packet))
            file.write(_block(_PACKET, head + packet))


def _block(kind: int, content: bytes) -> bytes:
    content += bytes(-len(content) % 4)
    length = len(content) + 12
    return struct.pack("<II", kind, length) + content + struct.pack("<I", length)


def _ip(source: tuple[str, int], to: tuple[str, int], ecn: int, data: bytes) -> bytes:
    """Without checksums: nobody sent this packet in this form."""
    udp = struct.pack("!HHHH", source[1], to[1], len(data) + 8, 0) + data
    addresses = ipaddress.ip_address(source[0]).packed + ipaddress.ip_address(to[0]).packed
    if len(addresses) == 8:
        return struct.pack("!BBHHHBBH", 0x45, ecn, len(udp) + 20, 0, 0, 64, _UDP, 0) + addresses + udp
    return struct.pack("!IHBB", 6 << 28 | ecn << 20, len(udp), _UDP, 64) + addresses + udp
