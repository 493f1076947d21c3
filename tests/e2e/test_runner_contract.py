"""The endpoint of the quic-interop-runner keeps the runner's contract, in both roles.

The checks are the runner's own, with traces and key logs where it decodes captures; docs/interop.md compares them.
"""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from certificates import write_chain
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from key_phase import KeyPhases
from quic_packets import HANDSHAKE, INITIAL, RETRY, VERSION_1, VERSION_NEGOTIATION, ZERO_RTT
from quic_packets import packets as visible
from runner_contract import ENDPOINT, UNSUPPORTED, Case, Play, environment, frames, packets, play
from simulator import CE, ECT_0, ECT_1, Mischief

KB, MB = 1 << 10, 1 << 20
ID_LENGTH = 16  # of the connection ids that both ends issue
TRANSFER = [2 * MB, 3 * MB, 5 * MB]
# The runner's 30 % and 2 % in bursts of up to three packets; here in bursts of three on average.
LOSS_30 = ("--loss", "ge:p=14%,r=33%", "--up-loss", "ge:p=14%,r=33%")
LOSS_2 = ("--loss", "ge:p=0.7%,r=33%", "--up-loss", "ge:p=0.7%,r=33%")
OUTAGES = ("--outages", "5s..7s,12s..14s", "--up-outages", "5s..7s,12s..14s")


def no_retry(played: Play) -> None:
    assert not [p for captured in played.captured for p in captured.packets if p.kind == RETRY]


def client_hellos_are_repeated(played: Play) -> None:
    hellos = [f for f in frames(played.qlogs("client")[0], "sent", "crypto", "initial") if f["offset"] == 0]
    assert len(hellos) >= 2
    assert played.seconds > 3.0  # a round trip for the handshake and one for the file


def windows_grow(played: Play) -> None:
    (client,) = played.qlogs("client")
    settings = next(e["data"] for e in client if e.get("name") == "quic:parameters_set")
    assert settings["initial_max_data"] < 256 * KB
    assert any(frames(client, "sent", "max_data"))
    assert any(frames(client, "sent", "max_stream_data"))


def stream_limit_is_raised(played: Play) -> None:
    (server,) = played.qlogs("server")
    settings = next(e["data"] for e in server if e.get("name") == "quic:parameters_set")
    assert settings["initial_max_streams_bidi"] <= 1000
    assert any(frames(server, "sent", "max_streams"))


def retry_token_is_used(played: Play) -> None:
    tokens = {p.token for c in played.captured if not c.from_client for p in c.packets if p.kind == RETRY}
    assert len(tokens) == 1
    initials = [p for c in played.captured if c.from_client for p in c.packets if p.kind == INITIAL]
    assert initials[0].token == b""
    assert initials[-1].token in tokens
    numbers = [p["header"]["packet_number"] for p in packets(played.qlogs("client")[0], "sent")]
    assert numbers == sorted(set(numbers)), "the Retry packet reset the packet number"


def second_handshake_has_no_certificate(played: Play) -> None:
    certificate = x509.load_pem_x509_certificate((played.folder / "certs/cert.pem").read_bytes())
    size = len(certificate.public_bytes(Encoding.DER))
    first, second = (crypto_sent(trace) for trace in played.qlogs("server"))
    assert second < size < first
    assert [report["resumed"] for report in played.reports()] == [False, True]


def crypto_sent(server: list[dict[str, object]]) -> int:
    """Bytes of handshake messages that the server sent in Handshake packets."""
    sent = frames(server, "sent", "crypto", "handshake")
    return max((frame["offset"] + frame["raw"]["payload_length"] for frame in sent), default=0)


def without_early_data(played: Play) -> None:
    second_handshake_has_no_certificate(played)
    assert not [p for c in played.captured for p in c.packets if p.kind == ZERO_RTT]


def with_early_data(played: Play) -> None:
    second_handshake_has_no_certificate(played)
    assert [p for c in played.captured if c.from_client for p in c.packets if p.kind == ZERO_RTT]
    assert len(played.keylog("client")["CLIENT_EARLY_TRAFFIC_SECRET"]) == 1
    one_rtt = [p["raw"]["payload_length"] for trace in played.qlogs("client") for p in packets(trace, "sent", "1RTT")]
    assert sum(one_rtt) <= 5000, "the requests were not in 0-RTT packets"


def http3_was_spoken(played: Play) -> None:
    assert [report["protocol"] for report in played.reports()] == ["h3"]


def both_mark_and_report(played: Play) -> None:
    for from_client, role in [(True, "client"), (False, "server")]:
        marks = {captured.ecn for captured in played.captured if captured.from_client == from_client}
        assert marks & {ECT_0, ECT_1}, f"the {role} marks nothing"
        assert CE not in marks
        acks = frames(played.qlogs(role)[0], "sent", "ack", "1RTT")
        assert any(ack.get("ect0", 0) + ack.get("ect1", 0) > 0 for ack in acks), f"the {role} reports no marks"


def amplification_is_limited(played: Play) -> None:
    """Three times what came (RFC 9000, section 8.1); the runner lets pass what is below four times."""
    assert crypto_sent(played.qlogs("server")[0]) >= 7500, "not the chain of the case"
    allowed = 0
    for captured in played.captured:
        if captured.from_client:
            if any(p.kind == HANDSHAKE for p in captured.packets):
                return
            allowed += 3 * len(captured.data)
        else:
            allowed -= len(captured.data)
            assert allowed >= 0
    pytest.fail("the client never sent a Handshake packet")


def outage_struck(played: Play) -> None:
    assert played.link["down"]["dropped_random"] > 0


def loss_struck(played: Play) -> None:
    assert played.link["down"]["dropped_random"] > 0
    assert played.link["up"]["dropped_random"] > 0


def corruption_struck(played: Play) -> None:
    assert played.damaged > 0.01 * len(played.captured)


def new_paths_are_validated(played: Play) -> None:
    (server,) = played.qlogs("server")
    probes = [p["raw"]["length"] for p in packets(server, "sent") if has_frame(p, "path_challenge")]
    paths: list[tuple[str, int]] = []
    for captured in (c for c in played.captured if not c.from_client):
        if captured.address not in paths:
            paths.append(captured.address)
            # It is bound to three times what came from there, so it cannot be taken for another one.
            assert len(paths) == 1 or len(captured.data) in probes, f"first packet to {captured.address} is no probe"
    assert len(paths) >= 3
    assert len(list(frames(server, "received", "path_response"))) >= len(paths) - 1


def has_frame(packet: dict[str, list[dict[str, object]]], frame_type: str) -> bool:
    return any(frame["frame_type"] == frame_type for frame in packet.get("frames", []))


def new_addresses_are_validated(played: Play) -> None:
    new_paths_are_validated(played)
    assert len({captured.address[0] for captured in played.captured}) >= 3


def both_change_key_phase(played: Play) -> None:
    (client,), (server,) = played.qlogs("client"), played.qlogs("server")
    for from_client, role, trace in ((True, "client", client), (False, "server", server)):
        suite = next(e["data"]["tls_cipher"] for e in trace if "tls_cipher" in e.get("data", {}))
        secret = played.secret(role, f"{role.upper()}_TRAFFIC_SECRET_0")
        phases = KeyPhases(suite, secret, ID_LENGTH)
        seen = [phases.read(c.data) for c in played.captured if c.from_client == from_client]
        numbers = [phase for phase in seen if phase is not None]
        assert numbers == sorted(numbers), f"the {role} went back to phase 0"
        # Early, in the first MB of three. The client's packets of phase 0 may all be in datagrams with others.
        assert numbers.count(1) > 2 * numbers.count(0)
    triggers = {
        role: {e["data"]["trigger"] for e in trace if e.get("name") == "quic:key_updated"}
        for role, trace in (("client", client), ("server", server))
    }
    assert "local_update" in triggers["client"]
    assert "remote_update" in triggers["server"]


def preferred_address_is_used(played: Play) -> None:
    """As the runner sees it: a new connection id, probed from both ends; and the transfer goes there."""
    used = {c.data[1 : 1 + ID_LENGTH] for c in played.captured if c.from_client and not c.data[0] & 0x80}
    there = [c.data[1 : 1 + ID_LENGTH] for c in played.moved if c.from_client]
    assert there
    assert used.isdisjoint(there), "the client used a connection id on both paths"
    (server,) = played.qlogs("server")
    probes = [p["raw"]["length"] for p in packets(server, "sent") if has_frame(p, "path_challenge")]
    answers = [c for c in played.moved if not c.from_client]
    assert len(answers[0].data) in probes, "the first packet from the preferred address is no probe"
    assert any(frames(server, "received", "path_response"))
    sent = {
        name: sum(len(c.data) for c in seen if not c.from_client)
        for name, seen in (("first", played.captured), ("preferred", played.moved))
    }
    assert sent["preferred"] > 1.5 * MB, sent
    # What was under way when the client moved may still come; nothing after that.
    rest = [c for c in played.captured if not c.from_client and c.time > answers[0].time + 1.0]
    assert not rest, f"{len(rest)} packets from the address that was left"


def link_is_used(played: Play) -> None:
    assert 8 * 10 * MB / played.seconds > 6e6  # of 10 Mbit/s; measured 9.3e6


@dataclass(frozen=True)
class Rehearsal:
    case: Case
    check: Callable[[Play], None]
    handshakes: int = 1
    tries: int = 1
    """Where chance alone can make it fail, how often it may be played."""


CASES = {
    "handshake": Rehearsal(Case("handshake", [KB]), no_retry),
    "transfer": Rehearsal(Case("transfer", TRANSFER), windows_grow),
    "longrtt": Rehearsal(Case("handshake", [KB], delay="750ms"), client_hellos_are_repeated),
    "multiplexing": Rehearsal(Case("transfer", [32] * 1999), stream_limit_is_raised),
    "retry": Rehearsal(Case("retry", [10 * KB]), retry_token_is_used),
    "resumption": Rehearsal(Case("resumption", [5 * KB, 10 * KB]), without_early_data, handshakes=2),
    "zerortt": Rehearsal(Case("zerortt", [32] * 40, name_length=250), with_early_data, handshakes=2),
    "http3": Rehearsal(Case("http3", [5 * KB, 10 * KB, 500 * KB]), http3_was_spoken),
    "blackhole": Rehearsal(Case("transfer", [10 * MB], link=OUTAGES), outage_struck),
    "ecn": Rehearsal(Case("ecn", [100 * KB]), both_mark_and_report),
    "amplificationlimit": Rehearsal(
        Case("transfer", [5 * KB], chain=9, mischief=Mischief(drop_to_server=frozenset(range(2, 8)))),
        amplification_is_limited,
    ),
    # A burst that hits one probe after the other, each twice as late, can by chance outlast
    # the two minutes that a handshake has.
    "handshakeloss": Rehearsal(
        Case("multiconnect", [KB] * 50, link=LOSS_30, timeout=300), loss_struck, handshakes=50, tries=2
    ),
    "transferloss": Rehearsal(Case("transfer", [2 * MB], link=LOSS_2), loss_struck),
    "handshakecorruption": Rehearsal(
        Case("multiconnect", [KB] * 50, mischief=Mischief(corrupt=0.3), timeout=300), corruption_struck, handshakes=50
    ),
    "transfercorruption": Rehearsal(Case("transfer", [2 * MB], mischief=Mischief(corrupt=0.02)), corruption_struck),
    "ipv6": Rehearsal(Case("transfer", [5 * KB, 10 * KB], host="server6", listen="[::1]:0"), no_retry),
    "rebind-port": Rehearsal(Case("transfer", [10 * MB], nat=Mischief(rebind=(1, 6))), new_paths_are_validated),
    "rebind-addr": Rehearsal(
        Case("transfer", [10 * MB], nat=Mischief(rebind=(1, 6)), mischief=Mischief(own_addresses=True)),
        new_addresses_are_validated,
    ),
    "goodput": Rehearsal(Case("transfer", [10 * MB]), link_is_used),
    "keyupdate": Rehearsal(Case("keyupdate", [3 * MB], server="transfer"), both_change_key_phase),
    "connectionmigration": Rehearsal(
        Case("transfer", [2 * MB], server="connectionmigration", moves=True), preferred_address_is_used
    ),
    # BoringSSL cannot be told to offer this suite alone, so the client is not one of the case.
    "chacha20 of the server": Rehearsal(Case("transfer", [3 * MB], server="chacha20"), no_retry),
    "another controller": Rehearsal(
        Case("transfer", [2 * MB], link=LOSS_2, cc="hybrid:target_delay=10ms"), loss_struck
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_case_succeeds_as_the_runner_sees_it(name: str, programs: Path, tmp_path: Path) -> None:
    rehearsal = CASES[name]
    for number in range(rehearsal.tries):
        played = play(rehearsal.case, tmp_path / str(number), programs)
        if played.code == 0:
            break
    assert played.code == 0, (played.logs("client") / "client.log").read_text()
    assert played.missing() == []
    seen = [p for captured in played.captured for p in captured.packets]
    # Where the version of an Initial is damaged, the server says which it speaks (RFC 9000, section 6).
    assert {p.version for p in seen if p.kind != VERSION_NEGOTIATION} == {VERSION_1}
    answers = [p for c in played.captured if not c.from_client for p in c.packets]
    assert len({p.source for p in answers if p.kind == INITIAL}) == rehearsal.handshakes
    secrets = {role: played.keylog(role)["CLIENT_TRAFFIC_SECRET_0"] for role in ("client", "server")}
    assert len(secrets["client"]) == rehearsal.handshakes
    assert secrets["client"] <= secrets["server"]
    assert {report["cc"] for report in played.reports()} == {rehearsal.case.cc or default_cc(rehearsal.case)}
    rehearsal.check(played)


def default_cc(case: Case) -> str:
    return "smallq" if case.client == "ecn" else "bbr2"


def run(role: str, testcase: str, folder: Path, programs: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = environment(role, testcase, folder, programs) | {"REQUESTS": "https://server4:443/x"} | more
    return subprocess.run([ENDPOINT], env=env, capture_output=True, text=True, timeout=20, check=False)


@pytest.mark.parametrize(
    ("role", "testcase"),
    [
        ("client", "chacha20"),
        ("client", "v2"),
        ("client", "versionnegotiation"),
        ("client", "nobody-knows-this-one"),
        ("server", "v2"),
        ("server", "nobody-knows-this-one"),
    ],
)
def test_an_unsupported_case_is_told_apart_from_a_failure(
    role: str, testcase: str, programs: Path, tmp_path: Path
) -> None:
    done = run(role, testcase, tmp_path, programs)
    assert done.returncode == UNSUPPORTED, done.stderr
    assert testcase in done.stdout


@pytest.mark.parametrize("role", ["client", "server"])
def test_a_missing_program_or_a_bad_controller_is_a_failure_and_not_an_unsupported_case(
    role: str, programs: Path, tmp_path: Path
) -> None:
    (tmp_path / "certs").mkdir()
    write_chain(tmp_path / "certs", 1)
    lacking = run(role, "transfer", tmp_path, tmp_path)
    assert lacking.returncode == 1
    params = {f"{role.upper()}_PARAMS": "CC=hybird", "ENDPOINT_LISTEN": "127.0.0.1:0"}
    assert run(role, "transfer", tmp_path, programs, **params).returncode in (1, 2)
    time.sleep(0.1)  # the log is written by a process of its own
    assert "hybird" in (tmp_path / f"logs/{role}/{role}.log").read_text()


def test_a_file_that_does_not_arrive_is_a_failure(programs: Path, tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        params = f"--connect-to 127.0.0.1:{silent.getsockname()[1]} --connect-timeout 1"
        (tmp_path / "certs").mkdir()
        write_chain(tmp_path / "certs", 1)
        assert run("client", "handshake", tmp_path, programs, CLIENT_PARAMS=params).returncode == 1


def test_the_simulators_probe_is_answered_with_the_versions_that_are_spoken(programs: Path, tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    (tmp_path / "certs").mkdir()
    write_chain(tmp_path / "certs", 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as prober:
        prober.bind(("127.0.0.1", 0))
        prober.settimeout(0.2)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as finder:
            finder.bind(("127.0.0.1", 0))
            port = finder.getsockname()[1]
        env = environment("server", "handshake", tmp_path, programs) | {"ENDPOINT_LISTEN": f"127.0.0.1:{port}"}
        server = subprocess.Popen([ENDPOINT], env=env, stderr=subprocess.DEVNULL)
        try:
            answer = probe(prober, ("127.0.0.1", port))
        finally:
            server.terminate()
            assert server.wait(5) == 0
    (negotiation,) = visible(answer)
    assert negotiation.kind == VERSION_NEGOTIATION
    assert answer[-4:] == VERSION_1.to_bytes(4, "big")


def probe(prober: socket.socket, server: tuple[str, int]) -> bytes:
    """Asks for a version that nobody speaks until there is an answer, as the simulator does."""
    no_connection_ids = bytes(2)
    question = bytes([0xC0]) + 0x57414954.to_bytes(4, "big") + no_connection_ids + bytes(1200)
    for _ in range(50):
        prober.sendto(question, server)
        try:
            return prober.recv(1500)
        except (TimeoutError, ConnectionRefusedError):
            continue
    pytest.fail("the probe was not answered")
