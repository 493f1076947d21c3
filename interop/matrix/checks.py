"""What has to be true of a cell that was played; names are those in cases.toml.

`docs/interop.md` has the runner's side of it. What can be read without keys comes from the simulator's record,
the rest from tshark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from decode import CERTIFICATE, CLIENT_HELLO, PATH_CHALLENGE, PATH_RESPONSE, Datagram, Decoder
from play import Played, differing
from quic_packets import HANDSHAKE, INITIAL, RETRY, VERSION_1, VERSION_NEGOTIATION, ZERO_RTT
from simulator import CE, ECT_0, ECT_1

CHACHA20 = 0x1303
_OUR_IDS = 16  # bytes of the connection ids that our endpoint issues
_CHAIN = 7500  # bytes of certificates that amplificationlimit has at least


class CheckFailed(Exception):
    """What is not as it has to be."""


@dataclass
class Evidence:
    """A cell that was played, and how to look into its packets."""

    played: Played
    decoder: Decoder

    @cached_property
    def datagrams(self) -> list[Datagram]:
        return self.decoder(self.played.capture, self.played.server[1])

    def kinds(self, from_client: bool) -> list[str]:
        return [p.kind for seen in self.played.captured if seen.from_client == from_client for p in seen.packets]


Check = Callable[[Evidence], None]
CHECKS: dict[str, Check] = {}
# Those that need decrypted packets.
WITH_KEYS: set[str] = set()


def check(with_keys: bool = False) -> Callable[[Check], Check]:
    def register(function: Check) -> Check:
        name = function.__name__.replace("_", "-")
        CHECKS[name] = function
        if with_keys:
            WITH_KEYS.add(name)
        return function

    return register


def require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise CheckFailed(otherwise)


def every_case(evidence: Evidence) -> None:
    """Files, versions and the number of handshakes."""
    played = evidence.played
    wrong = differing(played)
    require(not wrong, f"{len(wrong)} of {len(played.files)} files did not arrive, or arrived otherwise")
    versions = {p.version for seen in played.captured for p in seen.packets if p.kind != VERSION_NEGOTIATION}
    require(versions == {VERSION_1}, f"versions {sorted(versions)}, not 1 alone")
    answers = [p for seen in played.captured if not seen.from_client for p in seen.packets]
    handshakes = len({p.source for p in answers if p.kind == INITIAL})
    wanted = played.case.handshakes
    require(handshakes == wanted, f"{handshakes} handshakes, not {wanted}")


@check()
def no_retry(evidence: Evidence) -> None:
    require(RETRY not in evidence.kinds(from_client=False), "the server sent a Retry")


@check()
def retry_token_is_used(evidence: Evidence) -> None:
    captured = evidence.played.captured
    tokens = {p.token for seen in captured if not seen.from_client for p in seen.packets if p.kind == RETRY}
    require(bool(tokens), "the server sent no Retry")
    initials = [p for seen in captured if seen.from_client for p in seen.packets if p.kind == INITIAL]
    require(initials[0].token == b"", "the first Initial packet has a token")
    require(initials[-1].token in tokens, "the last Initial packet does not have the Retry's token")


@check(with_keys=True)
def client_hellos_are_repeated(evidence: Evidence) -> None:
    hellos = [seen for seen in evidence.datagrams if seen.from_client and CLIENT_HELLO in seen.handshake]
    # A ClientHello of two packets is reassembled once; what comes again shows in the number of Initial packets.
    initials = evidence.kinds(from_client=True).count(INITIAL)
    require(len(hellos) >= 2 or initials >= 3, f"{len(hellos)} ClientHellos in {initials} Initial packets")
    require(evidence.played.seconds > 3.0, f"done after {evidence.played.seconds:.1f} s, less than two round trips")


@check(with_keys=True)
def chacha20_alone_is_offered(evidence: Evidence) -> None:
    hellos = [seen for seen in evidence.datagrams if seen.from_client and CLIENT_HELLO in seen.handshake]
    offered = {cipher for seen in hellos for cipher in seen.ciphers}
    require(offered == {CHACHA20}, f"offered {sorted(map(hex, offered))}")


@check(with_keys=True)
def second_handshake_has_no_certificate(evidence: Evidence) -> None:
    ports = list(dict.fromkeys(seen.client_port for seen in evidence.datagrams if seen.from_client))
    sent = [seen for seen in evidence.datagrams if not seen.from_client]
    with_certificate = [
        port for port in ports if any(CERTIFICATE in s.handshake for s in sent if s.client_port == port)
    ]
    if len(ports) == 1:
        # One socket for both connections.
        count = sum(list(s.handshake).count(CERTIFICATE) for s in sent)
        require(count == 1, f"{count} Certificate messages, not one")
        return
    require(with_certificate == ports[:1], f"Certificate messages on connections {with_certificate} of {ports}")


@check()
def no_early_data(evidence: Evidence) -> None:
    require(ZERO_RTT not in evidence.kinds(from_client=True), "the client sent 0-RTT packets")


@check(with_keys=True)
def requests_are_early_data(evidence: Evidence) -> None:
    require(ZERO_RTT in evidence.kinds(from_client=True), "the client sent no 0-RTT packet")
    payload = sum(seen.one_rtt_payload for seen in evidence.datagrams if seen.from_client)
    require(payload <= 5000, f"the client sent {payload} bytes in 1-RTT packets, more than 5000")


@check(with_keys=True)
def both_change_key_phase(evidence: Evidence) -> None:
    for from_client, role in ((True, "client"), (False, "server")):
        phases = {phase for seen in evidence.datagrams if seen.from_client == from_client for phase in seen.key_phases}
        require(1 in phases, f"the {role} stays in key phase 0")


@check(with_keys=True)
def both_mark_and_report(evidence: Evidence) -> None:
    for from_client, role in ((True, "client"), (False, "server")):
        marks = {seen.ecn for seen in evidence.played.captured if seen.from_client == from_client}
        require(bool(marks & {ECT_0, ECT_1}), f"the {role} marks nothing")
        require(CE not in marks, f"the {role} sends CE")
        counts = [n for seen in evidence.datagrams if seen.from_client == from_client for n in seen.ect_counts]
        require(any(counts), f"the {role} reports no marks")


@check()
def amplification_is_limited(evidence: Evidence) -> None:
    """Three times what came; the runner lets pass what is below four times, which quiche needs (docs/interop.md)."""
    chain = x509.load_pem_x509_certificates((evidence.played.folder / "certs/cert.pem").read_bytes())
    size = sum(len(certificate.public_bytes(Encoding.DER)) for certificate in chain)
    require(size >= _CHAIN, f"the chain has {size} bytes")
    allowed = 0
    for seen in evidence.played.captured:
        if seen.from_client:
            if any(p.kind == HANDSHAKE for p in seen.packets):
                return
            allowed += 4 * len(seen.data)
        else:
            allowed -= len(seen.data)
            require(allowed >= 0, f"the server sent {-allowed} bytes more than four times what came")
    raise CheckFailed("the client never sent a Handshake packet")


@check()
def outage_struck(evidence: Evidence) -> None:
    _lost(evidence, ("down",), "outage")


@check()
def loss_struck(evidence: Evidence) -> None:
    _lost(evidence, ("down", "up"), "loss")


def _lost(evidence: Evidence, directions: Sequence[str], what: str) -> None:
    for direction in directions:
        lost = evidence.played.link[direction]["dropped_random"]
        require(lost > 0, f"the {what} struck no packet on the way {direction}")


@check()
def corruption_struck(evidence: Evidence) -> None:
    damaged, seen = evidence.played.damaged, len(evidence.played.captured)
    require(damaged > 0.01 * seen, f"{damaged} of {seen} datagrams were corrupted")


@check(with_keys=True)
def new_paths_are_validated(evidence: Evidence) -> None:
    ports: list[int] = []
    for seen in (seen for seen in evidence.datagrams if not seen.from_client):
        if seen.client_port not in ports:
            ports.append(seen.client_port)
            probes = len(ports) == 1 or PATH_CHALLENGE in seen.frames
            require(probes, f"the first packet to address {len(ports)} has no PATH_CHALLENGE")
    require(len(ports) >= 3, f"the server saw {len(ports)} addresses, not 3")
    for port in ports[1:]:
        answered = any(
            s.from_client and s.client_port == port and PATH_RESPONSE in s.frames for s in evidence.datagrams
        )
        require(answered, "a PATH_CHALLENGE was not answered from the new address")


@check()
def the_client_goes_to_the_preferred_address(evidence: Evidence) -> None:
    """Where the peer is the server, that path is not captured: what was not on the first one was there."""
    played = evidence.played
    there = sum(len(seen.data) for seen in played.moved if not seen.from_client)
    first = sum(len(seen.data) for seen in played.captured if not seen.from_client)
    whole = sum(played.case.files)
    require(first < whole / 2, f"the server sent {first} bytes from its first address")
    if played.our_role == "server":
        require(there > whole / 2, f"our server sent {there} bytes from its preferred address")
        ids = [
            {seen.data[1 : 1 + _OUR_IDS] for seen in captured if seen.from_client and not seen.data[0] & 0x80}
            for captured in (played.captured, played.moved)
        ]
        require(not ids[0] & ids[1], "the client used a connection id at both addresses")
