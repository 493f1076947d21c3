"""The data files, and what they are told when they are wrong."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import template
from checks import CHECKS
from ends import Unsupported, choose_alpn
from model import Data, DataError, DebianInstall, End, Peer, PypiInstall, read


@pytest.fixture(scope="module")
def data() -> Data:
    return Data()


def test_the_data_files_agree_with_each_other(data: Data) -> None:
    both = [peer for peer in data.peers.values() if peer.client and peer.server]
    assert len(data.peers) >= 6
    assert len(both) >= 4


def test_every_check_that_a_case_names_exists(data: Data) -> None:
    assert {name for case in data.cases.values() for name in case.checks} <= set(CHECKS)


def test_what_comes_from_a_registry_is_pinned_by_hash(data: Data) -> None:
    for peer in [*data.peers.values(), *data.tools.values()]:
        lock = Path(__file__).parents[2] / "interop/matrix/peers" / f"{peer.name}.lock"
        if isinstance(peer.install, DebianInstall):
            lines = [line.split() for line in lock.read_text().splitlines()[2:]]
            assert lines, peer.name
            assert all(len(sha256) == 64 and file.endswith(".deb") for sha256, file in lines)
        if isinstance(peer.install, PypiInstall):
            assert all("--hash=sha256:" in line for line in lock.read_text().splitlines()[1:])


def test_an_unknown_field_is_named_with_its_file(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('about = "x"\nversion = "1"\nhomepage = "y"\ncolour = "red"\n')
    with pytest.raises(DataError, match=r"wrong\.toml.*colour"):
        read(wrong, Peer)


def test_an_end_has_to_say_what_it_does_about_a_special_case(data: Data) -> None:
    peer = data.peers["quinn"]
    assert peer.client
    silent = msgspec.structs.replace(peer.client, cases={}, unsupported={})
    with pytest.raises(DataError, match=r"client.*chacha20"):
        data.check_end("quinn.toml: client", silent, "client")


def test_a_word_in_braces_that_nobody_fills_is_named_with_what_is_allowed() -> None:
    with pytest.raises(DataError, match=r"\{prot\}.*host, port"):
        template.words(["{host}:{prot}"], {"host": "a", "port": "1"})


def test_a_list_becomes_as_many_words() -> None:
    assert template.words(["get", "{urls}", "x{urls}"], {"urls": ["a", "b"]}) == ["get", "a", "b", "xa b"]


def test_a_protocol_that_the_peer_lacks_is_unsupported_and_not_a_failure(data: Data) -> None:
    end = End(alpn=["hq-interop"])
    assert choose_alpn(end, data.cases["transfer"]) == "hq-interop"
    with pytest.raises(Unsupported, match="hq-interop only"):
        choose_alpn(end, data.cases["http3"])
