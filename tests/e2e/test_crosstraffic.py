"""The runner's measurement `crosstraffic`, with a part of its file and with all. Skipped without network namespaces."""

from __future__ import annotations

from pathlib import Path

import pytest
from beside_tcp import play_beside_tcp
from runner_contract import Case

MB = 1 << 20
_RUNNERS_TIMEOUT = 180.0


@pytest.mark.parametrize("size", [5 * MB, 25 * MB], ids=["part", "whole"])
def test_a_download_arrives_beside_one_of_the_kernels_tcp(size: int, programs: Path, tmp_path: Path) -> None:
    shared = play_beside_tcp(Case("transfer", [size], timeout=_RUNNERS_TIMEOUT), tmp_path, programs)
    assert shared.code == 0, (tmp_path / "logs/client/client.log").read_text()
    assert shared.missing == []
    ours, theirs = (8e-6 * count / shared.seconds for count in (size, shared.tcp_bytes))
    print(f"goodput {ours:.2f} Mbit/s beside {theirs:.2f} Mbit/s of TCP, of 10")
    # Both went through the link, at the same time, and neither starved the other.
    assert 3.0 < ours + theirs < 10.0
    assert min(ours, theirs) > 0.5
