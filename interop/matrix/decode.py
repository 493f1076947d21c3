"""Decrypted captures by tshark, as the runner has them. The keys are inside of the capture, see `pcap.py`."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ends import CellError

# RFC 8446, section 4; RFC 9000, table 3.
CLIENT_HELLO, CERTIFICATE = 1, 11
PATH_CHALLENGE, PATH_RESPONSE = 0x1A, 0x1B
ZERO_RTT = 1  # long packet type
_TIMEOUT = 120.0
_FIELDS = (
    "udp.srcport",
    "udp.dstport",
    "quic.long.packet_type",
    "quic.frame_type",
    "quic.key_phase",
    "quic.ack.ect0_count",
    "quic.ack.ect1_count",
    "tls.handshake.type",
    "tls.handshake.ciphersuite",
    "quic.protected_payload",
    "quic.short",
)


@dataclass(frozen=True)
class Datagram:
    """What is in all packets of one datagram together."""

    from_client: bool
    client_port: int
    long_types: Sequence[int]
    frames: Sequence[int]
    key_phases: Sequence[int]
    ect_counts: Sequence[int]
    handshake: Sequence[int]  # types of TLS messages
    ciphers: Sequence[int]
    one_rtt_payload: int  # bytes of a packet with a short header, protected


class Decoder:
    """tshark, if it is installed."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def __call__(self, capture: Path, server_port: int) -> list[Datagram]:
        """The datagrams of a capture in their order."""
        home = capture.parent / "tshark"
        command: list[str | Path] = [self.program, "-r", capture, "-d", f"udp.port=={server_port},quic", "-T", "fields"]
        command += ["-E", "separator=;", "-E", "occurrence=a", "-E", "aggregator=,"]
        command += [word for field in _FIELDS for word in ("-e", field)]
        environment = {"HOME": str(home), "LC_ALL": "C.UTF-8", "WIRESHARK_CONFIG_DIR": str(home)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
        if done.returncode != 0:
            raise CellError(f"tshark ended with {done.returncode}: {done.stderr[-500:]}")
        return [_datagram(line.split(";"), server_port) for line in done.stdout.splitlines()]


def _datagram(columns: Sequence[str], server_port: int) -> Datagram:
    values = dict(zip(_FIELDS, columns, strict=True))
    source, to = int(values["udp.srcport"]), int(values["udp.dstport"])
    payloads = values["quic.protected_payload"].split(",")
    return Datagram(
        from_client=to == server_port,
        client_port=source if to == server_port else to,
        long_types=_numbers(values["quic.long.packet_type"]),
        frames=_numbers(values["quic.frame_type"]),
        key_phases=[1 if text in ("1", "True") else 0 for text in values["quic.key_phase"].split(",") if text],
        ect_counts=_numbers(values["quic.ack.ect0_count"]) + _numbers(values["quic.ack.ect1_count"]),
        handshake=_numbers(values["tls.handshake.type"]),
        ciphers=_numbers(values["tls.handshake.ciphersuite"]),
        # The packet with a short header is the last one of a datagram.
        one_rtt_payload=len(payloads[-1].replace(":", "")) // 2 if values["quic.short"] else 0,
    )


def _numbers(text: str) -> list[int]:
    return [int(number, 0) for number in text.split(",") if number]
