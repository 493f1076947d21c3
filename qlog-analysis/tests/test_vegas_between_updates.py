"""What `vegas` lets leave between two updates, worked out by hand."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

from qlog_analysis.check.run import check
from qlog_analysis.load import load
from qlog_analysis.vegas.law import DEFAULT
from tracewriter import TraceWriter, write

SIZE = 1250
SENT = 10
RTT = 0.04
APART = 1e-3
"""s, between two ACKs, and between two packets."""
GAIN = 1.5


def update(window: int, rate: float) -> dict[str, object]:
    """That of the first ACK, with which the round trip of the handshake is over."""
    same = {"cause": "round", "samples": 1, "rtt": RTT * 1e3, "base_rtt": RTT * 1e3, "diff": 0.0, "arrived": None}
    its = {"window_before": float(window), "window_after": float(window), "ssthresh": None, "window": window}
    state = {"counted": SIZE, "growing": True, "phase": "slow_start", "srtt": 8e3 * GAIN * window / rate}
    return {"update": 0, **same, **its, **state}


def laws(folder: FilePath, grown: float, raised: float) -> set[str]:
    """What is refused where each ACK adds such shares of a packet to the window, and to what the rate goes by."""
    log = TraceWriter("vegas")
    log.event(0.0, "quic:parameters_set", {"initiator": "remote", "ack_delay_exponent": 3, "max_ack_delay": 25})
    header = {"packet_type": "1RTT"}
    for number in range(SENT):
        frame = {"frame_type": "stream", "stream_id": 0, "offset": 1200 * number, "raw": {"payload_length": 1200}}
        its = {"header": {**header, "packet_number": number}, "raw": {"length": SIZE}, "frames": [frame]}
        log.event(number * APART, "quic:packet_sent", its)
    log.state(0.0, "slow_start")
    for number in range(SENT):
        now, acked = RTT + number * APART, SIZE * (number + 1)
        frame = {"frame_type": "ack", "ack_delay": 0.0, "acked_ranges": [[0, number]]}
        its = {"header": {**header, "packet_number": number}, "raw": {"length": 40}, "frames": [frame]}
        log.event(now, "quic:packet_received", its)
        window, by = (SENT * SIZE + SIZE + int(share * (acked - SIZE)) for share in (grown, raised))
        rate = 8.0 * GAIN * by / RTT
        in_flight = SIZE * SENT - acked
        log.metrics(now, 0, congestion_window=window, bytes_in_flight=in_flight, pacing_rate=round(rate / 8.0))
        if number == 0:
            told = {"controller": "vegas", "spec": "vegas", "max_datagram_size": SIZE, "initial_window": SENT}
            log.event(now, "cc:parameters_set", {**told, "max_ack_delay": 25.0, "parameters": DEFAULT})
            log.event(now, "cc:vegas_updated", update(window, rate))
    return {f.law for f in check(load(write(folder / "trace.sqlog", log.records))).findings}


@pytest.mark.parametrize(
    ("grown", "raised", "refused"),
    [
        (1.0, 1.0, set()),
        (0.0, 1.0, {"congestion_window"}),
        (2.0, 1.0, {"congestion_window"}),
        (1.0, 0.0, {"pacing_rate"}),
        (1.0, 1.2, {"pacing_rate"}),
    ],
)
def test_what_slow_start_grows_by_is_allowed_at_once(
    tmp_path: FilePath, grown: float, raised: float, refused: set[str]
) -> None:
    assert laws(tmp_path, grown, raised) == refused
