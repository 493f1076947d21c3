"""Where the windows of `smallq` and `vegas` start."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

import lab
from qlog_analysis.newreno import initial_window
from traces import named, trace_of


@pytest.mark.parametrize(
    ("packets", "limit", "expected"),
    [
        (10, 1200, 10 * 1250),  # the window that was set for 1250 bytes stays
        (10, 1500, 10 * 1200),  # the peer did not make packets smaller
        (11, 1200, 11 * 1200),  # quiche's first window is less
        (7, 1200, 7 * 1200),  # nor whole packets
        (1, 1500, 2 * 1200),
    ],
)
def test_a_window_set_before_the_peer_limits_packets_keeps_its_bytes(
    tmp_path: FilePath, packets: int, limit: int, expected: int
) -> None:
    some = lab.records("smallq", "duration=1s")
    named(some, "cc:parameters_set")[0]["data"].update(max_datagram_size=1200, initial_window=packets)
    for event in named(some, "quic:parameters_set"):
        if event["data"].get("initiator") == "remote":
            event["data"]["max_udp_payload_size"] = limit
    assert initial_window(trace_of(tmp_path, some)) == expected
