"""Archives that are fetched, and captures that are written."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path

import debian
import pcap
import pytest
from debian import InstallError
from simulator import CE, Captured


def test_an_archive_of_another_hash_is_refused(tmp_path: Path) -> None:
    source, target = tmp_path / "a.deb", tmp_path / "cache/a.deb"
    source.write_bytes(b"content")
    with pytest.raises(InstallError, match="not 0000"):
        debian.fetch([source.as_uri()], "0" * 64, target)
    assert not target.exists()
    debian.fetch(["file:///nowhere", source.as_uri()], hashlib.sha256(b"content").hexdigest(), target)
    assert target.read_bytes() == b"content"


def package(name: str, *needs: list[str], provides: tuple[str, ...] = ()) -> tuple[debian.Package, list[str]]:
    return debian.Package(name, f"debian/pool/{name}.deb", "f" * 64, list(needs)), list(provides)


def test_a_lock_has_all_that_a_package_needs_from_the_first_suite_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    suites = {
        "new": [package("tool", ["libx", "liby"], ["virtual"])],
        "old": [package("tool"), package("liby"), package("real", provides=("virtual",)), package("other")],
    }

    def index(suite: str) -> Iterator[tuple[debian.Package, list[str]]]:
        yield from suites[suite]

    monkeypatch.setattr(debian, "index", index)
    lines = debian.lock(["new", "old"], ["tool"], [], "20260101T000000Z").splitlines()[2:]
    assert [line.split("/")[-1] for line in lines] == ["liby.deb", "real.deb", "tool.deb"]
    with pytest.raises(InstallError, match="libx or liby"):
        debian.lock(["new"], ["tool"], [], "20260101T000000Z")


@pytest.mark.parametrize(("host", "head"), [("127.0.0.1", 20), ("::1", 40)])
def test_a_capture_has_the_datagram_its_ends_its_ecn_bits_and_the_keys(tmp_path: Path, host: str, head: int) -> None:
    target = tmp_path / "x.pcapng"
    pcap.write(target, [Captured(5.0, True, (host, 1000), b"datagram", CE)], (host, 443), b"CLIENT_RANDOM 1 2\n")
    blocks = dict(blocks_of(target.read_bytes()))
    assert blocks[10][8:].startswith(b"CLIENT_RANDOM")
    packet = blocks[6][20:]
    first = struct.unpack("!H", packet[:2])[0]
    assert (first if head == 20 else first >> 4) & 3 == CE
    assert struct.unpack("!HHH", packet[head : head + 6]) == (1000, 443, 16)
    assert packet[head + 8 :].startswith(b"datagram")


def blocks_of(content: bytes) -> Iterator[tuple[int, bytes]]:
    while content:
        kind, length = struct.unpack("<II", content[:8])
        assert length % 4 == 0
        assert content[length - 4 : length] == struct.pack("<I", length)
        yield kind, content[8 : length - 4]
        content = content[length:]
