"""A recording has what a client's trace says came."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import recording


def packets(count: int, every_s: float, size: int = 1500) -> list[tuple[float, int]]:
    return [(5 + every_s * number, size) for number in range(count)]


def test_a_line_is_the_millisecond_in_which_1500_bytes_have_come() -> None:
    assert recording.opportunities(packets(200, 0.0025), 0)[:5] == [0, 2, 5, 7, 10]
    # Ten packets of 750 bytes are five lines, and one of 9000 bytes is six.
    assert recording.opportunities(packets(250, 0.001, 750), 0)[:3] == [1, 3, 5]
    assert recording.opportunities(packets(20, 0.001, 9000), 0)[:7] == [0] * 6 + [1]


def test_the_start_is_left_out_and_time_begins_behind_it() -> None:
    times = recording.opportunities(packets(3000, 0.001), 2)
    assert (times[0], len(times)) == (0, 1000)


def test_a_summary_has_length_rate_and_the_longest_pause() -> None:
    times = [*range(1000), *range(1500, 2001)]
    assert recording.summary(times) == "2.0 s, 9.01 Mbit/s, longest pause 501 ms"


def trace(path: Path, count: int) -> Path:
    """As quiche writes one at a client: a packet of 1350 bytes every millisecond."""
    header = {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "JSON-SEQ",
        "title": "quiche-cc client",
        "trace": {
            "common_fields": {"reference_time": {"clock_type": "monotonic", "epoch": "unknown"}},
            "vantage_point": {"type": "client"},
            "event_schemas": ["urn:ietf:params:qlog:events:quic-12"],
        },
    }
    events = [
        {
            "time": float(number),
            "name": "quic:packet_received",
            "data": {
                "header": {"packet_type": "1RTT", "packet_number": number},
                "raw": {"length": 1350, "payload_length": 1333},
                "frames": [{"frame_type": "ping"}],
            },
        }
        for number in range(count)
    ]
    path.write_text("".join(f"\x1e{json.dumps(record)}\n" for record in [header, *events]), encoding="utf-8")
    return path


def test_the_command_writes_the_recording_and_says_what_is_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recording.main([str(trace(tmp_path / "one.sqlog", 4000)), "--skip", "1"]) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert len(lines) == 3000 * 1350 // 1500
    assert [int(line) for line in lines] == sorted(int(line) for line in lines)
    assert said.err == "3.0 s, 10.80 Mbit/s, longest pause 2 ms\n"


def test_what_is_too_short_or_no_trace_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert recording.main([str(trace(tmp_path / "one.sqlog", 1000))]) == 1
    assert "after the first 2 s came 0 times 1500 bytes; at least 100 are needed" in capsys.readouterr().err
    (tmp_path / "none.sqlog").write_text("none")
    assert recording.main([str(tmp_path / "none.sqlog")]) == 1
    assert "none.sqlog" in capsys.readouterr().err
