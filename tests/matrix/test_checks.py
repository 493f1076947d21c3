"""Each check lets pass what is right and says what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from certificates import write_chain
from checks import CHECKS, CheckFailed, Evidence, every_case
from decode import CERTIFICATE, PATH_CHALLENGE, PATH_RESPONSE, Datagram, Decoder
from model import Data
from play import Played
from simulator import ECT_0, NOT_ECT, Captured

CLIENT = ("127.0.0.1", 1000)


def initial(source: bytes, version: int = 1, token: bytes = b"", kind: int = 0xC0) -> bytes:
    """An Initial packet, as far as it can be read without keys; with another `kind` one that has no token."""
    ids = bytes([4]) + b"dest" + bytes([len(source)]) + source
    tokens = bytes([len(token)]) + token if kind == 0xC0 else b""
    return bytes([kind]) + version.to_bytes(4, "big") + ids + tokens + bytes([0x40, 20]) + bytes(20)


def retry(token: bytes) -> bytes:
    return bytes([0xF0]) + (1).to_bytes(4, "big") + bytes([1, 1, 1, 2]) + token + bytes(16)


def seen(from_client: bool, data: bytes, ecn: int = NOT_ECT) -> Captured:
    return Captured(0.0, from_client, CLIENT, data, ecn)


def datagram(
    from_client: bool,
    port: int = 1000,
    frames: Sequence[int] = (),
    phases: Sequence[int] = (),
    ect: Sequence[int] = (),
    handshake: Sequence[int] = (),
    payload: int = 0,
) -> Datagram:
    return Datagram(from_client, port, [], frames, phases, ect, handshake, [], payload)


class Given(Decoder):
    """Instead of tshark."""

    def __init__(self, datagrams: Sequence[Datagram]) -> None:
        super().__init__(Path("none"))
        self.datagrams = list(datagrams)

    def __call__(self, capture: Path, server_port: int) -> list[Datagram]:
        return self.datagrams


def evidence(
    folder: Path, case: str = "handshake", captured: Sequence[Captured] = (), datagrams: Sequence[Datagram] = ()
) -> Evidence:
    played = Played(folder, "client", Data().cases[case], captured=list(captured))
    return Evidence(played, Given(datagrams))


def fails(name: str, given: Evidence, because: str) -> None:
    with pytest.raises(CheckFailed, match=because):
        CHECKS[name](given)


def with_file(given: Evidence, content: bytes) -> Evidence:
    given.played.files = ["a"]
    for folder, what in (("www", b"right"), ("downloads", content)):
        (given.played.folder / folder).mkdir()
        (given.played.folder / folder / "a").write_bytes(what)
    return given


def test_a_file_of_another_content_is_a_failure(tmp_path: Path) -> None:
    good = [seen(True, initial(b"c")), seen(False, initial(b"s"))]
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    every_case(with_file(evidence(tmp_path / "1", captured=good), b"right"))
    with pytest.raises(CheckFailed, match="1 of 1 files"):
        every_case(with_file(evidence(tmp_path / "2", captured=good), b"wrong"))


def test_a_second_handshake_and_another_version_are_failures(tmp_path: Path) -> None:
    twice = [seen(True, initial(b"c")), seen(False, initial(b"s")), seen(False, initial(b"t"))]
    with pytest.raises(CheckFailed, match="2 handshakes, not 1"):
        every_case(evidence(tmp_path, captured=twice))
    with pytest.raises(CheckFailed, match="versions"):
        every_case(evidence(tmp_path, captured=[seen(True, initial(b"c", version=7))]))


def test_a_retry_where_none_is_asked_for_and_a_token_that_is_not_used_are_failures(tmp_path: Path) -> None:
    first, answer = seen(True, initial(b"c")), seen(False, retry(b"tok"))
    fails("no-retry", evidence(tmp_path, captured=[first, answer]), "sent a Retry")
    fails("retry-token-is-used", evidence(tmp_path, captured=[first]), "no Retry")
    fails("retry-token-is-used", evidence(tmp_path, captured=[first, answer, first]), "does not have")
    CHECKS["retry-token-is-used"](evidence(tmp_path, captured=[first, answer, seen(True, initial(b"c", token=b"tok"))]))


def test_a_certificate_in_a_resumed_handshake_is_a_failure(tmp_path: Path) -> None:
    ports = [datagram(True, 1), datagram(False, 1, handshake=[CERTIFICATE]), datagram(True, 2)]
    name = "second-handshake-has-no-certificate"
    CHECKS[name](evidence(tmp_path, datagrams=ports))
    fails(name, evidence(tmp_path, datagrams=[*ports, datagram(False, 2, handshake=[CERTIFICATE])]), "Certificate")


def test_keys_that_one_side_does_not_update_are_a_failure(tmp_path: Path) -> None:
    name, mine, theirs = "both-change-key-phase", datagram(True, phases=[0, 1]), datagram(False, phases=[1])
    CHECKS[name](evidence(tmp_path, datagrams=[mine, theirs]))
    fails(name, evidence(tmp_path, datagrams=[mine, datagram(False, phases=[0])]), "server stays")


def test_marks_that_are_not_sent_or_not_reported_are_failures(tmp_path: Path) -> None:
    both = [seen(True, b"x", ECT_0), seen(False, b"x", ECT_0)]
    reports = [datagram(True, ect=[3]), datagram(False, ect=[2])]
    name = "both-mark-and-report"
    CHECKS[name](evidence(tmp_path, captured=both, datagrams=reports))
    fails(name, evidence(tmp_path, captured=[both[0]], datagrams=reports), "server marks nothing")
    fails(name, evidence(tmp_path, captured=both, datagrams=reports[:1]), "server reports no marks")


def test_more_than_four_times_what_came_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "certs").mkdir()
    write_chain(tmp_path / "certs", 9)
    name = "amplification-is-limited"
    hello, handshake = seen(True, initial(b"c") + bytes(1150)), seen(True, initial(b"c", kind=0xE0))
    room = 4 * len(hello.data)
    CHECKS[name](evidence(tmp_path, captured=[hello, seen(False, bytes(room)), handshake]))
    fails(name, evidence(tmp_path, captured=[hello, seen(False, bytes(room + 1)), handshake]), "1 bytes more")
    fails(name, evidence(tmp_path, captured=[hello]), "never sent a Handshake packet")
    write_chain(tmp_path / "certs", 1)
    fails(name, evidence(tmp_path, captured=[hello]), "the chain has")


def test_a_new_path_without_a_challenge_or_an_answer_is_a_failure(tmp_path: Path) -> None:
    name = "new-paths-are-validated"

    def path(port: int, frames: Sequence[int] = (), answer: Sequence[int] = ()) -> list[Datagram]:
        return [datagram(False, port, frames=frames), datagram(True, port, frames=answer)]

    good = [*path(1), *path(2, [PATH_CHALLENGE], [PATH_RESPONSE])]
    CHECKS[name](evidence(tmp_path, datagrams=[*good, *path(3, [PATH_CHALLENGE], [PATH_RESPONSE])]))
    fails(name, evidence(tmp_path, datagrams=good), "2 addresses")
    fails(name, evidence(tmp_path, datagrams=[*good, *path(3)]), "no PATH_CHALLENGE")
    fails(name, evidence(tmp_path, datagrams=[*good, *path(3, [PATH_CHALLENGE])]), "not answered")
