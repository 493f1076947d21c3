"""What anybody on the path can read in QUIC packets without keys (RFC 8999; RFC 9000, section 17)."""

from __future__ import annotations

from dataclasses import dataclass

VERSION_1 = 1
INITIAL, ZERO_RTT, HANDSHAKE, RETRY = "Initial", "0-RTT", "Handshake", "Retry"
VERSION_NEGOTIATION, ONE_RTT = "Version Negotiation", "1-RTT"
_LONG_TYPES = (INITIAL, ZERO_RTT, HANDSHAKE, RETRY)
_RETRY_TAG = 16


@dataclass(frozen=True)
class Packet:
    """One packet of a datagram. A short header shows nothing but its form."""

    kind: str
    version: int = VERSION_1
    destination: bytes = b""
    source: bytes = b""
    token: bytes = b""


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def take(self, length: int) -> bytes:
        if self.position + length > len(self.data):
            raise ValueError("packet too short")
        part = self.data[self.position : self.position + length]
        self.position += length
        return part

    def number(self, length: int) -> int:
        return int.from_bytes(self.take(length), "big")

    def varint(self) -> int:
        first = self.number(1)
        length = 1 << (first >> 6)
        return (first & 0x3F) << 8 * (length - 1) | self.number(length - 1)

    def rest(self) -> bytes:
        return self.take(len(self.data) - self.position)


def packets(datagram: bytes) -> list[Packet]:
    """The packets of a datagram, in order."""
    found = []
    reader = _Reader(datagram)
    while reader.position < len(datagram):
        first = reader.number(1)
        if not first & 0x80:
            # A short header has no length: it is the last packet. After others it may be padding (section 12.2).
            if first & 0x40:
                found.append(Packet(ONE_RTT))
            break
        found.append(_long(reader, first))
    return found


def _long(reader: _Reader, first: int) -> Packet:
    version = reader.number(4)
    destination = reader.take(reader.number(1))
    source = reader.take(reader.number(1))
    if version == 0:
        reader.rest()
        return Packet(VERSION_NEGOTIATION, version, destination, source)
    kind = _LONG_TYPES[first >> 4 & 3]
    token = b""
    if kind == RETRY:
        token = reader.rest()[:-_RETRY_TAG]
    else:
        if kind == INITIAL:
            token = reader.take(reader.varint())
        reader.take(reader.varint())
    return Packet(kind, version, destination, source, token)
