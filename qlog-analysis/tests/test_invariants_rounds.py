"""When a round trip ends, for invariants that count them."""

from __future__ import annotations

from pathlib import Path as FilePath

from qlog_analysis.invariants.seen import see
from traces import trace_of
from tracewriter import TraceWriter


def sends(writer: TraceWriter, now: float, number: int) -> None:
    header = {"packet_type": "1RTT", "packet_number": number}
    writer.event(
        now, "quic:packet_sent", {"header": header, "raw": {"length": 1200}, "frames": [{"frame_type": "ping"}]}
    )


def acks(writer: TraceWriter, now: float, number: int) -> None:
    header = {"packet_type": "1RTT", "packet_number": number}
    frame = {"frame_type": "ack", "ack_delay": 0.0, "acked_ranges": [[number, number]]}
    writer.event(now, "quic:packet_received", {"header": header, "raw": {"length": 60}, "frames": [frame]})


def test_a_packet_that_leaves_at_the_time_of_a_feedback_need_not_be_of_the_next_round_trip(tmp_path: FilePath) -> None:
    writer = TraceWriter("reno")
    sends(writer, 0.0, 0)
    acks(writer, 0.040, 0)
    sends(writer, 0.040, 1)  # which a clock cannot tell from before
    sends(writer, 0.041, 2)
    acks(writer, 0.080, 1)
    acks(writer, 0.081, 2)
    seen = see(trace_of(tmp_path, writer.records))
    assert seen.round_end.tolist() == [2, 3, 3]
